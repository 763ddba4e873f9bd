"""Commands about players: train, evaluate."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mjenv.cli.shared import Device, Json, RuleOptions, Seed, VariantName, print_json, progress_bar, read_rules


def evaluate(
    variant: VariantName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent to measure.")],
    versus: Annotated[str, typer.Option("--vs", metavar="AGENT", help="Who sits in the three other seats.")] = "greedy",
    blocks: Annotated[int, typer.Option(min=2, help="Deals, each played four times, the agent in every seat.")] = 1000,
    seed: Seed = 0,
    episode: Annotated[str, typer.Option(help="What a game is: hand, round or game.")] = "hand",
    max_hands: Annotated[int | None, typer.Option(help="Cut a game off after so many hands.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write every game to this file; .gz is compressed.")] = None,
    device: Device = "cpu",
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Points per hand of one agent against three of another, over duplicate deals, with a 95 % interval."""
    from experiments import evaluate as evaluation

    rules = read_rules(variant, rule)
    settings: dict[str, Any] = {"episode": episode, "max_hands": max_hands, "device": device, "log": log}
    with progress_bar("games", 4 * blocks) as show:
        result = evaluation.run(
            variant, agent, versus, blocks, seed, rules, progress=lambda done, total: show(done), **settings
        )
    print_json(result) if json else _print_evaluation(result)


def _print_evaluation(result: dict[str, Any]) -> None:
    typer.echo(
        f"{result['agent']} against three of {result['versus']} at {result['variant']}: "
        f"{result['points_per_hand']:+.3f} points per hand (95 %: {result['low']:+.3f} to {result['high']:+.3f})"
    )
    typer.echo(
        f"{result['blocks']} blocks, {result['hands']} hands; wins {result['win_rate']:.1%}, each rival "
        f"{result['rival_win_rate']:.1%}, drawn {result['draw_rate']:.1%}"
    )


def train(
    variant: VariantName,
    out: Annotated[Path, typer.Option(help="The folder for checkpoints, results and the plot.")],
    minutes: Annotated[float | None, typer.Option(help="Train for so long (this or --decisions).")] = None,
    decisions: Annotated[int | None, typer.Option(help="Train for so many decisions (this or --minutes).")] = None,
    seed: Seed = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")] = False,
    device: Device = "cpu",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the network on the CPU.")] = 1,
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Train a policy by self-play, then measure it against random and greedy players."""
    from experiments import train as training

    args = training.Args(
        variant=variant,
        out=str(out),
        minutes=minutes,
        decisions=decisions,
        seed=seed,
        resume=resume,
        device=device,
        threads=threads,
        rules=read_rules(variant, rule).options,
    )
    with contextlib.redirect_stdout(sys.stderr if json else sys.stdout):
        result = training.run(args)
    if json:
        print_json(result)
