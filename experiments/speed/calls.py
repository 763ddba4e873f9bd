"""Counts how often a decision calls some functions of the engine: `python -m experiments.speed.calls VARIANT ...`.

With the compiler off the engine is plain Python, so the standard profiler sees every call. Prints one JSON object:
variant -> function -> calls a decision.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import sys

FUNCTIONS = ("begin_hand", "open_window", "find_outlook", "is_hand_complete", "worth", "write_mask", "observe")
GAMES, STEPS = 16, 120


def count_calls(variant: str) -> dict[str, float]:
    """Calls a decision of each of `FUNCTIONS`, in random play."""
    from experiments.speed.plays import step_batch

    play = step_batch(variant, GAMES)
    next(play)
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(STEPS):
        next(play)
    profile.disable()
    calls = dict.fromkeys(FUNCTIONS, 0)
    for (path, _, name), (_, count, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        own = name != "worth" or "variants" in path  # the seam of that name only hands on
        if name in calls and own:
            calls[name] += count
    return {name: count / (GAMES * STEPS) for name, count in calls.items()}


if __name__ == "__main__":
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        sys.exit("set NUMBA_DISABLE_JIT=1: compiled calls cannot be counted")
    print(json.dumps({name: count_calls(name) for name in sys.argv[1:]}))
