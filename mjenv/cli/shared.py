"""What several commands share: reading options, printing tables and JSON, progress bars."""

from __future__ import annotations

import ast
import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from mjenv.core.rules import Rules

VariantName: TypeAlias = Annotated[
    str, typer.Argument(metavar="VARIANT", help="yugan, fuzhou, hangzhou, hongkong or threefaan", show_default=False)
]
RuleOptions: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--rule", metavar="NAME=VALUE", help="A rules option such as min_faan=1, or preset=NAME; may be given again."
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Seed: TypeAlias = Annotated[int, typer.Option(help="The seed of all games.")]
DEFAULT_SEED = 0
"""The seed of every command that is given none, but of `play`, where a person wants other tiles each time."""
DEVICES = ("cpu", "cuda")
Device: TypeAlias = Annotated[str, typer.Option(help="Where networks run: cpu or cuda.")]


def parse_value(text: str) -> Any:
    """A number, true or false, none, a tuple such as 3,3,3, or the text itself."""
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def read_rules(variant: str, given: Sequence[str] | None) -> Rules:
    """The rules that `--rule` options ask for; `preset=NAME` chooses a preset."""
    from mjenv.variants import find, make_rules

    find(variant)
    options: dict[str, Any] = {}
    for entry in given or ():
        name, equals, value = entry.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--rule {entry!r}: write NAME=VALUE")
        if name in options:
            raise ValueError(f"--rule {name} is given twice")
        options[name] = parse_value(value)
    return make_rules(variant, options.pop("preset", None), options)


def read_agents(text: str, seats: int) -> list[str]:
    """Agent names, one for all seats or one for each, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if len(names) == 1:
        names *= seats
    if len(names) != seats or not all(names):
        raise ValueError(f"--agents {text!r}: name one agent, or {seats} separated by commas")
    return names


def check_device(device: str) -> None:
    """`ValueError` for a device that networks cannot run on."""
    if device not in DEVICES:
        raise ValueError(f"--device {device!r}: use {' or '.join(DEVICES)}")
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise ValueError("--device 'cuda': torch sees no GPU here, so use cpu")


def print_json(value: Any) -> None:
    """One object on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def print_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Rows under headers, numbers to the right: a drawn table in a terminal, plain columns elsewhere."""
    texts = [[str(cell) for cell in row] for row in rows]
    is_number = [all(_looks_like_number(row[place]) for row in texts) for place in range(len(headers))]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(header_style="bold")
        for header, right in zip(headers, is_number, strict=True):
            table.add_column(header, justify="right" if right else "left")
        for row in texts:
            table.add_row(*row)
        Console().print(table)
        return
    widths = [max(map(len, column)) for column in zip(headers, *texts, strict=True)]
    for row in [list(headers), *texts]:
        cells = zip(row, widths, is_number, strict=True)
        line = "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells)
        typer.echo(line.rstrip())


def _looks_like_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "").replace("x", "").lstrip("+-").isdigit()


@contextlib.contextmanager
def progress_bar(label: str, total: float | None) -> Iterator[Callable[..., None]]:
    """A bar on stderr while the body runs, told how much is done and, if it was not known before, how much there is.

    Nothing where stderr is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda done, total=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done, total=None: progress.update(task, completed=done, total=total)
