"""Where the time of a step goes: each part of it alone, over and over on tables taken from random play.

`calls` is how often a decision needs a part (`calls.py` counts), `nanoseconds` what it takes once. The observation is
the difference to a batch that writes none, memory the difference of such a batch to one of few games. "the rest" is
what no part explains: discards and draws, events, scores, the way from Python and back, and what a part costs more
between others than alone, where the processor has learned its branches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.keys import mix, pick_into
from agents.protocol import Array
from experiments.speed.plays import play_batch, step_batch
from mjenv.core import hooks
from mjenv.core.batch import SHOWN
from mjenv.core.claims import open_window
from mjenv.core.layout import Record
from mjenv.core.legal import write_mask
from mjenv.core.play import begin_hand
from mjenv.core.table import OUTLOOK_FAR, PHASE_CLAIM
from mjenv.core.winning import find_outlook, is_hand_complete
from mjenv.jit import jit, kernel

PARTS = {
    "deal": "begin_hand",
    "claims": "open_window",
    "outlook": "find_outlook",
    "win check": "is_hand_complete",
    "scoring": "worth",
    "mask": "write_mask",
}
"""Part -> the function that does it. `outlook` finds whether one tile more can complete a hand at all."""
DEAL, CLAIMS, OUTLOOK, WIN_CHECK, SCORING, MASK = range(len(PARTS))
FEW_GAMES = 256
REPEATS, CALLS = 7, 200_000
WARM_STEPS = 300


@jit
def _do_part(part: int, rules: Record, table: Record, shown: Record, lut: Any) -> None:
    seat = int(table["turn"]) & 3
    if part == DEAL:
        begin_hand(rules, table)
    elif part == CLAIMS:
        for other in range(4):
            table["outlook"][other] = OUTLOOK_FAR
        table["tile"] = max(0, int(table["last_discard"]))
        open_window(rules, table, PHASE_CLAIM, lut)
    elif part == OUTLOOK:
        find_outlook(rules, table, seat, lut)
    elif part == WIN_CHECK:
        table["kept_hu"] = int(is_hand_complete(rules, table, seat, lut))
    elif part == SCORING:
        hooks.worth(rules, table["win"], lut)
    else:
        write_mask(rules, table, shown["mask"], shown["mask_words"])


@kernel
def repeat_part(part: int, times: int, rules: Array, tables: Array, rows: Array, lut: Array) -> None:
    """Do one part `times` times on each of `tables` (`TABLE` [N]), which it changes; `rows`: `SHOWN` [N]."""
    for _ in range(times):
        for number in range(len(tables)):
            _do_part(part, rules[0], tables[number], rows[number], lut[0])


def run(variants: Sequence[str], games: int = 1024) -> dict[str, Any]:
    """Variant -> `nanoseconds` of a decision with mask and planes, and `parts`: part -> calls, nanoseconds, share."""
    calls = _count_calls(variants)
    return {variant: _break_down(variant, games, calls[variant]) for variant in variants}


def _count_calls(variants: Sequence[str]) -> dict[str, dict[str, float]]:
    command = [sys.executable, "-m", "experiments.speed.calls", *variants]
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    counted: dict[str, dict[str, float]] = json.loads(done.stdout)
    return counted


def _break_down(variant: str, games: int, calls: dict[str, float]) -> dict[str, Any]:
    whole, bare = _time_decision(variant, games, "planes"), _time_decision(variant, games, "none")
    env = _play_on(variant)
    parts = {
        "choice of the action": {"calls": 1.0, "nanoseconds": _time_choice(env)},
        "observation": {"calls": 1.0, "nanoseconds": whole - bare},
    }
    for part, (name, function) in enumerate(PARTS.items()):
        parts[name] = {"calls": calls[function], "nanoseconds": _time_part(part, env)}
    parts["memory"] = {"calls": 1.0, "nanoseconds": max(0.0, bare - _time_decision(variant, FEW_GAMES, "none"))}
    known = sum(entry["calls"] * entry["nanoseconds"] for entry in parts.values())
    parts["the rest"] = {"calls": 1.0, "nanoseconds": whole - known}
    for entry in parts.values():
        entry["share"] = entry["calls"] * entry["nanoseconds"] / whole
    return {"nanoseconds": whole, "parts": parts}


def _play_on(variant: str) -> Any:
    """A batch in the middle of its hands, each of which has been won once: scoring needs a win."""
    play = step_batch(variant, 4 * FEW_GAMES)
    for _ in range(WARM_STEPS):
        env = next(play)
    while (env._engine.tables["win"]["n_items"] > 0).sum() < FEW_GAMES:
        env = next(play)
    return env


def _fastest(repeat: Any, count: int) -> float:
    """Nanoseconds for one of `count`, the least of several attempts: what else runs can only add to it."""
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        repeat()
        best = min(best, time.perf_counter() - begin)
    return best / count * 1e9


def _time_decision(variant: str, games: int, observation: str) -> float:
    play, steps = play_batch(variant, games, observation), max(1, CALLS // games)
    next(play)
    return _fastest(lambda: [next(play) for _ in range(steps)], steps * games)


def _time_choice(env: Any) -> float:
    keys, actions = mix(np.arange(env.num_envs)), np.zeros(env.num_envs, np.int64)
    return _fastest(lambda: pick_into(env.action_mask, keys, actions), env.num_envs)


def _time_part(part: int, env: Any) -> float:
    engine = env._engine
    won = engine.tables["win"]["n_items"] > 0
    tables = engine.tables[won if part == SCORING else env.seat >= 0][:FEW_GAMES].copy()
    rows, times = np.zeros(len(tables), SHOWN), max(1, CALLS // len(tables))
    arguments = engine.rules.record, tables, rows, engine.lut
    repeat_part(part, 1, *arguments)
    return _fastest(lambda: repeat_part(part, times, *arguments), times * len(tables))
