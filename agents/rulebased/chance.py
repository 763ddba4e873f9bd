"""How likely a hand is completed in time, from how many tiles it misses, how many help, and how many draws are left."""

from __future__ import annotations

import numpy as np

from agents.protocol import Array

ANY, SELF, EVERY = range(3)
"""How the last tile may come: from anybody; by own draw alone; or every tile wins once nothing is missing."""
MISSING, STEPS, TURNS = 11, 128, 32

_NARROWING = (1.0, 0.45, 0.55, 0.62, 0.7, 0.75, 0.8, 0.8, 0.8, 0.8, 0.8)
"""How many useful tiles remain on average once one of `m` missing tiles has come: those of `m - 1` over those of m."""
_LEAST = (0.0, 0.05, 0.09, 0.13, 0.17, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3)
"""Useful tiles over unseen tiles that a hand missing `m` finds at least, by choosing its discards well."""


def build_chance(sources: float, hazard: float) -> Array:
    """float32 [3, MISSING, STEPS, TURNS]: the probability of winning, by ANY, SELF or EVERY.

    Arguments: tiles missing; useful tiles as a share of the unseen ones, in steps of 1/128; own draws left.
    `sources`: how many tiles a round may win, the own draw and the discards of the others (1 if only draws win);
    `hazard`: the probability that somebody else ends the hand before the own next turn.
    """
    share = np.arange(STEPS) / STEPS
    chance = np.zeros((3, MISSING, STEPS, TURNS))
    chance[ANY:EVERY, 0] = 1
    chance[EVERY, 0, :, 1:] = 1 - hazard / sources
    for way in (ANY, SELF, EVERY):
        for missing in range(1, MISSING):
            last = missing == 1 and way == ANY
            step = 1 - (1 - share) ** (sources if last else 1.0)
            later = np.maximum(_NARROWING[missing] * share, _LEAST[missing - 1])
            index = np.minimum((later * STEPS).astype(np.int64), STEPS - 1)
            for turn in range(1, TURNS):
                reached = chance[way, missing - 1, index, turn - 1 if missing > 1 or way == EVERY else turn]
                stays = chance[way, missing, :, turn - 1]
                chance[way, missing, :, turn] = (1 - hazard) * (step * reached + (1 - step) * stays)
    return chance.astype(np.float32)
