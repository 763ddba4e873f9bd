"""How decisions per second grow with the number of games and threads: a table of numbers and a picture.

python -m experiments.scaling --out experiments/results/speed
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agents.files import replace_file
from experiments.speed.bench import summarise, take_turns
from experiments.speed.machine import describe_machine
from experiments.speed.plays import play_batch
from mjenv.variants import BY_NAME

GAMES = (1, 16, 256, 1024, 4096, 16384)
THREADS = (1, 2)


def run(
    variants: Sequence[str],
    games: Sequence[int] = GAMES,
    threads: Sequence[int] = THREADS,
    *,
    repeats: int = 5,
    seconds: float = 0.5,
    show: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Random play with mask and planes; all sizes take turns, the first turn warms up."""
    report: dict[str, Any] = {"machine": describe_machine(), "repeats": repeats, "seconds": seconds, "rows": []}
    for variant in variants:
        show(variant)
        sizes = [(count, number) for count in games for number in threads]
        plays = [play_batch(variant, count, threads=number) for count, number in sizes]
        samples = take_turns(plays, repeats, seconds)
        for (count, number), taken in zip(sizes, samples, strict=True):
            report["rows"].append({"variant": variant, "games": count, "threads": number, **summarise(taken)})
    return report


def draw(report: Mapping[str, Any]) -> bytes:
    """A PNG: decisions per second over the number of games, a colour a variant, dashed for two threads."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="games in the batch", ylabel="million decisions per second")
    variants = list(dict.fromkeys(row["variant"] for row in report["rows"]))
    for place, variant in enumerate(variants):
        for threads in sorted({row["threads"] for row in report["rows"]}):
            rows = [row for row in report["rows"] if (row["variant"], row["threads"]) == (variant, threads)]
            games = [row["games"] for row in rows]
            rates, low, high = ([row[name] / 1e6 for row in rows] for name in ("per_second", "low", "high"))
            style = partial(axes.plot, color=f"C{place}", linestyle="-" if threads == 1 else "--", marker="o")
            style(games, rates, label=f"{variant}, {threads} thread{'s' if threads > 1 else ''}")
            axes.fill_between(games, low, high, color=f"C{place}", alpha=0.08)
    axes.set_xticks([row for row in GAMES], [str(row) for row in GAMES])
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    return picture.getvalue()


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write `scaling.json` and `scaling.png`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for scaling.json and scaling.png")
    parser.add_argument("--variant", action="append", choices=list(BY_NAME), help="only this one; may be given again")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of which the median counts")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of one measurement")
    given = parser.parse_args(words)
    given.out.mkdir(parents=True, exist_ok=True)
    report = run(given.variant or list(BY_NAME), repeats=given.repeats, seconds=given.seconds)
    replace_file(given.out / "scaling.json", (json.dumps(report, indent=1) + "\n").encode())
    replace_file(given.out / "scaling.png", draw(report))


if __name__ == "__main__":
    main()
