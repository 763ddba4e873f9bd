"""How fast mjenv is beside what one would use instead: the same decisions, one core, one run.

    python -m experiments.compare_speed --prepare DIR        # one virtual environment a library, then everything
    python -m experiments.compare_speed --with riichienv=DIR/riichienv/bin/python

Every library runs in an interpreter of its own (`experiments/speed/worker.py`), which stays on one core and waits while
another one is measured. The rows take turns, so that what else the machine does hits all of them alike.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.files import replace_file
from experiments.speed.machine import describe_machine
from experiments.speed.report import Row, draw_rates, measure_agreement, write_page

HERE = Path(__file__).parent
PINS = {
    "riichienv": ("riichienv==0.4.11",),
    "pymahjong": ("pymahjong==1.1.2", "numpy==2.4.6"),
    "rlcard": ("rlcard==1.2.0", "numpy==2.4.6"),
    "mahjax": ("mahjax==0.1.6", "jax==0.10.2", "numpy==2.4.6"),
    "mahjong": ("mahjong==2.1.0",),
}
"""Library -> what `--prepare` installs for it."""

SETTINGS = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    "JAX_PLATFORMS": "cpu",
}
PATIENCE = 900.0
"""Seconds after which a library that does not answer is given up: MahJax compiles for minutes."""
WARM_UP = 0.2
HAND_SHARE = 0.3
"""Hand arithmetic is steadier than games and has more rows: its measurements last so much of the others' time."""


class Failure(Exception):
    """A library that cannot be installed, started or measured, in one line."""


def prepare(folder: Path, show: Callable[[str], None]) -> tuple[dict[str, str], dict[str, str]]:
    """Library -> interpreter of a virtual environment with the pinned versions; and library -> why there is none."""
    pythons, failed = {}, {}
    for name, pins in PINS.items():
        show(f"installing {', '.join(pins)}")
        python = folder / name / "bin" / "python"
        try:
            if not python.exists():
                _run(sys.executable, "-m", "venv", str(folder / name))
            _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins)
        except Failure as failure:
            failed[name] = f"cannot be installed: {failure}"
        else:
            pythons[name] = str(python)
    return pythons, failed


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(_pick_line(done.stderr or done.stdout))


def _pick_line(text: str) -> str:
    """The last line, or the last error if lines are marked as such."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return ([line for line in lines if line.startswith("ERROR")] or lines or ["no message"])[-1]


class Worker:
    """A library in its own interpreter; `about` is what it has to offer, as `worker.describe` says."""

    def __init__(self, name: str, python: str, settings: Mapping[str, str]) -> None:
        """Start it; `Failure` if it does not."""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        try:
            self._process = subprocess.Popen(
                [python, str(HERE / "speed" / "worker.py"), f"{name}_rows"],
                env={**environment, **SETTINGS, **settings},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                text=True,
            )
        except OSError as error:
            self._stderr.close()
            raise Failure(f"cannot be started: {python}: {error.strerror}") from error
        self.about = self._read()

    def measure(self, key: str, seconds: float) -> dict[str, Any]:
        """Counts and times of one row, or its `error`; `Failure` if the process has ended."""
        assert self._process.stdin is not None
        try:
            print(json.dumps({"key": key, "seconds": seconds}), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise Failure(self._explain()) from None
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        timer = threading.Timer(PATIENCE, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if not line:
            raise Failure(self._explain())
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _explain(self) -> str:
        code = self._process.wait()
        self._stderr.seek(0)
        return f"stopped with exit code {code}: {_pick_line(self._stderr.read().decode(errors='replace'))}"

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._stderr.close()


def compare(
    workers: Mapping[str, Worker], repeats: int, seconds: float, show: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Warm every row up once, then measure each `repeats` times in turn; one summary a row."""
    rows = [row for name, worker in workers.items() for row in list_rows(name, worker.about)]
    for number in range(repeats + 1):
        show(f"repeat {number} of {repeats}" if number else "warming up: MahJax compiles for minutes")
        for row in rows:
            if not row.error:
                length = seconds * (HAND_SHARE if row.key.startswith("hands/") else 1.0) if number else WARM_UP
                measure_row(row, workers[row.library], length, counts=number > 0)
    return [row.summarise() for row in rows]


