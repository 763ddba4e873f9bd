"""What all compiled players share: the protocol's side in Python, around one kernel over a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from agents.protocol import Array
from agents.rulebased.view import VIEW
from mjenv.core.rules import Rules
from mjenv.core.suits import load


class CompiledPlayer:
    """A deterministic player whose decisions one kernel makes; it reads `"planes"` and ignores the keys.

    `kernel(planes uint8 [n, C, 34], scalars float32 [n, K], mask bool [n, 75], rules [1], views [2], lut, actions
    int64 [n], *arguments)` writes one legal action a row, each from its own row alone. Scratch is made for each call,
    so that threads may share a player.
    """

    name: str
    observation = "planes"
    kernel: ClassVar[Callable[..., None]]

    def __init__(self, rules: Rules) -> None:
        self._rules = rules.record
        self._lut = load()

    def arguments(self) -> tuple[Any, ...]:
        """What else the kernel takes."""
        return ()

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """One legal action a row, int64 [n]."""
        actions = np.zeros(len(mask), np.int64)
        self.kernel(
            np.ascontiguousarray(observation),
            np.ascontiguousarray(scalars),
            np.ascontiguousarray(mask),
            self._rules,
            np.zeros(2, VIEW),
            self._lut,
            actions,
            *self.arguments(),
        )
        return actions
