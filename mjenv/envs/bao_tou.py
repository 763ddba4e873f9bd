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
PAIRS = np.repeat(np.arange(HAND_KINDS)[:, None], 2, axis=1)


def _count(groups: Array) -> Array:
    """int64 [G, 34]: what each group is made of."""
    needs = np.zeros((len(groups), HAND_KINDS), np.int64)
    for column in range(groups.shape[1]):
        needs[np.arange(len(groups)), groups[:, column]] += 1
    return needs


def _draw_groups(
    unseen: Array, needs: Array, number: int, must: Array, wilds: int, rng: np.random.Generator
) -> Array | None:
    """Real tiles of `number` random groups in which `wilds` wilds fill gaps, or None if these do not come out.

    `must` are tiles that the groups contain as themselves; a gap is left where the unseen tiles have run out, or at
    random.
    """
    held = np.zeros(HAND_KINDS, np.int64)
    for _ in range(number):
        missing = np.maximum(needs - (unseen - held), 0).sum(axis=1)
        open_kinds = must > held
        fits = missing <= wilds
        if open_kinds.any():
            fits &= (needs[:, open_kinds] > 0).any(axis=1)
        if not fits.any():
            return None
        chosen = int(rng.choice(np.flatnonzero(fits)))
        held += np.minimum(needs[chosen], unseen - held)
        wilds -= int(missing[chosen])
    loose = np.repeat(np.arange(HAND_KINDS), np.maximum(held - must, 0))
    if (held < must).any() or len(loose) < wilds:
        return None
    return held - np.bincount(rng.permutation(loose)[:wilds], minlength=HAND_KINDS)


def draw_bao_tou(
    rules: Record, n_melds: int, unseen: Array, wild: int, most_wilds: int, must: Array, rng: np.random.Generator
) -> Array:
    """Counts int64 [34] of a random bao-tou hand with `n_melds` melds (rules: Hangzhou, "Wild").

    It is drawn from the unseen tiles, holds the tiles `must` (int64 [34]) and at most `most_wilds` wilds: one to spare,
    the others in the gaps of its sets, or of its six pairs.
    """
    n_sets = int(rules["sets"]) - n_melds
    real, real_must = unseen.copy(), must.copy()
    real[wild] = real_must[wild] = 0
    shapes = [(_count(SETS), n_sets, 3 * n_sets)]
    if rules["pairs_float"] and n_melds == 0:
        shapes.append((_count(PAIRS), 6, 12))
    for _ in range(TRIES):
        needs, number, tiles = shapes[int(rng.random() < 0.25) % len(shapes)]
        least, most = max(1, int(must[wild])), min(most_wilds, 1 + tiles)
        wilds = int(rng.integers(least, most + 1))
        counts = _draw_groups(real, needs, number, real_must, wilds - 1, rng)
        if counts is not None:
            counts[wild] += wilds
            return counts
    raise RuntimeError("no bao-tou hand fits the tiles that this seat cannot see")
