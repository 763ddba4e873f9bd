"""How many tiles are missing from the forms other than the standard one; none of them ever needs a fifth copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.core.shapes import (
    NINE_ONE,
    ONES,
    ORPHAN_WORDS,
    SEVEN_PAIRS,
    SEVEN_PAIRS_ANY,
    THIRTEEN_ORPHANS,
    THIRTEEN_SCATTERED,
    WORDS,
    add_bytes,
    keep_scattered,
)
from mjenv.core.suits import FAR, Lut
from mjenv.jit import jit

Array = NDArray[Any]


@jit
def miss_pairs(words: Array, any_kinds: bool) -> int:
    """How many of fourteen tiles are missing from seven pairs, of different kinds or (`any_kinds`) of any.

    No kind is needed five times: a fresh kind costs the same two tiles.
    """
    pairs = singles = 0
    for i in range(WORDS):
        word = int(np.int64(words[i]))
        paired = (word >> 1 | word >> 2) & ONES
        if any_kinds:
            pairs += paired + (word >> 2 & ONES)
            singles += word & ONES
        else:
            pairs += paired
            singles += word & ONES & ~paired
    pairs = add_bytes(pairs)
    return 14 - 2 * pairs - min(7 - pairs, add_bytes(singles))


@jit
def miss_nine_one(words: Array, size: int) -> int:
    """How many of `size` tiles are missing from terminals and honors alone."""
    held = 0
    for i in range(WORDS):
        held += int(np.int64(words[i])) & int(ORPHAN_WORDS[i])
    return size - add_bytes(held)


@jit
def miss_orphans(words: Array) -> int:
    """How many of fourteen tiles are missing from the thirteen orphans and one of them twice."""
    distinct = doubled = 0
    for i in range(WORDS):
        word = int(np.int64(words[i])) & int(ORPHAN_WORDS[i])
        paired = (word >> 1 | word >> 2) & ONES
        distinct += word & ONES | paired
        doubled |= paired
    return 14 - add_bytes(distinct) - (1 if doubled else 0)


@jit
def count_other_missing(words: Array, key: Array, melds: int, forms: int, lut: Lut) -> int:
    """The fewest tiles missing in the asked forms other than the standard one; `FAR` if none applies."""
    best = FAR
    if forms & NINE_ONE:
        best = miss_nine_one(words, 3 * (4 - melds) + 2)
    if melds > 0:
        return best
    if forms & SEVEN_PAIRS:
        best = min(best, miss_pairs(words, False))
    if forms & SEVEN_PAIRS_ANY:
        best = min(best, miss_pairs(words, True))
    if forms & THIRTEEN_SCATTERED:
        best = min(best, 14 - keep_scattered(key, lut))
    if forms & THIRTEEN_ORPHANS:
        best = min(best, miss_orphans(words))
    return best
