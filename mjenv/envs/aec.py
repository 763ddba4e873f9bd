"""The four-agent PettingZoo environment: a thin view of one table."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from mjenv import log as game_log
from mjenv import render as pictures
from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.channels import VIEWS, ObservationLayout, observation_layout
from mjenv.core.engine import MAX_SEED, Engine, Scratch, check_choice, check_max_hands, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.core.table import DECISIONS, GOING, PHASE_HAND_OVER, TABLE, TRUNCATED
from mjenv.core.tiles import HAND_KINDS
from mjenv.envs import snapshots
from mjenv.envs.determinize import redeal
from mjenv.variants import as_rules

RENDER_MODES = ("human", "ansi", "rgb_array")
AGENTS = tuple(f"player_{seat}" for seat in range(4))
BOOKS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "log",
    "_points",
    "_seed",
    "_game",
)
"""What an environment remembers beside its table."""
_ROW = np.zeros(1, np.int64)


class MahjongEnv(AECEnv[str, dict[str, Array], int]):  # type: ignore[misc]
    """One table of a variant.

    Observations hold `observation` uint8 [C, 34], `scalars` float32 [K] and `action_mask` int8 [75]; entry by entry
    they are described by `observation_layout`. Rewards are the points of a hand divided by `rules.reward_scale`.
    """

    def __init__(
        self,
        variant: str,
        *,
        rules: Rules | Mapping[str, Any] | None = None,
        episode: str = "hand",
        max_hands: int | None = None,
        observation: str = "planes",
        render_mode: str | None = None,
        log: bool = False,
    ) -> None:
        super().__init__()
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.variant = variant
        self.rules = as_rules(variant, rules)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{variant}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self._keeps_log = bool(log)
        self.log: list[dict[str, Any]] = []
        limit = check_max_hands(max_hands)
        self._engine = Engine(self.rules, 1, episode=episode, max_hands=limit, view=observation)
        self._scratch = Scratch(check_choice("observation", observation, VIEWS))
        self._seed: int | None = None
        self._game = 0
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._make_spaces()

    def _make_spaces(self) -> None:
        low, high = self.observation_layout.scalar_bounds()
        planes = np.repeat(self.observation_layout.plane_high()[:, None], HAND_KINDS, axis=1)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(planes), planes, dtype=np.uint8),
                    "scalars": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}
        oracle = observation_layout("oracle")
        tall = np.repeat(oracle.plane_high()[:, None], HAND_KINDS, axis=1)
        self.state_space = spaces.Box(np.zeros_like(tall), tall, dtype=np.uint8)

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same space object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same space object at every call."""
        return self.action_spaces[agent]

    @property
    def observation_layout(self) -> ObservationLayout:
        """What every plane and scalar means."""
        return self._engine.layout

    @property
    def table(self) -> Array:
        """The `TABLE` array of length 1, the whole state of the game."""
        return self._engine.tables

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        `options` may set `dealer` (0-3 or "random"), `streak`, `round_wind`, `scores`, `wall` (all tiles, kinds or
        names) and `roll`; wall and roll hold for the first hand. Unknown keys are ignored, bad values raise
        `ValueError` and change nothing.
        """
        if seed is not None:
            new_seed, game = check_seed(seed), 0
        elif self._seed is None:
            new_seed, game = int(seeding.np_random()[1]) & MAX_SEED, 0
        else:
            new_seed, game = self._seed, self._game + 1
        self._engine.start(_ROW, np.array([new_seed]), np.array([game]), options)
        self._seed, self._game = new_seed, game
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self._points = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.log.clear()
        self._log_start()
        self._select()
        self._render_step()

    def step(self, action: int | None) -> None:
        """Take the action of `agent_selection`.

        Raises `ValueError` for an action outside the mask, or that is no integer; the game is then unchanged.
        """
        if self._seed is None:
            raise ValueError("there is no game yet: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = self._check_action(action)
        self._cumulative_rewards[agent] = 0.0
        self._points[agent] = 0
        self._clear_rewards()
        engine = self._engine
        engine.step(chosen, 0, 1, autoreset=False, pause=True)
        if self._keeps_log:
            self.log += game_log.step_events(self.rules, self.table[0])
        if engine.tables["phase"][0] == PHASE_HAND_OVER or engine.out.done[0] != GOING:
            self._pay()
        if engine.tables["phase"][0] == PHASE_HAND_OVER:
            engine.resume(_ROW)
            self._log_start()
        self._select()
        self._accumulate_rewards()
        self._deads_step_first()
        self._render_step()

    def _check_action(self, action: Any) -> Array:
        is_whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if isinstance(action, np.ndarray) and action.shape == () and np.issubdtype(action.dtype, np.integer):
            is_whole, action = True, int(action)
        if not is_whole:
            raise ValueError(f"an action is a whole number from 0 to {N_ACTIONS - 1}, not {action!r}")
        mask = self._engine.mask[0]
        if not 0 <= action < N_ACTIONS or not mask[action]:
            name = f" ({action_name(int(action))})" if 0 <= action < N_ACTIONS else ""
            legal = ", ".join(map(str, np.flatnonzero(mask)))
            raise ValueError(f"action {action}{name} of {self.agent_selection} is illegal: legal are {legal}")
        return np.array([action], np.int64)

    def _pay(self) -> None:
        out = self._engine.out
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = float(out.points[0, seat]) / float(self.rules.reward_scale)
            self._points[agent] += int(out.points[0, seat])

    def _select(self) -> None:
        out = self._engine.out
        done = int(out.done[0])
        if done == GOING:
            self.agent_selection = AGENTS[int(out.seat[0])]
        else:
            self.terminations = dict.fromkeys(AGENTS, done != TRUNCATED)
            self.truncations = dict.fromkeys(AGENTS, done == TRUNCATED)
        self.infos: dict[str, dict[str, Any]] = {agent: {"points": self._points[agent]} for agent in AGENTS}
        if done == GOING:
            self.infos[self.agent_selection]["decision"] = DECISIONS[int(out.decision[0])]

    def _log_start(self) -> None:
        if self._keeps_log:
            self.log += game_log.start_events(self.rules, self.table[0])

    def observe(self, agent: str) -> dict[str, Array]:
        """What that agent may see now; its mask is zero unless it is the one to act. `ValueError` for no such agent."""
        seat = AGENTS.index(check_choice("agent", agent, AGENTS))
        out = self._engine.out
        if seat == int(out.seat[0]):
            return {
                "observation": self._engine.observation[0].copy(),
                "scalars": out.scalars[0].copy(),
                "action_mask": self._engine.mask[0].astype(np.int8),
            }
        planes, scalars = self._scratch.view(self._engine, seat)
        return {
            "observation": planes.copy(),
            "scalars": scalars.copy(),
            "action_mask": np.zeros(N_ACTIONS, np.int8),
        }

    def state(self) -> Array:
        """Everything on the table as seat 0 would see it with open hands: uint8 [C, 34], the `"oracle"` planes."""
        return Scratch("oracle").view(self._engine, 0)[0]

    def render(self) -> str | Array | None:
        """The table as text (`ansi`), printed (`human`) or as a picture uint8 [H, W, 3] (`rgb_array`)."""
        if self.render_mode is None:
            logger.warn("render() needs a render_mode: make the environment with one of human, ansi, rgb_array")
            return None
        if self.render_mode == "rgb_array":
            return pictures.table_image(self.rules, self.table[0])
        text = pictures.table_text(self.rules, self.table[0])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _render_step(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing to release."""

    def snapshot(self) -> bytes:
        """The whole state, exact: `restore` continues as if nothing had happened in between."""
        return snapshots.pack(self.rules, self.table, self._bookkeeping())

    def restore(self, snapshot: bytes) -> None:
        """Go back to a state that `snapshot` took.

        Raises `ValueError` for bytes that are cut, edited, or of another variant, rules or version; the environment is
        then unchanged.
        """
        table, books = snapshots.unpack(self.rules, snapshot)
        self._engine.tables[:] = table
        self._set_bookkeeping(books)

    def _bookkeeping(self) -> dict[str, Any]:
        return copy.deepcopy({name: getattr(self, name) for name in BOOKS if hasattr(self, name)})

    def _set_bookkeeping(self, books: Mapping[str, Any]) -> None:
        for name, value in books.items():
            setattr(self, name, value)
        if not self._keeps_log:
            self.log = []
        self._engine.show()

    def determinize(self, agent: str, seed: int) -> MahjongEnv:
        """A new environment whose hidden tiles are re-dealt consistently with what `agent` knows.

        Inside an open window all answers are forgotten: the agent is asked first, then every other seat that has an
        option in the re-dealt world. The copy keeps no log. Raises `ValueError` for an unknown agent, or if no hand is
        being played.
        """
        seat = AGENTS.index(check_choice("agent", agent, AGENTS))
        if int(self._engine.out.seat[0]) < 0:
            raise ValueError("determinize needs a hand that is being played: call reset first")
        other = copy.deepcopy(self)
        other._keeps_log = False
        other.log = []
        redeal(other._engine, seat, check_seed(seed))
        other._select()
        return other

    def __getstate__(self) -> dict[str, Any]:
        engine = self._engine
        settings = {
            "rules": self.rules,
            "render_mode": self.render_mode,
            "log": self._keeps_log,
            "observation": VIEWS[engine.view],
        }
        return {
            "variant": self.variant,
            "settings": settings,
            "table": self.table.tobytes(),
            "books": self._bookkeeping(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["variant"], **state["settings"])  # type: ignore[misc]
        self._engine.tables[:] = np.frombuffer(state["table"], TABLE)
        self._set_bookkeeping(state["books"])

    def __str__(self) -> str:
        return str(self.metadata["name"])


def raw_env(variant: str, **settings: Any) -> MahjongEnv:
    """The bare environment: fast, and an illegal action raises `ValueError`."""
    return MahjongEnv(variant, **settings)


def env(variant: str, **settings: Any) -> AECEnv[str, dict[str, Array], int]:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the episode with -1 for the offender."""
    wrapped: Any = wrappers.TerminateIllegalWrapper(raw_env(variant, **settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))
