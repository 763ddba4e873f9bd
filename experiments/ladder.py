"""The ladder: how far each rule-based player stands above the one below it, in every variant.

`python -m experiments.ladder` plays a league of all players in each variant and writes the small results into
`experiments/results/ladder`; the games stay in another folder, from which a run that broke off goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments import league, runs
from mjenv.variants import BY_NAME, find

RUNGS = "random,greedy,speed,value,guard"
RESULTS = Path(__file__).parent / "results" / "ladder"
FILES = ("league.json", "table.csv", "ratings.csv", "league.png")


def climb(
    agents: Annotated[str, typer.Option(help="The players, lowest rung first.")] = RUNGS,
    variant: Annotated[list[str] | None, typer.Option(help="Only this variant; may be given again.")] = None,
    blocks: Annotated[int, typer.Option(min=2, help="Deals for each pair.")] = 5000,
    seed: Annotated[int, typer.Option(help="The seed of all games.")] = 2026,
    seatings: Annotated[str, typer.Option(help="How pairs meet: 2v2, or 1v3 both ways.")] = "2v2",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; all cores unless said.")] = None,
    games: Annotated[Path, typer.Option(help="The folder that keeps the games.")] = Path("runs/ladder"),
    results: Annotated[Path, typer.Option(help="The folder for the results.")] = RESULTS,
) -> None:
    """Play a league of the players in each variant."""
    for name in [find(wanted).name for wanted in variant or BY_NAME]:
        found = league.run(name, agents.split(","), blocks, games / name, seed, seatings=seatings, workers=workers)
        (results / name).mkdir(parents=True, exist_ok=True)
        for file in FILES:
            runs.write_file(results / name / file, (games / name / file).read_bytes())
        standing = ", ".join(f"{entry['agent']} {entry['rating']:+.0f}" for entry in found["ratings"])
        typer.echo(f"{name}: {standing}")


if __name__ == "__main__":
    typer.run(climb)
