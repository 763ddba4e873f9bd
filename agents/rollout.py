"""Look-ahead by rollouts: deal what a seat cannot see anew, try its actions there, and let a policy play on.

A uniform re-deal (`mjenv.envs.determinize`) knows the rules and not the players, so rivals' hands are then moved on to
where hands are by that time (`agents.rivals`). All four seats play on as the policy does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.asking import ask
from agents.keys import mix, salted
from agents.protocol import Agent, Array, SearchAgent
from agents.rivals import advance_rivals
from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.engine import Engine, check_seed
from mjenv.core.layout import Record
from mjenv.core.rules import Rules
from mjenv.envs.determinize import hidden_slots, redeal

ROLLOUTS = 512
"""Hands played out for one decision, unless said otherwise."""
WIDTH = 4
"""Actions tried, unless said otherwise."""
MARGIN = 2.0
"""Standard errors by which an action must beat the policy's own choice, unless said otherwise."""
WORLDS = 16
"""Worlds of the first round; each later one plays about as many as all before it."""
ROWS = 2048
"""Hands that are played out together."""


@dataclass(frozen=True)
class Search:
    """What a search found about c actions of one decision; the policy's own choice comes first, its next ones follow.

    Every action is tried in the same worlds, so `gains` are known better than `means` are.
    """

    actions: Array
    """int64 [c]"""
    means: Array
    """float64 [c]: points of the seat in this hand, on average"""
    errors: Array
    """float64 [c]: standard errors of `means`"""
    gains: Array
    """float64 [c]: points more than the policy's own choice in the same worlds, on average"""
    gain_errors: Array
    """float64 [c]: standard errors of `gains`"""
    counts: Array
    """int64 [c]: worlds in which each was tried; actions that fell behind were tried in fewer"""
    best: int
    """the action to take"""

    def __str__(self) -> str:
        rows = zip(self.actions, self.means, self.errors, self.counts, strict=True)
        return "\n".join(
            f"{action_name(int(action)):16} {mean:+9.3f} ± {error:.3f} in {count} worlds"
            for action, mean, error, count in rows
        )


def search(
    env: Any,
    agent: str,
    policy: Agent | str = "value",
    *,
    rollouts: int | None = None,
    milliseconds: float | None = None,
    width: int = WIDTH,
    margin: float = MARGIN,
    seed: int = 0,
) -> Search:
    """Search the decision of `agent` in an AEC environment, which stays as it is.

    The arguments are those of `RolloutPlayer`; the worlds follow from `seed`. What `agent` cannot see changes nothing.
    Raises `ValueError` unless it is that agent's turn to decide.
    """
    table = env.unwrapped
    if not table.agents or int(table.table["seat"][0]) < 0 or agent != table.agent_selection:
        raise ValueError(f"{agent!r} has nothing to decide now: search for env.agent_selection while a hand is played")
    if isinstance(policy, str):
        from agents.registry import make

        policy = make(policy, table.variant, table.rules)
    player = RolloutPlayer(
        table.rules, policy, rollouts=rollouts, milliseconds=milliseconds, width=width, margin=margin
    )
    return player.look(table.table, mix(check_seed(seed)))[0]


