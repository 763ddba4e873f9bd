"""The command line: one module for each group of commands, whatever is heavy imported when a command runs."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from mjenv.cli import bench, games, learning, look, play

BAD_INPUT = 2
EXTRA_OF = {
    **dict.fromkeys(("scipy", "choix", "matplotlib"), "stats"),
    **dict.fromkeys(("torch", "safetensors", "tensorboard"), "torch"),
}

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("variants")(look.list_variants)
app.command("hand")(look.read_hand)
app.command("score")(look.score_hand)
app.command("play")(play.play_game)
app.command("simulate")(games.simulate)
app.command("replay")(games.replay_log)
app.command("train")(learning.train)
app.command("evaluate")(learning.evaluate)
app.command("league")(learning.league)
app.command("bench")(bench.measure)
app.command("cache")(look.show_cache)


def _print_version(wanted: bool) -> None:
    if wanted:
        from mjenv import __version__

        typer.echo(f"mjenv {__version__}")
        raise typer.Exit


@app.callback()
def _describe(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Five Chinese mahjong variants for reinforcement learning."""


def explain(error: Exception) -> str | None:
    """One line about an error of the user's; None for one of ours, which deserves its traceback."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = EXTRA_OF.get(error.name.split(".")[0])
        return f"this needs {error.name}: pip install 'mjenv[{extra}]'" if extra else None
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return where + (error.strerror or str(error))
    scoring = sys.modules.get("mjenv.scoring")
    refusals = (scoring.NotAWin, scoring.BelowMinimum) if scoring else ()
    return str(error) if isinstance(error, (ValueError, *refusals)) else None


def _open_closed_streams() -> None:
    """Give the standard streams that the caller closed to nothing, so that everything else may read and write them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _end(number: int, frame: object) -> NoReturn:
    """Let a signal unwind the program, so that no half-written file stays behind."""
    raise SystemExit(128 + number)


def _run(words: list[str]) -> int:
    """Run one command; `OSError` if stdout does not take its last line."""
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # so that an agent `module:Class` may lie in the present folder
    code = int(app(words, prog_name="mjenv", standalone_mode=False) or 0)
    sys.stdout.flush()
    return code


def _give_up_output() -> None:
    """Drop what stdout does not take: the interpreter would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0, 2 after one line about bad input or a failed write, 1 on a broken pipe."""
    _open_closed_streams()
    before = signal.signal(signal.SIGTERM, _end)
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments) or ["--help"])
    except BrokenPipeError:
        _give_up_output()
        return 1
    except Exception as error:
        usage = getattr(error, "format_message", None)
        problem = usage() if usage else explain(error)
        if problem is None:
            raise
        _give_up_output()
        with contextlib.suppress(OSError):
            print("mjenv: " + " ".join(problem.split()), file=sys.stderr)
        return BAD_INPUT
    finally:
        signal.signal(signal.SIGTERM, before)
