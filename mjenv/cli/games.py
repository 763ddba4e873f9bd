"""Commands that play whole games without a person: simulate, replay."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mjenv.cli.shared import (
    DEFAULT_SEED,
    Device,
    Json,
    RuleOptions,
    Seed,
    VariantName,
    check_device,
    print_json,
    print_table,
    progress_bar,
    read_agents,
    read_rules,
)


def simulate(
    variant: VariantName,
    agents: Annotated[str, typer.Option(help="One agent for all seats, or four separated by commas.")] = "random",
    games: Annotated[int, typer.Option(min=1, help="How many games: the first ones of the seed.")] = 100,
    seed: Seed = DEFAULT_SEED,
    episode: Annotated[str, typer.Option(help="What a game is: hand, round or game.")] = "hand",
    max_hands: Annotated[int | None, typer.Option(help="Cut a game off after so many hands.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write every game to this file; .gz is compressed.")] = None,
    device: Device = "cpu",
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Let four agents play games against each other."""
    from agents.arena import play_games

    check_device(device)
    rules = read_rules(variant, rule)
    names = read_agents(agents, 4)
    settings: dict[str, Any] = {"seed": seed, "rules": rules, "episode": episode, "max_hands": max_hands}
    with contextlib.ExitStack() as stack:
        settings["progress"] = stack.enter_context(progress_bar("games", games))
        if log is not None:
            from mjenv.log import LogWriter

            settings["log"] = stack.enter_context(LogWriter(log)).add
        begin = time.perf_counter()
        results = play_games(variant, names, games, device=device, **settings)
        seconds = time.perf_counter() - begin
    summary = {"variant": variant, "agents": names, "games": games, "seed": seed, "episode": episode}
    summary |= _summarise(results, seconds)
    print_json(summary) if json else _print_summary(summary)


def _summarise(results: Any, seconds: float) -> dict[str, Any]:
    from mjenv.core.table import SOURCES

    hands, decisions = int(results.hands.sum()), int(results.decisions.sum())
    points = results.points.sum(axis=0)
    by_source = results.wins.sum(axis=(0, 1)).tolist()
    return {
        "hands": hands,
        "draws": int(results.draws.sum()),
        "points": points.tolist(),
        "points_per_hand": [float(total) / hands for total in points],
        "wins": results.wins.sum(axis=(0, 2)).tolist(),
        "wins_by_source": {name: count for name, count in zip(SOURCES, by_source, strict=True) if count},
        "decisions": decisions,
        "seconds": seconds,
        "decisions_per_second": decisions / seconds,
    }


def _print_summary(summary: dict[str, Any]) -> None:
    rows = [
        (seat, summary["agents"][seat], summary["points"][seat], f"{per_hand:+.3f}", summary["wins"][seat])
        for seat, per_hand in enumerate(summary["points_per_hand"])
    ]
    print_table(("seat", "agent", "points", "per hand", "wins"), rows)
    sources = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in summary["wins_by_source"].items())
    typer.echo(f"{summary['hands']} hands, {summary['draws']} drawn; wins by {sources or 'nobody'}")
    speed = f"{summary['decisions_per_second']:,.0f}/s"
    typer.echo(f"{summary['decisions']:,} decisions in {summary['seconds']:.2f} s ({speed}), agents included")


def replay_log(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A log of simulate, evaluate or an environment.")],
    json: Json = False,
) -> None:
    """Play a log back through the engine and compare every line."""
    from dataclasses import asdict

    from mjenv.replay import replay

    done = replay(file)
    if json:
        print_json({"file": str(file), "agrees": True, **asdict(done)})
        return
    typer.echo(
        f"{file} agrees with the engine: {done.games} games of {', '.join(done.variants)}, {done.hands} hands "
        f"({done.wins} won, {done.draws} drawn), {done.decisions} decisions, {done.lines} lines"
    )
