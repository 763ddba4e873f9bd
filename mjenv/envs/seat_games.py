"""Games in which one seat learns and agents play the other three: what the Gymnasium and the SB3 environment share.

The one place where the library looks up to `agents`, and only inside functions: opponents are found by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from mjenv.core import batch
from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.channels import VIEWS, ObservationLayout, observation_layout
from mjenv.core.engine import MAX_SEED, Engine, check_choice, check_max_hands, check_options, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.core.table import DECISIONS, GOING, TABLE, TRUNCATED
from mjenv.core.tiles import HAND_KINDS
from mjenv.envs.vector import ROW_SHIFT

Opponents: TypeAlias = Any
"""An agent's name or an object that satisfies `agents.Agent`, or three of them in a sequence."""

ILLEGAL_ACTIONS = ("raise", "substitute")
_SALT = 0x5EA7
_FIRST_HAND = ("wall", "roll")
"""Reset options that fix one deal: a game that follows a skipped one does not repeat it."""


class FlatView:
    """An observation as one vector: plane after plane, each divided by its highest value, then the scalars."""

    def __init__(self, view: str) -> None:
        self.layout: ObservationLayout = observation_layout(check_choice("observation", view, VIEWS))
        self._scale = 1 / self.layout.plane_high().astype(np.float32)[:, None]

    def space(self) -> spaces.Box:
        """The space of one vector."""
        low, high = self.layout.scalar_bounds()
        tiles = HAND_KINDS * len(self.layout.planes)
        return spaces.Box(
            np.concatenate((np.zeros(tiles, np.float32), low)),
            np.concatenate((np.ones(tiles, np.float32), high)),
            dtype=np.float32,
        )

    def flatten(self, planes: Array, scalars: Array) -> Array:
        """float32 [n, 34 C + K] from uint8 [n, C, 34] and float32 [n, K]."""
        tiles = (planes * self._scale).reshape(len(planes), -1)
        return np.concatenate((tiles, scalars), axis=1, dtype=np.float32)


class _Tables(Engine):
    """An engine of which chosen rows (int64 [n]) move."""

    def step_rows(self, rows: Array, actions: Array) -> None:
        """Take the actions (int64 [N], legal ones) of these rows."""
        self._run(batch.STEP, rows, actions)

    def show_rows(self, rows: Array, seats: Array) -> None:
        """Write what `seats` (int64 [N]) see: those that decide, and on tables that are over."""
        self._run(batch.SHOW, rows)
        for row in rows[self.tables["seat"][rows] < 0].tolist():
            one = slice(row, row + 1)
            table, shown = self.tables[one], self.shown[one]
            batch.view_table(self.rules.record, table, int(seats[row]), self.view, shown, self.lut)


