"""What `mjenv bench` measures: every interface of every variant, hand arithmetic, threads, start-up and memory.

All rows of a run take turns, so that a noisy minute hits them alike; the first turn warms up and does not count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

import mjenv
from experiments.speed.machine import describe_machine
from experiments.speed.plays import HAND_KINDS, Play, deal_hands, play_aec, play_agent, play_batch, play_one
from experiments.speed.worker import answer, measure
from mjenv import hands
from mjenv.core.batch import SHOWN
from mjenv.core.shapes import FORM_NAMES
from mjenv.core.table import TABLE
from mjenv.jit import kernel

MANY_GAMES = 4096
HANDS = 50_000
START = "import mjenv; env = mjenv.raw_env({variant!r}); env.reset(seed=0)"
CEILING_ROUNDS = 4_000_000


class Row(NamedTuple):
    """Something to measure: where it stands in the report, and a function that begins it."""

    part: str
    name: str
    label: str
    begin: Callable[[], Play]


def list_rows(variants: Sequence[str], games: int) -> list[Row]:
    """Every row of a run: `part` is a variant, `hands` or `machine`."""
    rows = []
    for variant in variants:
        batch = partial(play_batch, variant)
        many = max(MANY_GAMES, games)
        rows += [
            Row(variant, "batch", f"batch of {games}", partial(batch, games)),
            Row(variant, "batch_mask", f"batch of {games}, mask only", partial(batch, games, "none")),
            Row(variant, "batch_features", f"batch of {games}, features", partial(batch, games, "features")),
            Row(variant, "batch_many", f"batch of {many}", partial(batch, many)),
            Row(variant, "batch_many_2_threads", f"batch of {many}, 2 threads", partial(batch, many, threads=2)),
            Row(variant, "one_game", "batch of 1", partial(play_one, variant)),
            Row(variant, "aec_raw", "raw_env()", partial(_play_aec, mjenv.raw_env, variant)),
            Row(variant, "aec_wrapped", "env()", partial(_play_aec, mjenv.env, variant)),
            Row(variant, "greedy", f"batch of {games}, greedy", partial(play_agent, variant, "greedy", games)),
        ]
    return rows + _list_hands() + _list_ceilings()


def _play_aec(maker: Callable[[str], Any], variant: str) -> Play:
    return play_aec(maker(variant))


HAND_CALLS: Mapping[str, Callable[..., Any]] = {
    "is_win": hands.is_win,
    "shanten": partial(hands.shanten, forms=("standard", "seven_pairs")),
    "shanten_standard": hands.shanten,
    "shanten_all_forms": partial(hands.shanten, forms=FORM_NAMES),
    "waits": hands.waits,
}


def _list_hands() -> list[Row]:
    rows = []
    for kind in HAND_KINDS:
        counts, wilds = deal_hands(kind, HANDS)
        fewer = counts.copy()
        fewer[np.arange(HANDS), counts.argmax(axis=1)] -= 1
        for name, function in HAND_CALLS.items():
            given = fewer if name == "waits" else counts
            call = partial(_ask, function, wilds)
            rows.append(Row("hands", f"{name}/{kind}", f"{name}, {kind}", partial(answer, call, given, HANDS)))
    return rows


def _ask(function: Callable[..., Any], wilds: Any, counts: Any) -> None:
    function(counts, wilds)


@kernel
def spin(rounds: int) -> int:
    """Arithmetic in registers alone (xorshift), to see what a second thread can give on this machine."""
    word = 88172645463325252
    for _ in range(rounds):
        word ^= word << 13 & 0xFFFFFFFFFFFFFFF
        word ^= word >> 7
        word ^= word << 17 & 0xFFFFFFFFFFFFFFF
    return word


def _spin_on(threads: int) -> Play:
    with ThreadPoolExecutor(threads) as pool:
        while True:
            list(pool.map(spin, [CEILING_ROUNDS] * threads))
            yield threads * CEILING_ROUNDS, 0


def _list_ceilings() -> list[Row]:
    return [
        Row("machine", "arithmetic", "1 thread", partial(_spin_on, 1)),
        Row("machine", "arithmetic_2_threads", "2 threads", partial(_spin_on, 2)),
    ]


def run(
    variants: Sequence[str],
    *,
    games: int = 1024,
    repeats: int = 5,
    seconds: float = 0.5,
    start: bool = True,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Measure everything; per row the median, lowest and highest rate per second of wall time, and the median per
    CPU-second. `show` is told how many measurements are done, of how many."""
    rows = list_rows(variants, games)
    total = len(rows) * (repeats + 1) + (1 + repeats) * start
    report: dict[str, Any] = {
        "machine": {**describe_machine(), **{name: version(name) for name in ("mjenv", "numpy", "numba")}},
        "games": games,
        "repeats": repeats,
        "seconds": seconds,
        "bytes_per_game": {"table": TABLE.itemsize, "row": SHOWN.itemsize, "together": TABLE.itemsize + SHOWN.itemsize},
    }
    done = 0
    if start:
        report["start"], done = measure_starts(variants[0], repeats, lambda count: show(count, total)), 1 + repeats
    begun = done
    samples = take_turns([row.begin() for row in rows], repeats, seconds, lambda count: show(begun + count, total))
    for row, taken in zip(rows, samples, strict=True):
        report.setdefault(row.part, {})[row.name] = {"label": row.label, **summarise(taken)}
    _compare_threads(report, variants)
    report["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return report


def take_turns(
    plays: Sequence[Play], repeats: int, seconds: float, show: Callable[[int], None] = lambda done: None
) -> list[list[dict[str, float]]]:
    """Measure all plays in turn, `repeats` times after a short first time that does not count: samples of each."""
    samples: list[list[dict[str, float]]] = [[] for _ in plays]
    for turn in range(repeats + 1):
        for place, play in enumerate(plays):
            sample = measure(play, seconds if turn else min(seconds, 0.2))
            if turn:
                samples[place].append(sample)
            show(turn * len(plays) + place + 1)
    return samples


def summarise(samples: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Median, lowest and highest rate per wall second, and the median rate per CPU-second."""
    wall = [sample["decisions"] / sample["wall"] for sample in samples]
    cpu = [sample["decisions"] / max(sample["cpu"], 1e-9) for sample in samples]
    return {
        "per_second": statistics.median(wall),
        "low": min(wall),
        "high": max(wall),
        "per_cpu_second": statistics.median(cpu),
    }


def _compare_threads(report: dict[str, Any], variants: Sequence[str]) -> None:
    """How much a second thread gives: to pure arithmetic, and to the large batch of each variant."""
    machine = report["machine"]
    machine["two_thread_ceiling"] = machine["arithmetic_2_threads"]["per_second"] / machine["arithmetic"]["per_second"]
    for variant in variants:
        found = report[variant]
        found["two_thread_ratio"] = found["batch_many_2_threads"]["per_second"] / found["batch_many"]["per_second"]


def measure_starts(variant: str, repeats: int, show: Callable[[int], None]) -> dict[str, float]:
    """Seconds from a new process to the first decision: once with an empty cache, then the median with a full one."""
    with tempfile.TemporaryDirectory(prefix="mjenv-bench-") as folder:
        cold = _time_start(variant, folder)
        show(1)
        warm = []
        for number in range(repeats):
            warm.append(_time_start(variant, folder))
            show(2 + number)
    return {"cold": cold, "warm": statistics.median(warm)}


def _time_start(variant: str, cache: str) -> float:
    environment = {**os.environ, "MJENV_CACHE_DIR": cache}
    command = [sys.executable, "-c", START.format(variant=variant)]
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin
