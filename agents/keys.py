"""One random number for each decision, so that stochastic agents do not depend on batching or workers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agents.protocol import Array
from mjenv.jit import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


def mix(words: ArrayLike) -> Array:
    """The splitmix64 finaliser: uint64 in and out, every input bit changes about half of the output bits."""
    word = np.atleast_1d(np.asarray(words)).astype(np.uint64) + _STEP
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


def decision_keys(seed: ArrayLike, game: ArrayLike, decisions: ArrayLike, seat: ArrayLike) -> Array:
    """uint64 [n]: a key for decision number `decisions` of a game, to be taken by `seat`; whole numbers or int [n]."""
    key = mix(seed)
    for part in (game, decisions, seat):
        key = mix(key ^ np.atleast_1d(np.asarray(part)).astype(np.uint64))
    return key


def salted(keys: Array, salt: ArrayLike) -> Array:
    """Other keys, uint64 [n], for the same decisions: for agents with a seed of their own, or several dice."""
    return mix(keys ^ mix(salt))


@kernel
def pick_into(mask: Array, keys: Array, actions: Array) -> None:
    """Write into `actions` int64 [n] one true column of each row of `mask` (bool [n, A]), uniformly by `keys`
    (uint64 [n]); 0 for a row without one."""
    columns = mask.shape[1]
    for row in range(len(actions)):
        choices = 0
        for column in range(columns):
            choices += int(mask[row, column])
        number = int(keys[row] >> _HALF) * choices >> 32
        actions[row] = 0
        for column in range(columns):
            if mask[row, column]:
                if number == 0:
                    actions[row] = column
                    break
                number -= 1


def pick_uniform(mask: Array, keys: Array) -> Array:
    """int64 [n]: one true column of each row of `mask` (bool [n, A]), uniformly by `keys`; 0 for a row without one."""
    actions: Array = np.zeros(len(mask), np.int64)
    pick_into(mask, keys, actions)
    return actions
