"""How likely a hand is completed in time, from how many tiles it misses, how many help, and how many draws are left."""

from __future__ import annotations

import numpy as np

from agents.protocol import Array

ANY, SELF, EVERY = range(3)
"""How the last tile may come: from anybody; by own draw alone; or every tile wins once nothing is missing."""
MISSING, STEPS, TURNS = 11, 128, 32

USUAL = (1.0, 0.09, 0.18, 0.28, 0.36, 0.42, 0.45, 0.45, 0.45, 0.45, 0.45)
"""Useful tiles as a share of the unseen ones that a hand missing so many usually has."""
WIDTH_LASTS = 0.4
"""How much of a hand's unusual width or narrowness (as an exponent) is left after one step."""


def build_chance(sources: float, hazard: Array, width: float) -> Array:
    """float32 [3, MISSING, STEPS, TURNS]: the probability of winning, by ANY, SELF or EVERY.

    Arguments: tiles missing; useful tiles as a share of the unseen ones, in steps of 1/128; own draws left.
    `sources`: how many tiles a round may win, the own draw and the discards of the others (1 if only draws win);
    `hazard` float [TURNS]: the probability that another seat wins before the own next turn, by own draws left;
    `width`: how many useful tiles later hands have, against `USUAL`.
    """
    share = np.arange(STEPS) / STEPS
    usual = np.array(USUAL) * np.where(np.arange(MISSING) > 0, width, 1)
    chance = np.zeros((3, MISSING, STEPS, TURNS))
    chance[ANY:EVERY, 0] = 1
    chance[EVERY, 0, :, 1:] = 1 - hazard[1:] / sources
    for way in (ANY, SELF, EVERY):
        for missing in range(1, MISSING):
            last = missing == 1 and way == ANY
            step = 1 - (1 - share) ** (sources if last else 1.0)
            later = usual[missing - 1] * (np.maximum(share, 0.01) / usual[missing]) ** WIDTH_LASTS
            index = np.clip(later * STEPS, 1, STEPS - 1).astype(np.int64)
            for turn in range(1, TURNS):
                reached = chance[way, missing - 1, index, turn - 1 if missing > 1 or way == EVERY else turn]
                stays = chance[way, missing, :, turn - 1]
                chance[way, missing, :, turn] = (1 - hazard[turn]) * (step * reached + (1 - step) * stays)
    return chance.astype(np.float32)


def rising_hazard(begins: float, full: float, most: float) -> Array:
    """float [TURNS]: 0 with more than `begins` own draws left, `most` from `full` on, a line between."""
    left = np.arange(TURNS)
    hazard: Array = most * np.clip((begins - left) / (begins - full), 0, 1)
    return hazard


def build_ends(hazard: Array) -> Array:
    """float [TURNS]: the probability that another seat wins before the wall ends, by own draws left."""
    ends: Array = 1 - np.cumprod(1 - hazard)
    return ends