class RolloutPlayer:
    """Plays as its policy does, save where rollouts say that another action earns clearly more."""

    def __init__(
        self,
        rules: Rules,
        policy: Agent,
        *,
        rollouts: int | None = None,
        milliseconds: float | None = None,
        width: int = WIDTH,
        margin: float = MARGIN,
    ) -> None:
        """policy: decides in the rollouts for all four seats, and which actions are tried.

        rollouts: hands played out for a decision at most (512 unless said). milliseconds: for each decision instead, of
        wall clock; what is chosen then depends on the machine. At least one round of 16 worlds is played, and a round
        is played to its end. width: try so many actions, the policy's own choice and those that it would choose without
        it. margin: leave the policy's choice for an action that gains so many standard errors. Raises `ValueError`.
        """
        if isinstance(policy, SearchAgent):
            raise ValueError(f"{policy.name} searches itself: rollouts need a policy that does not")
        if not isinstance(width, int) or not 1 <= width <= N_ACTIONS:
            raise ValueError(f"width must be from 1 to {N_ACTIONS} actions, not {width!r}")
        if not margin >= 0:
            raise ValueError(f"margin must be 0 standard errors or more, not {margin!r}")
        if rollouts is not None and milliseconds is not None:
            raise ValueError("the budget is rollouts or milliseconds, not both")
        if milliseconds is not None and not 0 < milliseconds < float("inf"):
            raise ValueError(f"milliseconds must be above 0, not {milliseconds!r}")
        limit = ROLLOUTS if rollouts is None else rollouts
        if milliseconds is None and not (isinstance(limit, int) and limit >= 2 * width):
            raise ValueError(f"rollouts must be {2 * width} or more, two for each of {width} actions, not {limit!r}")
        self.policy = policy
        self.name = f"rollout:{policy.name}"
        self.observation = policy.observation
        self._rules = rules
        self._milliseconds = milliseconds
        self._rollouts = float("inf") if milliseconds is not None else limit
        self._width, self._margin = width, margin
        self._world = Engine(rules, 1, episode="hand", max_hands=0, view="none")

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """Raises `ValueError`: a search needs the table."""
        raise ValueError(f"{self.name} needs the table, not an observation alone: use search(tables, keys)")

    def search(self, tables: Array, keys: Array) -> Array:
        """The actions that the seats to act choose, int64 [n]: see `SearchAgent`."""
        return np.array([found.best for found in self.look(tables, keys)], np.int64)

    def look(self, tables: Array, keys: Array) -> list[Search]:
        """Search the open decisions of `TABLE` [n]; the worlds of each follow from its key, uint64 [n]."""
        begin = time.perf_counter()
        budget = float("inf") if self._milliseconds is None else self._milliseconds / 1000 * len(tables)
        choices = self._nominate(tables, keys)
        races = [
            _Race(table, key, actions, self._rollouts)
            for table, key, actions in zip(tables, keys[:, None], choices, strict=True)
        ]
        while racing := [race for race in races if race.next_worlds().size]:
            for group in _group(racing):
                self._run(group)
            if 2 * (time.perf_counter() - begin) > budget:
                break
        return [race.result(self._margin) for race in races]

    def _deal(self, table: Record, keys: Array) -> Array:
        """Worlds as the seat to act may take them to be, `TABLE` [n], one for each key."""
        seat = int(table["seat"])
        engine = Engine(self._rules, len(keys), episode="hand", max_hands=0, view="none")
        for place, key in enumerate(keys.tolist()):
            self._world.tables[0] = table
            redeal(self._world, seat, key)
            engine.tables[place] = self._world.tables[0]
        engine.tables["rng"] = salted(keys[:, None], np.arange(4)) >> np.uint64(32)
        advance_rivals(self._rules.record, engine.tables, hidden_slots(self._rules.record[0], table), engine.lut)
        engine.reopen(seat)
        return engine.tables

    def _seat(self, tables: Array) -> Engine:
        """The tables, shown as the policy reads them."""
        engine = Engine(self._rules, len(tables), episode="hand", max_hands=0, view=self.policy.observation)
        engine.tables[:] = tables
        engine.show()
        return engine

    def _nominate(self, tables: Array, keys: Array) -> list[list[int]]:
        """The actions to try for each table: what the policy chooses, then what it chooses without that, and so on.

        Some policies pass even where that is masked: then the last legal action (hu before gang, peng, chi) is next.
        """
        engine = self._seat(np.concatenate([self._deal(*pair) for pair in zip(tables, keys[:, None], strict=True)]))
        choices: list[list[int]] = [[] for _ in tables]
        while (rows := np.flatnonzero(engine.mask.any(axis=1))).size and len(choices[rows[0]]) < self._width:
            actions = ask(self.policy, engine, rows, keys[rows])
            for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
                legal = np.flatnonzero(engine.mask[row])
                if action not in legal:
                    if not choices[row]:
                        raise self._illegal(action, legal)
                    action = int(legal[-1])
                choices[row].append(action)
                engine.mask[row, action] = 0
        return choices

    def _illegal(self, action: int, legal: Array) -> ValueError:
        told = ", ".join(map(str, legal))
        return ValueError(f"agent {self.policy.name} chose the illegal action {action} in a search: legal are {told}")

    def _run(self, races: Sequence[_Race]) -> None:
        """Play the next worlds of each race, all in one batch."""
        tables, keys, actions = [], [], []
        for race in races:
            worlds, tried = race.next_worlds(), race.tried()
            tables.append(np.repeat(self._deal(race.table, worlds), len(tried)))
            keys.append(np.repeat(worlds, len(tried)))
            actions.append(np.tile(race.actions[tried], len(worlds)))
        points = self.play_out(np.concatenate(tables), np.concatenate(keys), np.concatenate(actions))
        for race, part in zip(races, np.split(points, np.cumsum([len(rows) for rows in tables])[:-1]), strict=True):
            race.add(part[:, int(race.table["seat"])].reshape(-1, len(race.tried())))

    def play_out(self, tables: Array, keys: Array, actions: Array) -> Array:
        """Points int32 [n, 4] of the hands on `tables` (`TABLE` [n], as they are) after `actions`, int64 [n].

        The policy plays them on; its dice follow from `keys`, uint64 [n].
        """
        engine = self._seat(tables)
        turn = 0
        while True:
            wrong = engine.step(actions, 0, len(tables), autoreset=False, pause=True)
            if wrong >= 0:
                raise self._illegal(int(actions[wrong]), np.flatnonzero(engine.mask[wrong]))
            rows = np.flatnonzero(engine.out.seat >= 0)
            if not rows.size:
                return np.asarray(engine.tables["points"])
            turn += 1
            actions[rows] = ask(self.policy, engine, rows, salted(keys[rows], turn))


