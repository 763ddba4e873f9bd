"""The random player: every legal action with equal probability."""

from __future__ import annotations

from agents.keys import pick_uniform, salted
from agents.protocol import Array


class RandomPlayer:
    """Uniform over the legal actions; the choice follows from the decision's key and the player's seed."""

    name = "random"
    observation = "planes"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """One legal action a row, int64 [n]."""
        return pick_uniform(mask, salted(keys, self._seed))
