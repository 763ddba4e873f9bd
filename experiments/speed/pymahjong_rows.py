"""pymahjong's four-seat environment: one game at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pymahjong import MahjongEnv

LANGUAGE = "C++, called from Python"
PACKAGES = ("pymahjong", "numpy")


def play(observe: bool) -> Iterator[tuple[int, int]]:
    """Single hands; declaring riichi is two decisions there, which tile and whether."""
    rng = random.Random(0)
    env = MahjongEnv()
    while True:
        decisions = 0
        env.reset()
        while not env.is_over():
            seat = env.get_curr_player_id()
            if observe:
                env.get_obs(seat)
            env.step(seat, rng.choice(env.get_valid_actions()))
            decisions += 1
        yield decisions, 1


GAMES = {
    "one game, array of valid actions": ("the numbers of the valid actions", lambda: play(observe=False)),
    "one game, array of valid actions + get_obs()": ("the same and 93 × 34 bool", lambda: play(observe=True)),
}
