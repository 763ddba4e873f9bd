"""The command line: one module for each group of commands, whatever is heavy imported when a command runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

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
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    scoring = sys.modules.get("mjenv.scoring")
    refusals = (scoring.NotAWin, scoring.BelowMinimum) if scoring else ()
    return str(error) if isinstance(error, (ValueError, *refusals)) else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0, or 2 after one line on stderr about bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # so that an agent `module:Class` may lie in the present folder
    try:
        return int(app(words, prog_name="mjenv", standalone_mode=False) or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        usage = getattr(error, "format_message", None)
        problem = usage() if usage else explain(error)
        if problem is None:
            raise
        print("mjenv: " + " ".join(problem.split()), file=sys.stderr)
        return BAD_INPUT
