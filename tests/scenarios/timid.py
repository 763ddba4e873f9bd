"""Players whose games can be told in advance, and a table where any complete hand wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from mjenv.core.actions import HU, PASS

PLAIN = {"min_faan": 0, "bonus_tiles": False}
"""Hong Kong rules without a minimum or flowers."""
READY = "123456789m46p99s"
"""A hand that 5p completes."""


class Timid:
    """Passes on everything, never wins while it may do something else, throws the highest tile."""

    name = "timid"
    observation = "planes"

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
        highest = 33 - mask[:, 33::-1].argmax(axis=1)
        other = np.where(mask[:, :34].any(axis=1), highest, mask.argmax(axis=1))
        return np.where(mask[:, PASS], PASS, other)


class Eager(Timid):
    """Wins as soon as it can, and else plays as the timid player does."""

    name = "eager"

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
        return np.where(mask[:, HU], HU, super().act(observation, scalars, mask, keys))
