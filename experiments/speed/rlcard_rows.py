"""RLCard's mahjong: one game at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import rlcard

LANGUAGE = "Python"
PACKAGES = ("rlcard", "numpy")


def play() -> Iterator[tuple[int, int]]:
    """Whole games."""
    rng = random.Random(0)
    env = rlcard.make("mahjong", config={"seed": 0})
    while True:
        decisions, (state, _) = 0, env.reset()
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            decisions += 1
        yield decisions, 1


GAMES = {"one game, state dict": ("a dict of legal actions and 6 × 34 × 4 int64, which it always builds", play)}
