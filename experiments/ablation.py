"""What each option of training earns: the same short run with one option changed, measured on the same deals.

`python -m experiments.ablation` keeps its runs in a folder and skips those that are finished there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments import evaluate, runs
from experiments.policies import RESULTS
from experiments.train import Args
from experiments.train import run as train
from mjenv.variants import find

CHANGES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "cloning only": {"clone": 1.0},
    "no advice": {"advised": False},
    "no cloning": {"clone": 0.0},
    "no oracle": {"oracle": False},
    "suits swapped": {"symmetry": True},
    "held to the clone": {"kl": 0.1},
    "self-play only": {"rivals_share": 0.0, "past_share": 0.0},
    "rivals only": {"rivals_share": 1.0, "past_share": 0.0},
    "more entropy": {"entropy": 0.02},
    "rewards clipped": {"reward": "clip"},
    "root of rewards": {"reward": "root"},
}
"""Each run's name and what it changes."""
COLUMNS = ("points_per_hand", "low", "high", "luck_adjusted", "luck_low", "luck_high", "blocks")


def compare(
    variant: Annotated[str, typer.Argument(help="The variant.")] = "hangzhou",
    only: Annotated[list[str] | None, typer.Option(help="Only this run; may be given again.")] = None,
    decisions: Annotated[int, typer.Option(min=1, help="Decisions of each run.")] = 3_000_000,
    blocks: Annotated[int, typer.Option(min=2, help="Deals against `value`.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Their seed.")] = 3_026_000,
    games: Annotated[Path, typer.Option(help="The folder that keeps the runs.")] = Path("runs/ablation"),
    results: Annotated[Path, typer.Option(help="The folder for the table.")] = RESULTS,
) -> None:
    """Train with each option changed, and measure one against three of `value`."""
    name = find(variant).name
    if unknown := set(only or ()) - set(CHANGES):
        raise typer.BadParameter(f"no run is called {', '.join(sorted(unknown))}: there are {', '.join(CHANGES)}")
    rows = []
    for change in only or CHANGES:
        out = games / name / change.replace(" ", "-")
        told = out / "against_value.json"
        if not told.exists():
            settings: dict[str, Any] = {"clone": 0.3, "curve_points": 1, "curve_blocks": 2, "final_blocks": 2}
            train(Args(**{"variant": name, "out": str(out), "decisions": decisions, **settings, **CHANGES[change]}))
            found = evaluate.run(name, f"checkpoint:{out}", "value", blocks, seed)
            runs.write_file(told, (json.dumps(found, indent=1) + "\n").encode())
        found = json.loads(told.read_text(encoding="utf-8"))
        luck = found["luck_adjusted"]
        rows.append(
            (
                change,
                *(found[key] for key in ("points_per_hand", "low", "high")),
                *(luck[key] for key in ("points_per_hand", "low", "high")),
                found["blocks"],
            )
        )
        typer.echo(f"{name}, {change}: {found['points_per_hand']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})")
    (results / name).mkdir(parents=True, exist_ok=True)
    runs.write_csv(results / name / "ablation.csv", ("run", *COLUMNS), rows)


if __name__ == "__main__":
    typer.run(compare)
