"""RiichiEnv: one game at a time, a dict of observations in, a dict of actions out."""

from __future__ import annotations

import random
from collections.abc import Iterator

from riichienv import RiichiEnv, calculate_shanten

LANGUAGE = "Rust, called from Python"
PACKAGES = ("riichienv",)


def play(encode: bool) -> Iterator[tuple[int, int]]:
    """Single hands; whoever may claim a tile is asked at once, and each of them takes one decision."""
    rng = random.Random(0)
    env = RiichiEnv(game_mode="4p-red-single", skip_mjai_logging=True, seed=0)
    while True:
        decisions, observations = 0, env.reset()
        while not env.done():
            if encode:
                for observation in observations.values():
                    observation.encode()
            actions = {seat: rng.choice(seen.legal_actions()) for seat, seen in observations.items()}
            decisions += len(actions)
            observations = env.step(actions)
        yield decisions, 1


GAMES = {
    "one game, list of legal actions": (
        "a dict of observation objects, a list of action objects; its own game log off",
        lambda: play(encode=False),
    ),
    "one game, list of legal actions + encode()": (
        "the same and 74 × 34 float32 as bytes",
        lambda: play(encode=True),
    ),
}


def prepare(hands: list[list[int]]) -> list[list[int]]:
    """Tile numbers 0 to 135."""
    return [[4 * kind + copy for kind in range(34) for copy in range(counts[kind])] for counts in hands]


HANDS = {
    "calculate_shanten": (
        "one call a hand; it has no win check of the tiles alone, so a win is a shanten of -1",
        prepare,
        lambda hands: [calculate_shanten(hand) == -1 for hand in hands],
        lambda hands: [calculate_shanten(hand) for hand in hands],
    )
}
