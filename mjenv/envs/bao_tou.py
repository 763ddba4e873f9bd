"""Hands for a seat that has just floated: whatever they hold, all but one wild must make sets or pairs."""

from __future__ import annotations

import numpy as np

from mjenv.core.layout import Array, Record
from mjenv.core.tiles import HAND_KINDS, HONORS

TRIES = 1000


def _list_sets() -> list[tuple[int, int, int]]:
    runs = [(kind, kind + 1, kind + 2) for kind in range(HONORS) if kind % 9 < 7]
    return runs + [(kind, kind, kind) for kind in range(HAND_KINDS)]


SETS = np.array(_list_sets())


def _draw_groups(unseen: Array, groups: Array, number: int, rng: np.random.Generator) -> Array | None:
    """Counts of `number` random groups drawn from the unseen tiles, or None if they run out."""
    left = unseen.copy()
    for _ in range(number):
        needs = np.zeros((len(groups), HAND_KINDS), np.int64)
        for column in range(groups.shape[1]):
            needs[np.arange(len(groups)), groups[:, column]] += 1
        fits = np.flatnonzero((needs <= left).all(axis=1))
        if not len(fits):
            return None
        left -= needs[rng.choice(fits)]
    return unseen - left


def draw_bao_tou(rules: Record, table: Record, seat: int, unseen: Array, rng: np.random.Generator) -> Array:
    """Counts int64 [34] of a random bao-tou hand for the seat from the unseen tiles (rules: Hangzhou, "Wild").

    Sets (or six pairs) are drawn first, then some of their tiles are replaced by the wilds the hand holds.
    """
    wild = int(table["major"])
    n_sets = int(rules["sets"]) - int(table["n_melds"][seat])
    real = unseen.copy()
    real[wild] = 0
    for _ in range(TRIES):
        pairs = bool(rules["pairs_float"]) and table["n_melds"][seat] == 0 and rng.random() < 0.25
        groups = np.repeat(np.arange(HAND_KINDS)[:, None], 2, axis=1) if pairs else SETS
        counts = _draw_groups(real, groups, 6 if pairs else n_sets, rng)
        if counts is None:
            continue
        wilds = int(rng.integers(1, unseen[wild] + 1))
        tiles = rng.permutation(np.repeat(np.arange(HAND_KINDS), counts))[wilds - 1 :]
        counts = np.bincount(tiles, minlength=HAND_KINDS)
        counts[wild] += wilds
        return counts
    raise RuntimeError("no bao-tou hand fits the tiles that this seat cannot see")
