"""What an agent is: a name, the observation it reads, and one method on batches."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

OBSERVATIONS = ("planes", "features")
"""What an agent may read. `"oracle"` shows hidden tiles, so no agent plays from it."""


@runtime_checkable
class Agent(Protocol):
    """A player of one variant.

    `name` is shown in results and logs; `observation` says which tensor `act` reads: `"planes"` or `"features"`.
    """

    name: str
    observation: str

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """Choose one legal action for each of n decisions, which belong to any games and seats.

        observation: uint8 [n, C, 34]; scalars: float32 [n, K]; mask: bool [n, 75], at least one true in each row;
        keys: uint64 [n], random numbers that depend on the decision alone. Returns int64 [n].

        An agent that rolls dice takes them from `keys`, and decides each row by itself: then its games do not depend on
        how decisions are batched.
        """
        ...


@runtime_checkable
class SearchAgent(Protocol):
    """An agent that looks ahead: whoever has the tables calls `search` instead of `act`.

    It must re-deal what its seat cannot see before it looks (`mjenv.envs.determinize`).
    """

    name: str
    observation: str

    def search(self, tables: Array, keys: Array) -> Array:
        """Choose a legal action, int64 [n], for the seat to act at each of n tables (`TABLE` [n]); keys as in `act`."""
        ...