def list_rows(library: str, about: Mapping[str, Any]) -> list[Row]:
    """The rows that a worker offers."""
    games = [Row(library, f"games/{label}", includes) for label, includes in about["games"].items()]
    return games + [Row(library, key, about["hands"][key.split("/")[1]]) for key in about["answers"]]


def measure_row(row: Row, worker: Worker, seconds: float, *, counts: bool) -> None:
    """One more sample of a row, or why there is none; the first one does not count."""
    try:
        reply = worker.measure(row.key, seconds)
    except Failure as failure:
        reply = {"error": str(failure)}
    if "error" in reply:
        row.error = reply["error"]
    elif counts:
        row.samples.append(reply)
    else:
        row.warm_up = reply["wall"]


def run(
    pythons: Mapping[str, str],
    failed: Mapping[str, str],
    repeats: int,
    seconds: float,
    settings: Mapping[str, str],
    show: Callable[[str], None],
) -> dict[str, Any]:
    """Measure mjenv and the libraries of these interpreters; the whole report, with what `failed` before and since.

    Raises `Failure` if mjenv itself does not start.
    """
    failed, workers = dict(failed), {}
    before = os.getloadavg()[0]
    try:
        for name, python in {"mjenv": sys.executable, **pythons}.items():
            show(f"starting {name}")
            own = {"PYTHONPATH": str(HERE.parent)} if name == "mjenv" else {}
            try:
                workers[name] = Worker(name, python, {**settings, **own})
            except Failure as failure:
                if name == "mjenv":
                    raise
                failed[name] = str(failure)
        rows = compare(workers, repeats, seconds, show)
    finally:
        for worker in workers.values():
            worker.close()
    abouts = {name: worker.about for name, worker in workers.items()}
    return {
        "date": datetime.date.today().isoformat(),
        "machine": {**describe_machine(), "load_before": before, "load_after": os.getloadavg()[0]},
        "repeats": repeats,
        "seconds": seconds,
        "libraries": {
            name: {key: about[key] for key in ("language", "python", "versions")} for name, about in abouts.items()
        },
        "failed": failed,
        "rows": rows,
        "agreement": measure_agreement({name: about["answers"] for name, about in abouts.items()}),
    }


def write_results(folder: Path, report: Mapping[str, Any]) -> None:
    """`speed.json`, `speed.md` and, with Matplotlib, `speed.png`."""
    replace_file(folder / "speed.json", (json.dumps(report, indent=1) + "\n").encode())
    replace_file(folder / "speed.md", write_page(report).encode())
    picture = draw_rates(report)
    if picture is not None:
        replace_file(folder / "speed.png", picture)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="mjenv beside other libraries, on one core.")
    parser.add_argument("--prepare", type=Path, metavar="DIR", help="install every library there, then measure")
    parser.add_argument("--with", action="append", default=[], dest="given", metavar="LIBRARY=PYTHON")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "speed", metavar="DIR")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one measurement")
    args = parser.parse_args(arguments)
    given = dict(entry.partition("=")[::2] for entry in args.given)
    for name in given.keys() - PINS.keys():
        parser.error(f"unknown library {name!r}: use {', '.join(PINS)}")
    for name in [name for name, python in given.items() if not python]:
        parser.error(f"--with {name} names no interpreter: use {name}=PYTHON")
    if args.repeats < 1 or not 0 < args.seconds < float("inf"):
        parser.error("--repeats must be at least 1 and --seconds above 0")

    def show(text: str) -> None:
        print(f"compare_speed: {text}", file=sys.stderr)

    pythons: dict[str, str] = {}
    failed = {name: "not asked for" for name in PINS}
    settings: dict[str, str] = {}
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out {args.out}: {error.strerror}")
    if args.prepare:
        pythons, failed = prepare(args.prepare.resolve(), show)
        settings["JAX_COMPILATION_CACHE_DIR"] = str(args.prepare.resolve() / "jax-cache")
    pythons.update(given)
    failed = {name: reason for name, reason in failed.items() if name not in pythons}
    try:
        report = run(pythons, failed, args.repeats, args.seconds, settings, show)
    except Failure as failure:
        parser.exit(1, f"compare_speed: mjenv {failure}\n")
    write_results(args.out, report)
    show(f"wrote {args.out / 'speed.md'}")


if __name__ == "__main__":
    main()
