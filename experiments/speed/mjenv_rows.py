"""mjenv itself, by every interface: thousands of games in step, one game, PettingZoo bare and wrapped.

The variant is Hong Kong Old Style: no wild tiles, as in the other libraries.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import mjenv
from experiments.speed.plays import play_aec, play_batch, play_one
from mjenv import hands

LANGUAGE = "Python, compiled with Numba"
PACKAGES = ("mjenv", "numba", "numpy")
VARIANT = "hongkong"
GAMES_AT_ONCE = 1024
FORMS = ("standard", "seven_pairs", "thirteen_orphans")
"""What the other libraries count as a win."""


_batch = partial(play_batch, VARIANT, GAMES_AT_ONCE)

GAMES = {
    "batch of 1024, mask + planes": ("NumPy arrays of all games; the random choice in a kernel of its own", _batch),
    "batch of 1024, mask": ("the same without the observation", partial(_batch, "none")),
    "batch of 1024, mask + features": (
        "planes, and for each discard the shanten and useful tiles after it",
        partial(_batch, "features"),
    ),
    "one game by the batch interface, mask + planes": (
        "NumPy arrays of one row; the same kernel",
        partial(play_one, VARIANT),
    ),
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
