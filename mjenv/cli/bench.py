"""The command that measures speed, start-up and memory."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from mjenv.cli.shared import Json, print_json, print_table, progress_bar


def measure(
    variant: Annotated[list[str] | None, typer.Option(help="Only this variant; may be given again.")] = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games in the batch.")] = 1024,
    repeats: Annotated[int, typer.Option(min=1, help="Measurements of which the median counts.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="Length of one measurement.")] = 0.5,
    start: Annotated[bool, typer.Option(help="Measure cold and warm starts (compiles the engine anew).")] = True,
    breakdown: Annotated[bool, typer.Option("--breakdown", help="Say where the time of a decision goes.")] = False,
    json: Json = False,
) -> None:
    """Decisions per second by every interface under random play, hands per second, start-up and memory.

    One thread unless said otherwise. Choosing the random action is part of the time. All variants take about four
    minutes, a breakdown one.
    """
    from mjenv.variants import BY_NAME, find

    names = [find(name).name for name in variant or BY_NAME]
    if breakdown:
        from experiments.speed import breakdown as parts

        found = parts.run(names, games)
        print_json(found) if json else _print_breakdown(found)
        return
    from experiments.speed import bench

    if start:
        print("mjenv: measuring a cold start: the engine is compiled anew, which takes a minute", file=sys.stderr)
    with progress_bar("measurements", None) as show:
        report = bench.run(names, games=games, repeats=repeats, seconds=seconds, start=start, show=show)
    print_json(report) if json else _print_report(report, names)


def _print_breakdown(found: dict[str, Any]) -> None:
    for variant, one in found.items():
        typer.echo(f"{variant}: {one['nanoseconds']:.0f} ns a decision, mask and planes included")
        rows = [
            (name, f"{part['calls']:.3f}", f"{part['nanoseconds']:.0f}", f"{part['share']:.1%}")
            for name, part in one["parts"].items()
        ]
        print_table(("part", "calls a decision", "ns a call", "share"), rows)


def _print_report(report: dict[str, Any], variants: list[str]) -> None:
    machine, memory = report["machine"], report["bytes_per_game"]
    typer.echo(
        f"{machine['processor']}, {machine['cores']} cores; Python {machine['python']}, Numba {machine['numba']}"
    )
    typer.echo(f"a game takes {memory['table']:,} bytes, the row that shows it {memory['row']:,}")
    if "start" in report:
        start = report["start"]
        typer.echo(
            f"first decision of a new process: {start['cold']:.1f} s cold (compiles), {start['warm']:.2f} s warm"
        )
    typer.echo("Thousands per second: median of wall time (lowest-highest), and per CPU-second")
    rows = [
        (part, entry["label"], *_read_rates(entry)) for part in (*variants, "hands") for entry in _rates(report[part])
    ]
    print_table(("", "what", "median", "lowest", "highest", "per CPU-second"), rows)
    typer.echo(
        f"a second thread multiplies pure arithmetic by {machine['two_thread_ceiling']:.2f}, the large batch by "
        + ", ".join(f"{report[name]['two_thread_ratio']:.2f} ({name})" for name in variants)
    )


def _rates(part: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in part.values() if isinstance(entry, dict)]


def _read_rates(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{entry[name] / 1e3:,.0f}" for name in ("per_second", "low", "high", "per_cpu_second"))
