"""Thousands of games in step: one array a quantity, overwritten by every step."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.channels import ObservationLayout
from mjenv.core.engine import Engine, check_max_hands, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.variants import as_rules

if TYPE_CHECKING:
    import torch

_INT64 = np.dtype(np.int64)
ROW_SHIFT = 32
"""Row r plays the games r * 2**32, r * 2**32 + 1, …, so that a game does not depend on the number of rows."""


class VectorEnv:
    """N games of one variant under one set of rules.

    Attributes, all NumPy arrays that the next `step` or `reset` overwrites:
    `observation` uint8 [N, C, 34] and `scalars` float32 [N, K] (what `observation_layout` says, for the seat to act);
    `action_mask` bool [N, 75]; `seat` int8 [N] who decides and `decision` int8 [N] what (an index in
    `mjenv.DECISIONS`), both -1 where the game waits for a reset; `reward` float32 [N, 4], `points` int32 [N, 4] of a
    hand that ended in the last step; `scores` int32 [N, 4]; `done` and `truncated` bool [N].
    """

    def __init__(
        self,
        variant: str,
        num_envs: int,
        *,
        seed: int = 0,
        rules: Rules | Mapping[str, Any] | None = None,
        episode: str = "hand",
        observation: str = "planes",
        threads: int = 1,
        autoreset: bool = True,
        max_hands: int | None = None,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("threads", threads)):
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number above 0, not {value!r}")
        self.variant = variant
        self.rules = as_rules(variant, rules)
        self.num_envs = int(num_envs)
        self.autoreset = bool(autoreset)
        self.threads = int(threads)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = -1
        limit = check_max_hands(max_hands)
        self._bind(Engine(self.rules, self.num_envs, episode=episode, max_hands=limit, view=observation))
        self.reset(seed=seed)
        self._is_fresh = True

    def __repr__(self) -> str:
        view = self._engine.layout.view
        return f"mjenv.vector({self.variant!r}, {self.num_envs}, observation={view!r}, threads={self.threads})"

    def _bind(self, engine: Engine) -> None:
        """Show the rows of an engine."""
        self._engine = engine
        out = engine.out
        self.observation: Array = self._engine.observation
        self.scalars: Array = out.scalars
        self.action_mask: Array = self._engine.mask.view(np.bool_)
        self.seat: Array = out.seat
        self.decision: Array = out.decision
        self.reward: Array = out.reward
        self.points: Array = out.points
        self.scores: Array = out.scores
        self.done: Array = engine.shown["is_done"].view(np.bool_)
        self.truncated: Array = engine.shown["is_truncated"].view(np.bool_)

    def __getstate__(self) -> dict[str, Any]:
        names = ("variant", "rules", "num_envs", "autoreset", "threads", "_is_fresh", "_engine")
        return {name: getattr(self, name) for name in names}

    def __copy__(self) -> VectorEnv:
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and pickles continue exactly where the original stands, with arrays and threads of their own."""
        self.__dict__.update(state, _pool=None, _pool_pid=-1)
        self._bind(state["_engine"])

    @property
    def observation_layout(self) -> ObservationLayout:
        """What every plane and scalar means."""
        return self._engine.layout

    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        rows: Sequence[int] | Array | None = None,
    ) -> None:
        """Begin new games on all rows, or on the row numbers (or bool [N]) given.

        With a seed the rows restart their game numbers under it; without, each goes on to its next game. `options` as
        in the AEC environment. Raises `ValueError` on bad input, and then nothing has changed.
        """
        chosen = self._engine.rows if rows is None else self._check_rows(rows)
        tables = self._engine.tables
        if seed is not None:
            seeds = np.full(len(chosen), check_seed(seed), np.int64)
            games = chosen << ROW_SHIFT
        else:
            seeds = tables["seed"][chosen]
            games = tables["game"][chosen] + (0 if self._is_fresh else 1)
        self._engine.start(chosen, seeds, games, options)
        self._is_fresh = self._is_fresh and rows is None if seed is None else False

    _is_fresh = False
    """True until the first step: then `reset()` without a seed shows the first games, not the second ones."""

    def _check_rows(self, rows: Sequence[int] | Array) -> Array:
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_ and chosen.shape == (self.num_envs,):
            return np.flatnonzero(chosen)
        chosen = chosen.astype(np.int64) if chosen.size == 0 else chosen
        if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(f"rows must be row numbers or a bool array [{self.num_envs}], not {rows!r}")
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < self.num_envs):
            raise ValueError(f"rows must lie between 0 and {self.num_envs - 1}, not {rows!r}")
        if len(np.unique(chosen)) != len(chosen):
            raise ValueError(f"rows must not name a row twice: {rows!r}")
        return chosen.astype(np.int64)

    def step(self, actions: Sequence[int] | Array) -> None:
        """Advance every game by the action of its seat to act, to its next decision.

        actions: int [N]; rows that wait for a reset ignore theirs. Raises `ValueError` for an illegal action or a wrong
        shape or dtype; then no game has moved.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            found = f"shape {chosen.shape} and dtype {chosen.dtype}"
            raise ValueError(f"actions must be {self.num_envs} integers, not an array of {found}")
        if chosen.dtype is not _INT64:
            chosen = chosen.astype(np.int64)
        bad = self._advance(chosen)
        if bad >= 0:
            legal = ", ".join(map(str, np.flatnonzero(self.action_mask[bad])))
            action = int(chosen[bad])
            name = f" ({action_name(action)})" if 0 <= action < N_ACTIONS else ""
            raise ValueError(f"action {action}{name} of row {bad} is illegal: legal are {legal}")
        self._is_fresh = False

    def _advance(self, actions: Array) -> int:
        """Step all rows and return -1, or none of them and return the first with an illegal action."""
        step = partial(self._engine.step, actions, autoreset=self.autoreset, pause=False)
        if self.threads == 1 or self.num_envs == 1:
            return step(0, self.num_envs)
        for bad in self._share(partial(self._engine.find_illegal, actions)):
            if bad >= 0:
                return bad
        return max(self._share(step))

    def _share(self, work: Callable[[int, int], int]) -> list[int]:
        """`work(low, high)` on the rows of each thread, the last share on this one."""
        parts = min(self.threads, self.num_envs)
        bounds = [self.num_envs * part // parts for part in range(parts + 1)]
        others = [self._threads(parts).submit(work, *bounds[part : part + 2]) for part in range(parts - 1)]
        last = work(*bounds[-2:])
        return [*(other.result() for other in others), last]

    def _threads(self, parts: int) -> ThreadPoolExecutor:
        """The pool of this process: a child made by `fork` has none of its parent's threads and makes its own."""
        if self._pool is None or self._pool_pid != os.getpid():
            self._pool, self._pool_pid = ThreadPoolExecutor(parts - 1, "mjenv"), os.getpid()
        return self._pool

    def tensors(self) -> dict[str, torch.Tensor]:
        """All arrays by name as torch tensors that share their memory, pinned where torch has a CUDA device.

        Raises `ImportError` without torch.
        """
        from mjenv.envs.tensors import share_tensors

        return share_tensors(self)

    def close(self) -> None:
        """Stop the worker threads, if any."""
        if self._pool is not None and self._pool_pid == os.getpid():
            self._pool.shutdown()
        self._pool = None


def vector(variant: str, num_envs: int, **settings: Any) -> VectorEnv:
    """A `VectorEnv`: `num_envs` games in one batch; keyword arguments as in its constructor."""
    return VectorEnv(variant, num_envs, **settings)
