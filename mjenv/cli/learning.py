"""Commands about players: train, evaluate, league."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

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
    read_rules,
)

USUAL, MOST = 1000, 100_000
"""Blocks of an evaluation unless said otherwise, and the most of one that stops when its interval is narrow."""

Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Processes; as many as there are cores unless said. Results do not depend on it."),
]
Episode: TypeAlias = Annotated[str, typer.Option(help="What a game is: hand, round or game.")]
MaxHands: TypeAlias = Annotated[int | None, typer.Option(help="Cut a game off after so many hands.")]


def evaluate(
    variant: VariantName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent to measure.")],
    versus: Annotated[
        str, typer.Option("--vs", metavar="AGENT", help="One opponent, or three with commas.")
    ] = "greedy",
    blocks: Annotated[
        int | None,
        typer.Option(
            min=2, help=f"Deals, each played in several seatings: {USUAL}, with --until-ci {MOST} at most, unless said."
        ),
    ] = None,
    seed: Seed = DEFAULT_SEED,
    seatings: Annotated[
        str | None, typer.Option(help="1v3 or 2v2 against one opponent; all (24 games) or balanced (4) against three.")
    ] = None,
    until_ci: Annotated[
        float | None, typer.Option(metavar="W", help="Stop when points per hand are known to ± W, looks allowed for.")
    ] = None,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for finished blocks and results; resumes what it holds.")
    ] = None,
    episode: Episode = "hand",
    max_hands: MaxHands = None,
    log: Annotated[Path | None, typer.Option(help="Write every game to this file; .gz is compressed.")] = None,
    device: Device = "cpu",
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Measure one agent against others over duplicate deals, with 95 % intervals."""
    from experiments import evaluate as evaluation

    check_device(device)
    rules = read_rules(variant, rule)
    others = [name.strip() for name in versus.split(",")]
    if len(others) not in (1, 3) or not all(others):
        raise ValueError(f"--vs {versus!r}: name one agent, or three separated by commas")
    settings: dict[str, Any] = {"seatings": seatings, "episode": episode, "max_hands": max_hands, "until_ci": until_ci}
    settings |= {"workers": workers, "device": device, "out": out, "log": log}
    with _tell_what_is_kept(out), progress_bar("games", None) as show:
        result = evaluation.run(
            variant,
            agent,
            others[0] if len(others) == 1 else others,
            blocks or (MOST if until_ci is not None else USUAL),
            seed,
            rules,
            progress=show,
            **settings,
        )
    print_json(result) if json else _print_evaluation(result)


@contextlib.contextmanager
def _tell_what_is_kept(out: Path | None) -> Iterator[None]:
    """Say after a crash, which is no bad input, that finished blocks are kept."""
    try:
        yield
    except ValueError:
        raise
    except BaseException:
        if out is not None and any(out.rglob("*.npz")):
            print(f"mjenv: finished blocks are in {out}: the same command goes on from there", file=sys.stderr)
        raise


def _print_evaluation(result: dict[str, Any]) -> None:
    from experiments.measures import label

    versus = result["versus"]
    others = versus if isinstance(versus, str) else ", ".join(versus)
    against = {"1v3": f"three of {others}", "2v2": f"two of {others}, two to a side"}.get(result["seatings"], others)
    typer.echo(
        f"{result['agent']} against {against} at {result['variant']}: "
        f"{result['points_per_hand']:+.3f} points per hand (95 %: {result['low']:+.3f} to {result['high']:+.3f})"
    )
    luck, bootstrap, ratio = result["luck_adjusted"], result["bootstrap"], result["variance_ratio"]
    change = f"{abs(luck['narrower']):.0%} {'narrower' if luck['narrower'] >= 0 else 'wider'}"
    typer.echo(
        f"bootstrap {bootstrap['low']:+.3f} to {bootstrap['high']:+.3f}; luck-adjusted {luck['points_per_hand']:+.3f} "
        f"({luck['low']:+.3f} to {luck['high']:+.3f}, {change})"
    )
    typer.echo(
        f"{result['blocks']} blocks, {result['games']} games, {result['hands']} hands"
        + (f"; one game is worth {ratio:.2f} on independent deals" if ratio else "")
    )
    if result["stopping"]:
        reached = "reached" if result["stopping"]["reached"] else "not reached"
        typer.echo(f"±{result['stopping']['until_ci']} {reached} ({result['stopping']['method']})")
        typer.echo(
            "Only the interval in the first line allows for that stop; all others hold for a fixed number of blocks."
        )
    agents = result["agents"]
    rows = [
        (label(name), *(_tell(entry[name]) for entry in agents))
        for name in agents[0]
        if name != "agent" and any(entry[name] for entry in agents)
    ]
    print_table(("", *(entry["agent"] for entry in agents)), rows)
    headers = ("", "against", "difference", "low", "high", "p (t)", "p (Wilcoxon)")
    tests = [
        (
            test["agent"],
            test["versus"],
            *(f"{test[name]:+.3f}" for name in ("difference", "low", "high")),
            *(f"{test[name]:.2g}" for name in ("p_t", "p_wilcoxon")),
        )
        for test in result["tests"]
    ]
    print_table(headers, tests)


