"""The shipped policies: measured against every rule-based player, copied to `agents/checkpoints`, shown in pictures.

`python -m experiments.policies VARIANT RUN` takes the checkpoint of a training run. Everything that the docs tell about
a policy is in the files that this writes into `experiments/results/training`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.files import replace_file
from agents.network import CARD_FILE, WEIGHTS_FILE, read_card
from agents.registry import SHIPPED
from experiments import evaluate, runs
from experiments.curves import draw_curves
from experiments.measures import label
from experiments.pictures import draw_behaviour
from experiments.run_folder import BASELINES, TOLD
from mjenv.variants import find

RESULTS = Path(__file__).parent / "results" / "training"
BEHAVIOUR = (
    "win_rate",
    "win_rate_self_draw",
    "win_total",
    "win_points",
    "deal_in_rate",
    "draw_rate",
    "calls_per_hand",
    "own_gangs_per_hand",
    "wilds_used",
    "wilds_thrown",
    "floats",
    "floats_paid",
    "shanten_turn_5",
    "shanten_end",
)
"""Measures that tell how a policy plays: how it wins, what it claims, what it does with wilds, how hands end."""


def ship(
    variant: Annotated[str, typer.Argument(help="The variant.")],
    run: Annotated[Path, typer.Argument(help="The folder of its training run.")],
    blocks: Annotated[int, typer.Option(min=2, help="Deals against `value`.")] = 20_000,
    others: Annotated[int, typer.Option(min=2, help="Deals against each of the others.")] = 5000,
    seed: Annotated[int, typer.Option(help="Their seed, which training did not see.")] = 2_026_000,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; all cores unless said.")] = None,
    results: Annotated[Path, typer.Option(help="The folder for the results.")] = RESULTS,
    to: Annotated[Path, typer.Option(help="The folder for the policies.")] = SHIPPED,
) -> None:
    """Measure the policy of a run, write the results, and put it where `checkpoint:VARIANT` finds it."""
    name = find(variant).name
    card = read_card(run)
    curve = json.loads((run / "evaluation.json").read_text(encoding="utf-8"))["curve"]
    found = {
        rival: evaluate.run(
            name,
            f"checkpoint:{run}",
            rival,
            blocks if rival == "value" else others,
            seed,
            card["rules"],
            workers=workers,
        )
        for rival in BASELINES
    }
    told = {rival: {key: result[key] for key in TOLD} for rival, result in found.items()}
    folder, place = results / name, to / name
    for path in (folder, place):
        path.mkdir(parents=True, exist_ok=True)
    runs.write_file(folder / "curve.json", (json.dumps(curve, indent=1) + "\n").encode())
    runs.write_file(folder / "curve.png", draw_curves(name, curve, BASELINES))
    runs.write_csv(folder / "table.csv", ("against", *TABLE), [(rival, *_row(entry)) for rival, entry in told.items()])
    rows = [(measure, *_compare(found["value"], measure)) for measure in BEHAVIOUR if _applies(found["value"], measure)]
    runs.write_csv(folder / "behaviour.csv", ("measure", *COMPARED), rows)
    runs.write_file(folder / "behaviour.png", draw_behaviour(name, [(label(row[0]), *row[1:]) for row in rows]))
    replace_file(place / WEIGHTS_FILE, (run / WEIGHTS_FILE).read_bytes())
    replace_file(place / CARD_FILE, (json.dumps({**card, "evaluation": told}, indent=1) + "\n").encode())
    for rival, entry in told.items():
        typer.echo(f"{name} v {rival}: {entry['points_per_hand']:+.3f} ({entry['low']:+.3f} to {entry['high']:+.3f})")


TABLE = ("points_per_hand", "low", "high", "luck_adjusted", "luck_low", "luck_high", "win_rate", "blocks", "seed")
COMPARED = tuple(f"{who}{end}" for who in ("policy", "value") for end in ("", "_low", "_high"))


def _row(entry: dict[str, Any]) -> tuple[float, ...]:
    luck = entry["luck_adjusted"]
    return (
        *(entry[key] for key in ("points_per_hand", "low", "high")),
        *(luck[key] for key in ("points_per_hand", "low", "high")),
        *(entry[key] for key in ("win_rate", "blocks", "seed")),
    )


def _applies(result: dict[str, Any], measure: str) -> bool:
    return all(entry[measure] is not None for entry in result["agents"]) and any(
        entry[measure]["high"] != 0 for entry in result["agents"]
    )


def _compare(result: dict[str, Any], measure: str) -> tuple[float, ...]:
    return tuple(entry[measure][end] for entry in result["agents"] for end in ("value", "low", "high"))


if __name__ == "__main__":
    typer.run(ship)