def _group(races: Sequence[_Race]) -> list[list[_Race]]:
    """The races in groups of about `ROWS` rollouts."""
    groups: list[list[_Race]] = []
    room = 0
    for race in races:
        rows = len(race.next_worlds()) * len(race.tried())
        if rows > room:
            groups.append([])
            room = ROWS
        groups[-1].append(race)
        room -= rows
    return groups


class _Race:
    """One decision: the actions that are tried, and what they earned in the worlds so far."""

    def __init__(self, table: Record, key: Array, actions: Sequence[int], rollouts: float) -> None:
        """key: uint64 [1]."""
        self.table, self.actions = table, np.array(actions, np.int64)
        self._key = key
        self._left = rollouts
        self._points = np.zeros((len(actions), 0))
        """float64 [c, worlds]: nan where an action was not tried any more; the first one always is."""
        self._in = np.ones(len(actions), np.bool_)

    def tried(self) -> Array:
        """int64 [m]: places of the actions that are still tried."""
        return np.flatnonzero(self._in)

    def next_worlds(self) -> Array:
        """The keys of the worlds of the next round, uint64 [n], none if it is over."""
        tried = int(self._in.sum())
        played = self._points.shape[1]
        count = int(min(max(WORLDS, played), ROWS // tried, self._left // tried)) if tried > 1 else 0
        return salted(self._key, played + np.arange(count))

    def add(self, points: Array) -> None:
        """Note the points [worlds, m] of a round, and drop the actions that are behind the policy's own choice."""
        more = np.full((len(self.actions), len(points)), np.nan)
        more[self.tried()] = points.T
        self._points = np.concatenate((self._points, more), axis=1)
        self._left -= points.size
        gains, _ = _mean_and_error(self._points - self._points[0])
        self._in &= gains >= 0

    def result(self, margin: float) -> Search:
        """What is known; the best action is the one that gains most of those that gain `margin` standard errors."""
        means, errors = _mean_and_error(self._points)
        gains, gain_errors = _mean_and_error(self._points - self._points[0])
        sure = np.where((gains > 0) & (gains >= margin * gain_errors), gains, 0)
        counts = (~np.isnan(self._points)).sum(axis=1)
        best = int(self.actions[sure.argmax()])
        return Search(self.actions, means, errors, gains, gain_errors, counts, best)


def _mean_and_error(values: Array) -> tuple[Array, Array]:
    """Mean and standard error of each row, float64 [c] each, of float64 [c, worlds] with nan for no value.

    Without a value both are nan; of a single value the error is infinite.
    """
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0).sum(axis=1) / count
        squares = np.where(known, (values - mean[:, None]) ** 2, 0).sum(axis=1)
        error = np.where(count == 1, np.inf, np.sqrt(squares / (count - 1) / count))
    return mean, error
