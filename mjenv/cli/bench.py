"""The command that measures: decisions per second of every environment, and how long a start takes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mjenv.cli.shared import Json, print_json, print_table, progress_bar

if TYPE_CHECKING:
    from mjenv.core.layout import Array

START = "import mjenv; env = mjenv.raw_env({variant!r}); env.reset(seed=0)"
SEED = 0


def measure(
    variant: Annotated[list[str] | None, typer.Option(help="Only this variant; may be given again.")] = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games in the batch.")] = 1024,
    repeats: Annotated[int, typer.Option(min=1, help="Measurements of which the median counts.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="Length of one measurement.")] = 1.0,
    start: Annotated[bool, typer.Option(help="Measure cold and warm starts (compiles the engine anew).")] = True,
    json: Json = False,
) -> None:
    """Decisions per second of every environment under random play, on one thread, and the start of the engine.

    The choice of the random action is left out of the environments' time, and included in the column "all in".
    """
    from mjenv.variants import BY_NAME, find

    names = [find(name).name for name in variant or BY_NAME]
    report: dict[str, Any] = {"machine": describe_machine(), "games": games, "repeats": repeats, "seconds": seconds}
    with progress_bar("measurements", 3 * len(names) + (1 + repeats) * start) as show:
        steps = iter(range(1, 1000))
        if start:
            print("mjenv: measuring a cold start: the engine is compiled anew, which takes minutes", file=sys.stderr)
            report["start"] = measure_starts(names[0], repeats, lambda: show(next(steps)))
        report["variants"] = {}
        for name in names:
            found: dict[str, Any] = {}
            for label, maker in (("aec_raw", _play_raw), ("aec_wrapped", _play_wrapped), ("batch", _play_batch)):
                found[label] = _take_median(maker(name, games), repeats, seconds)
                show(next(steps))
            report["variants"][name] = found
    print_json(report) if json else _print_report(report)


def describe_machine() -> dict[str, Any]:
    """What the numbers depend on."""
    import os
    import platform
    from importlib.metadata import version

    return {
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def _processor_name() -> str:
    import platform

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def measure_starts(variant: str, repeats: int, show: Callable[[], None]) -> dict[str, float]:
    """Seconds from a new process to the first decision: once with an empty cache, then the median with a full one."""
    with tempfile.TemporaryDirectory(prefix="mjenv-bench-") as folder:
        cold = _time_start(variant, folder)
        show()
        warm = []
        for _ in range(repeats):
            warm.append(_time_start(variant, folder))
            show()
    return {"cold": cold, "warm": statistics.median(warm)}


def _time_start(variant: str, cache: str) -> float:
    import os

    environment = {**os.environ, "MJENV_CACHE_DIR": cache}
    command = [sys.executable, "-c", START.format(variant=variant)]
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


Counted = tuple[int, float]
"""Decisions taken, and the seconds that the environment took for them."""


def _take_median(steps: Iterator[Counted], repeats: int, seconds: float) -> dict[str, float]:
    """Median decisions per second, of the environment alone and all in, after a first run that does not count."""
    alone, all_in = [], []
    for number in range(repeats + 1):
        decisions, spent, begin = 0, 0.0, time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < (seconds if number else min(seconds, 0.2)):
            count, took = next(steps)
            decisions += count
            spent += took
        if number:
            alone.append(decisions / spent)
            all_in.append(decisions / elapsed)
    return {"per_second": statistics.median(alone), "per_second_all_in": statistics.median(all_in)}


def _play_batch(variant: str, games: int) -> Iterator[Counted]:
    """Steps of a batch, mask and planes included."""
    import numpy as np

    import mjenv
    from agents.keys import mix, pick_uniform

    env = mjenv.vector(variant, games, seed=SEED)
    keys: Array = mix(np.arange(games))
    while True:
        actions = pick_uniform(env.action_mask, keys)
        keys = mix(keys)
        begin = time.perf_counter()
        env.step(actions)
        yield games, time.perf_counter() - begin


def _play_raw(variant: str, games: int) -> Iterator[Counted]:
    """Decisions of the bare AEC environment: `last` and `step`, resets included."""
    import mjenv

    return _play_aec(mjenv.raw_env(variant))


def _play_wrapped(variant: str, games: int) -> Iterator[Counted]:
    """The same of the environment in PettingZoo's wrappers."""
    import mjenv

    return _play_aec(mjenv.env(variant))


def _play_aec(env: Any) -> Iterator[Counted]:
    import numpy as np

    rng = np.random.default_rng(SEED)
    spent, clock = 0.0, time.perf_counter
    begin = clock()
    env.reset(seed=SEED)
    while True:
        observation, _, terminated, truncated, _ = env.last()
        spent += clock() - begin
        action = None
        if terminated or truncated:
            begin = clock()
            env.reset()
            continue
        legal = observation["action_mask"].nonzero()[0]
        action = int(legal[int(rng.random() * len(legal))])
        begin = clock()
        env.step(action)
        spent += clock() - begin
        yield 1, spent
        spent, begin = 0.0, clock()


def _print_report(report: dict[str, Any]) -> None:
    machine = report["machine"]
    typer.echo(
        f"{machine['processor']}, {machine['cores']} cores; Python {machine['python']}, Numba {machine['numba']}"
    )
    if "start" in report:
        start = report["start"]
        typer.echo(
            f"first decision of a new process: {start['cold']:.1f} s cold (compiles), {start['warm']:.2f} s warm"
        )
    rows = [
        (name, *(f"{found[label][which]:,.0f}" for label in _LABELS for which in ("per_second", "per_second_all_in")))
        for name, found in report["variants"].items()
    ]
    headers = ("decisions/s", "AEC raw", "all in", "AEC wrapped", "all in", f"batch of {report['games']}", "all in")
    print_table(headers, rows)


_LABELS = ("aec_raw", "aec_wrapped", "batch")
