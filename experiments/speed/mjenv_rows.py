"""mjenv itself, by every interface: thousands of games in step, one game, PettingZoo bare and wrapped.

The variant is Hong Kong Old Style: no wild tiles, as in the other libraries.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import mjenv
from agents.keys import mix, pick_into
from mjenv import hands

LANGUAGE = "Python, compiled with Numba"
PACKAGES = ("mjenv", "numba", "numpy")
VARIANT = "hongkong"
GAMES_AT_ONCE = 1024
FORMS = ("standard", "seven_pairs", "thirteen_orphans")
"""What the other libraries count as a win."""


def step_batch(games: int, observation: str) -> Iterator[Any]:
    """Play on all rows; yields after every step."""
    env = mjenv.vector(VARIANT, games, observation=observation)
    keys = mix(np.arange(games))
    actions = np.zeros(games, np.int64)
    while True:
        pick_into(env.action_mask, keys, actions)
        env.step(actions)
        keys = mix(keys)
        yield env


def play_batch(games: int = GAMES_AT_ONCE, observation: str = "planes") -> Iterator[tuple[int, int]]:
    """Steps of a batch."""
    for _ in step_batch(games, observation):
        yield games, 0


def play_one() -> Iterator[tuple[int, int]]:
    """The batch of one, game by game."""
    decisions = 0
    for env in step_batch(1, "planes"):
        decisions += 1
        if env.done[0]:
            yield decisions, 1
            decisions = 0


def play_aec(env: Any) -> Iterator[tuple[int, int]]:
    """PettingZoo's loop."""
    rng = random.Random(0)
    env.reset(seed=0)
    while True:
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            decisions += 1
        yield decisions, 1
        env.reset()


GAMES = {
    "batch of 1024, mask + planes": ("NumPy arrays of all games; the random choice in a kernel of its own", play_batch),
    "batch of 1024, mask": ("the same without the observation", partial(play_batch, observation="none")),
    "batch of 1024, mask + features": (
        "planes, and for each discard the shanten and useful tiles after it",
        partial(play_batch, observation="features"),
    ),
    "one game by the batch interface, mask + planes": ("NumPy arrays of one row; the same kernel", play_one),
    "raw_env(), mask + planes": ("PettingZoo's loop: agent_iter, last, step", lambda: play_aec(mjenv.raw_env(VARIANT))),
    "env(), mask + planes": ("the same in PettingZoo's checking wrappers", lambda: play_aec(mjenv.env(VARIANT))),
}

HANDS = {
    "all hands in one call": (
        "NumPy uint8 [10000, 34]; standard hands, seven pairs and thirteen orphans, as the others",
        partial(np.array, dtype=np.uint8),
        partial(hands.is_win, forms=FORMS),
        partial(hands.shanten, forms=FORMS),
    ),
    "one call a hand": (
        "NumPy uint8 [1, 34]; the same forms",
        lambda dealt: list(np.array(dealt, np.uint8)[:, None]),
        lambda dealt: [hands.is_win(counts, forms=FORMS)[0] for counts in dealt],
        lambda dealt: [hands.shanten(counts, forms=FORMS)[0] for counts in dealt],
    ),
}
