"""Measures one library in its own interpreter: `python worker.py MODULE`, requests and answers one JSON line each.

It imports nothing but the standard library and the module named, which lies beside it and offers

- `LANGUAGE`: what the library is written in; `PACKAGES`: the distributions whose versions matter;
- `GAMES`: label -> (what a decision includes, a function that returns an endless iterator of (decisions, games ended);
  games played to their end one by one count, those of a batch, which are cut off anywhere, do not);
- `HANDS` (if it has hand arithmetic): label -> (what a call includes, prepare, is_win, shanten): `prepare` turns hands
  (lists of 34 counts) into what the library takes, the other two turn that into a list of answers.

The first line says what there is and answers all hands once; then `{"key": ..., "seconds": ...}` measures one row.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

Counts = list[int]
Play = Iterator[tuple[int, int]]

HAND_COUNT = 10_000
KINDS = ("random", "near", "one suit")
"""14 of 136 tiles; a complete hand in half of which one tile is exchanged; 14 tiles of one suit."""


def deal_hand(kind: str, rng: random.Random) -> Counts:
    """14 tiles of a kind of hand, as 34 counts of at most four."""
    if kind == "near":
        return _deal_near(rng)
    wall = [tile for tile in range(34 if kind == "random" else 9) for _ in range(4)]
    counts = [0] * 34
    for tile in rng.sample(wall, 14):
        counts[tile] += 1
    return counts


def _deal_near(rng: random.Random) -> Counts:
    counts = [0] * 34
    while max(counts) == 0 or max(counts) > 4:
        counts = [0] * 34
        counts[rng.randrange(34)] += 2
        for _ in range(4):
            if rng.random() < 0.5:
                counts[rng.randrange(34)] += 3
            else:
                low = 9 * rng.randrange(3) + rng.randrange(7)
                for tile in range(low, low + 3):
                    counts[tile] += 1
    if rng.random() < 0.5:
        counts[rng.choice([tile for tile in range(34) if counts[tile]])] -= 1
        counts[rng.choice([tile for tile in range(34) if counts[tile] < 4])] += 1
    return counts


def deal_hands(count: int = HAND_COUNT) -> dict[str, list[Counts]]:
    """The same hands in every interpreter."""
    return {kind: [deal_hand(kind, random.Random(f"{kind} {number}")) for number in range(count)] for kind in KINDS}


def answer(function: Callable[[Any], Any], hands: Any, count: int) -> Play:
    """Answer all hands again and again."""
    while True:
        function(hands)
        yield count, 0


def measure(play: Play, seconds: float) -> dict[str, float]:
    """Decisions, games ended, wall and CPU seconds of one measurement, the choice of actions included."""
    decisions = games = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while decisions == 0 or time.perf_counter() - wall < seconds:
        count, ended = next(play)
        decisions += count
        games += ended
    return {
        "decisions": decisions,
        "games": games,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }


def describe(module: Any) -> dict[str, Any]:
    """The first line, without answers."""
    return {
        "language": module.LANGUAGE,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in module.PACKAGES},
        "games": {label: includes for label, (includes, _) in module.GAMES.items()},
        "hands": {label: includes for label, (includes, *_) in getattr(module, "HANDS", {}).items()},
    }


def collect(module: Any, dealt: dict[str, list[Counts]]) -> tuple[dict[str, Callable[[], Play]], dict[str, list[int]]]:
    """All rows of a module as functions that begin them, and the answers to all hands, both by key."""
    rows = {f"games/{label}": begin for label, (_, begin) in module.GAMES.items()}
    answers = {}
    for label, (_, prepare, *functions) in getattr(module, "HANDS", {}).items():
        for name, function in zip(("is_win", "shanten"), functions, strict=True):
            for kind, hands in dealt.items():
                key, ready = f"hands/{label}/{name}/{kind}", prepare(hands)
                answers[key] = [int(value) for value in function(ready)]
                rows[key] = partial(answer, function, ready, len(hands))
    return rows, answers


def use_one_core() -> None:
    """Stay on one core, so that no library can use more, whatever its thread pools do."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> None:
    """Serve until the requests end."""
    use_one_core()
    line_out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    module = importlib.import_module(sys.argv[1])
    rows, answers = collect(module, deal_hands() if hasattr(module, "HANDS") else {})
    print(json.dumps({**describe(module), "answers": answers}), file=line_out, flush=True)
    plays: dict[str, Play] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["key"] not in plays:
                plays[request["key"]] = rows[request["key"]]()
            reply: dict[str, Any] = measure(plays[request["key"]], request["seconds"])
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=line_out, flush=True)


if __name__ == "__main__":
    main()