class SeatGames:
    """N games; in each, one seat is a learner's and agents play the other three.

    A row waits for its learner, or its episode is over (`is_over`). `points` int64 [N] is what the learner was paid
    since its last decision, or since the start of the episode, and `illegal_actions` int64 [N] how many of its actions
    were replaced in this episode.
    """

    def __init__(
        self,
        rules: Rules,
        seats: Array,
        opponents: Opponents,
        *,
        episode: str,
        max_hands: int | None,
        observation: str,
        illegal_action: str,
    ) -> None:
        """seats: int64 [N], the learner's seat in each row. opponents and the rest: as in `SeatEnv`."""
        self._settings: dict[str, Any] = {
            "rules": rules,
            "seats": seats,
            "opponents": opponents,
            "episode": episode,
            "max_hands": max_hands,
            "observation": observation,
            "illegal_action": illegal_action,
        }
        self.rules = rules
        self.seats = seats
        self.flat = FlatView(observation)
        self._substitutes = check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS) == "substitute"
        self._agents, self._plays = find_opponents(opponents, rules)
        view = "features" if any(agent.observation == "features" for agent in self._agents) else "planes"
        settings: dict[str, Any] = {"episode": episode, "max_hands": check_max_hands(max_hands)}
        n = len(seats)
        self._engine = _Tables(rules, n, view=view, **settings)
        self._learners = _Tables(rules, n, view=observation, **settings)
        self._learners.tables = self._engine.tables
        self.tables: Array = self._engine.tables
        self.rows: Array = self._engine.rows
        self._seed: int | None = None
        self._actions: Array = np.zeros(n, np.int64)
        self.points: Array = np.zeros(n, np.int64)
        self._early: Array = np.zeros(n, np.int64)
        """Points of hands that ended before the learner's first decision: they go into its first reward."""
        self.illegal_actions: Array = np.zeros(n, np.int64)
        self._game: Array = (self.rows << ROW_SHIFT) - 1

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Array:
        """Begin a game on every row: the first ones of a seed, or without one the next ones (see `begin`)."""
        check_options(self.rules, options)
        if seed is None and self._seed is None:
            seed = int(seeding.np_random()[1]) & MAX_SEED
        if seed is not None:
            self._seed = check_seed(seed)
            self._game = (self.rows << ROW_SHIFT) - 1
        return self.begin(self.rows, options)

    def begin(self, rows: Array, options: Mapping[str, Any] | None = None) -> Array:
        """Begin the next game on these rows (int64 [n]) and play it up to the learner's first decision.

        A game that ends before is skipped for the next. Returns how many were, int64 [n]. Raises `ValueError` for bad
        options; then nothing has changed.
        """
        check_options(self.rules, options)
        skipped: Array = np.zeros(len(self.rows), np.int64)
        waiting = rows
        while waiting.size:
            self._game[waiting] += 1
            self._engine.start(waiting, np.full(len(waiting), self._seed), self._game[waiting], options)
            self.points[waiting] = 0
            self._play_others(waiting)
            waiting = waiting[self.is_over(waiting)]
            skipped[waiting] += 1
            options = {name: value for name, value in (options or {}).items() if name not in _FIRST_HAND}
        self._early[rows], self.points[rows] = self.points[rows], 0
        self.illegal_actions[rows] = 0
        return np.asarray(skipped[rows])

    def step(self, actions: Array) -> None:
        """Take each learner's action (int [N]; no row may be over) and play on to its next decision or the end.

        Raises `ValueError` for an illegal action, unless those are substituted; then nothing has changed.
        """
        chosen = self._check_actions(actions)
        self.points[:], self._early[:] = self._early, 0
        self._advance(self.rows, chosen)
        self._play_others(self.rows)

    def is_over(self, rows: Array) -> Array:
        """bool [n]: whether the episode is over."""
        out = self._engine.out
        return np.asarray((out.done[rows] != GOING) | (out.seat[rows] < 0))

    def is_truncated(self, rows: Array) -> Array:
        """bool [n]: whether `max_hands` ended it."""
        return np.asarray(self._engine.out.done[rows] == TRUNCATED)

    def masks(self) -> Array:
        """bool [N, 75]: the legal actions of the learners, all false where the episode is over."""
        return np.asarray(self._engine.mask, np.bool_)

    def rewards(self) -> Array:
        """float64 [N]: `points` / reward_scale."""
        return np.asarray(self.points / float(self.rules.reward_scale))

    def observe(self, rows: Array) -> Array:
        """float32 [n, 34 C + K]: what the learners of these rows see."""
        self._learners.show_rows(rows, self.seats)
        return self.flat.flatten(self._learners.observation[rows], self._learners.out.scalars[rows])

    def infos(self) -> list[dict[str, Any]]:
        """`points`, `illegal_actions` and, unless the episode is over, `decision`, for each row."""
        over = self.is_over(self.rows).tolist()
        decisions = self._engine.out.decision.tolist()
        told = zip(self.points.tolist(), self.illegal_actions.tolist(), decisions, over, strict=True)
        return [
            {"points": points, "illegal_actions": count, **({} if ended else {"decision": DECISIONS[decision]})}
            for points, count, decision, ended in told
        ]

    def __getstate__(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name) for name in ("points", "_early", "illegal_actions", "_game")}
        return {"settings": self._settings, "tables": self.tables.tobytes(), "seed": self._seed, "arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and pickles carry the tables; what shows them is made anew."""
        self.__init__(**state["settings"])  # type: ignore[misc]
        self.tables[:] = np.frombuffer(state["tables"], TABLE)
        self._engine.show()
        self.__dict__.update(state["arrays"], _seed=state["seed"])

    def _check_actions(self, actions: Array) -> Array:
        """The actions to take, int64 [N]: those given, or legal ones in their place."""
        chosen = np.array(actions, np.int64)
        inside = (chosen >= 0) & (chosen < N_ACTIONS)
        legal = inside & (self._engine.mask[self.rows, np.where(inside, chosen, 0)] > 0)
        bad = np.flatnonzero(~legal)
        if not bad.size:
            return chosen
        if self._substitutes:
            from agents.keys import pick_uniform, salted

            self.illegal_actions[bad] += 1
            chosen[bad] = pick_uniform(self.masks()[bad], salted(self._keys(bad), _SALT))
            return chosen
        row = int(bad[0])
        action = int(chosen[row])
        name = f" ({action_name(action)})" if inside[row] else ""
        where = f"seat {self.seats[row]}" + (f" in row {row}" if len(self.rows) > 1 else "")
        choices = ", ".join(map(str, np.flatnonzero(self._engine.mask[row])))
        raise ValueError(f"action {action}{name} of {where} is illegal: legal are {choices}")

    def _keys(self, rows: Array) -> Array:
        from agents.keys import decision_keys

        tables = self.tables
        return decision_keys(
            tables["seed"][rows], tables["game"][rows], tables["decisions"][rows], tables["seat"][rows]
        )

    def _advance(self, rows: Array, actions: Array) -> None:
        self._engine.step_rows(rows, actions)
        self.points[rows] += self._engine.out.points[rows, self.seats[rows]]

    def _play_others(self, rows: Array) -> None:
        """Let the agents play on these rows until the learner must decide or the episode is over."""
        seat = self._engine.out.seat
        while (rows := rows[~self.is_over(rows) & (seat[rows] != self.seats[rows])]).size:
            players = self._plays[(seat[rows] - self.seats[rows]) % 4]
            keys = self._keys(rows)
            for place in sorted(set(players.tolist())):
                mine = np.flatnonzero(players == place)
                self._actions[rows[mine]] = self._ask(place, rows[mine], keys[mine])
            self._advance(rows, self._actions)

    def _ask(self, place: int, rows: Array, keys: Array) -> Array:
        """An agent's actions on these rows, int64 [n]."""
        from agents.asking import ask

        engine, agent = self._engine, self._agents[place]
        actions = ask(agent, engine, rows, keys)
        if actions.shape != rows.shape or not np.issubdtype(actions.dtype, np.integer):
            who = f"opponent {agent.name} in seat {engine.out.seat[rows[0]]}"
            raise ValueError(f"{who} must answer with one integer a row, not with {actions!r}")
        inside = (actions >= 0) & (actions < N_ACTIONS)
        legal = inside & (engine.mask[rows, np.where(inside, actions, 0)] > 0)
        for row, action in zip(rows[~legal], actions[~legal], strict=True):
            raise ValueError(f"opponent {agent.name} in seat {engine.out.seat[row]} chose the illegal action {action}")
        return actions


def find_opponents(opponents: Opponents, rules: Rules) -> tuple[list[Any], Array]:
    """The three agents, and int64 [4]: the place of the one that plays the seat so many steps from the learner's.

    An agent in several seats has one place. Raises `ValueError` for what is no agent or no three of them.
    """
    from agents.protocol import OBSERVATIONS, Agent
    from agents.registry import make

    given: Any = [opponents] * 3 if isinstance(opponents, str | Agent) else opponents
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise ValueError(f"opponents must be one agent or a list of three, not {opponents!r}")
    names = {entry for entry in given if isinstance(entry, str)}
    made = {name: make(name, rules.variant, rules) for name in sorted(names)}
    three = [made[entry] if isinstance(entry, str) else entry for entry in given]
    for agent in three:
        if not isinstance(agent, Agent):
            raise ValueError(f"an opponent is an agent or the name of one, not {agent!r}")
        if agent.observation not in OBSERVATIONS:
            raise ValueError(f"agent {agent.name} reads {agent.observation!r}: use {' or '.join(OBSERVATIONS)}")
    places = {id(agent): place for place, agent in enumerate(three)}
    return three, np.array([-1, *(places[id(agent)] for agent in three)])
