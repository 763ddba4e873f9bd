"""Credit: which decision of which seat a payment belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np


class Ledger:
    """Which decision of which seat a payment belongs to."""

    def __init__(self, num_envs: int) -> None:
        self.last = np.full((num_envs, 4), -1, np.int64)
        """[N, 4]: place of each seat's latest decision, -1 before its first."""
        self.following: list[np.ndarray[Any, Any]] = []
        self.payments: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self.count = 0

    def decide(self, rows: np.ndarray[Any, Any], seats: np.ndarray[Any, Any]) -> None:
        """The seats (int [m]) of these rows took one decision each."""
        places = np.arange(self.count, self.count + len(rows))
        self.following.append(self.last[rows, seats])
        self.last[rows, seats] = places
        self.count += len(rows)

    def pay(self, reward: np.ndarray[Any, Any]) -> None:
        """Everybody (float [N, 4]) is paid; a seat that has not decided anything earns no credit."""
        paid = (reward != 0) & (self.last >= 0)
        if paid.any():
            self.payments.append((self.last[paid], reward[paid]))

    def close(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """`following` int64 [M] and `payoff` float32 [M]."""
        before = np.concatenate(self.following)
        following = np.full(self.count, -1, np.int64)
        has_past = before >= 0
        following[before[has_past]] = np.flatnonzero(has_past)
        payoff = np.zeros(self.count, np.float32)
        for places, amounts in self.payments:
            np.add.at(payoff, places, amounts)
        return following, payoff