def _tell(found: dict[str, float] | None) -> str:
    """A value and half the width of its interval."""
    return f"{found['value']:.3f} ± {(found['high'] - found['low']) / 2:.3f}" if found else "–"


def league(
    variant: VariantName,
    agents: Annotated[str, typer.Option(help="The agents, separated by commas.")],
    out: Annotated[
        Path, typer.Option(help="The folder for games and results; games that it holds are not played again.")
    ],
    blocks: Annotated[int, typer.Option(min=2, help="Deals for each pair, the same for all.")] = 1000,
    seed: Seed = DEFAULT_SEED,
    seatings: Annotated[str, typer.Option(help="How pairs meet: 2v2, or 1v3 both ways.")] = "2v2",
    logs: Annotated[bool, typer.Option("--logs", help="Keep every game as a log, compressed, in the folder.")] = False,
    workers: Workers = None,
    episode: Episode = "hand",
    max_hands: MaxHands = None,
    device: Device = "cpu",
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Every agent against every other over shared duplicate deals: cross table and ratings."""
    from experiments import league as tournament

    check_device(device)
    names = [name.strip() for name in agents.split(",")]
    settings: dict[str, Any] = {"seatings": seatings, "episode": episode, "max_hands": max_hands, "device": device}
    settings["logs"] = logs
    with _tell_what_is_kept(out), progress_bar("games", None) as show:
        result = tournament.run(
            variant, names, blocks, out, seed, read_rules(variant, rule), workers=workers, progress=show, **settings
        )
    print_json(result) if json else _print_league(result)


def _print_league(result: dict[str, Any]) -> None:
    names = [entry["agent"] for entry in result["ratings"]]
    cells = {(entry["agent"], entry["versus"]): entry for entry in result["table"]}
    rows = [
        (
            entry["agent"],
            f"{entry['rating']:+.0f} ({entry['low']:+.0f} to {entry['high']:+.0f})",
            *(_tell_cell(cells.get((entry["agent"], name))) for name in names),
        )
        for entry in result["ratings"]
    ]
    typer.echo(
        f"{result['variant']}: points per hand of the row against the column, {result['blocks']} blocks a pair "
        f"({result['seatings']}); * differs from 0 after Holm's correction"
    )
    print_table(("", "rating", *names), rows)


def _tell_cell(entry: dict[str, Any] | None) -> str:
    if entry is None:
        return ""
    star = "*" if entry["p"] < 0.05 else ""
    return f"{entry['points_per_hand']:+.3f} ± {(entry['high'] - entry['low']) / 2:.3f}{star}"


def train(
    variant: VariantName,
    out: Annotated[Path, typer.Option(help="The folder for checkpoints, results and the plot.")],
    minutes: Annotated[float | None, typer.Option(help="Train for so long (this or --decisions).")] = None,
    decisions: Annotated[int | None, typer.Option(help="Train for so many decisions (this or --minutes).")] = None,
    seed: Seed = DEFAULT_SEED,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")] = False,
    device: Device = "cpu",
    threads: Annotated[int, typer.Option(min=1, help="Threads of the network on the CPU.")] = 1,
    rule: RuleOptions = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another setting of training; may be given again."),
    ] = None,
    json: Json = False,
) -> None:
    """Train a policy: clone the best rule-based player, improve on it by self-play, measure it against all of them."""
    from experiments import train as training

    check_device(device)
    args = training.Args(
        **_read_settings(training.Args, set_ or ()),
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


GIVEN_APART = ("variant", "out", "minutes", "decisions", "seed", "resume", "device", "threads", "rules")
"""Settings of training that have an option of their own."""


def _read_settings(args: Any, given: Sequence[str]) -> dict[str, Any]:
    """Fields of the dataclass `args` from NAME=VALUE each; `ValueError` for a name or a value that it does not have."""
    usual = {field.name: field.default for field in dataclasses.fields(args) if field.name not in GIVEN_APART}
    settings: dict[str, Any] = {}
    for entry in given:
        name, equals, text = entry.partition("=")
        if not equals or name not in usual:
            raise ValueError(f"--set {entry}: use NAME=VALUE with one of {', '.join(usual)}")
        kind: Any = type(usual[name])
        try:
            settings[name] = {"True": True, "False": False}[text] if kind is bool else kind(text)
        except (KeyError, ValueError) as error:
            wanted = {bool: "True or False", int: "a whole number", float: "a number"}[kind]
            raise ValueError(f"--set {entry}: {name} must be {wanted}") from error
    return settings
