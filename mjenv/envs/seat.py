"""One seat learns, named agents play the other three: a Gymnasium environment with masks.

The one place where the library looks up to `agents`, and only inside functions: opponents are found by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import seeding

from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.channels import VIEWS, ObservationLayout, observation_layout
from mjenv.core.engine import MAX_SEED, Engine, Scratch, check_choice, check_max_hands, check_options, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.core.table import DECISIONS, GOING, TABLE, TRUNCATED
from mjenv.core.tiles import HAND_KINDS
from mjenv.variants import as_rules

Opponents: TypeAlias = Any
"""An agent's name or an object that satisfies `agents.Agent`, or three of them in a sequence."""

ILLEGAL_ACTIONS = ("raise", "substitute")
_ROW = np.zeros(1, np.int64)
_SALT = 0x5EA7


class SeatEnv(gymnasium.Env[Array, int]):
    """The game as one seat meets it: every observation is a decision of that seat.

    Observation: float32 vector, the planes of `observation_layout` one after another, each divided by its highest
    value, then the scalars. Action: `Discrete(75)`; `action_masks()` (bool [75]) tells the legal ones. Reward: the
    seat's own payments since its last decision (since the start, for the first), divided by `rules.reward_scale`.

    `info` holds `points` (those payments), `decision` (what the seat decides now, absent at the end), `skipped` (games
    that ended before the seat could decide anything: `reset` goes on to the next one) and `illegal_actions` (so many
    were replaced in this episode).
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        variant: str,
        seat: int = 0,
        opponents: Opponents = "random",
        *,
        rules: Rules | Mapping[str, Any] | None = None,
        episode: str = "hand",
        max_hands: int | None = None,
        observation: str = "planes",
        render_mode: str | None = None,
        illegal_action: str = "raise",
    ) -> None:
        """opponents: a name or an agent for all three, or three of them for the seats to the right, across and left.

        illegal_action: `"raise"` a `ValueError`, or `"substitute"` a legal action that follows from the state, and
        count it in `info["illegal_actions"]` (for tools that step without masks).
        """
        self._settings: dict[str, Any] = {
            "variant": variant,
            "seat": seat,
            "opponents": opponents,
            "rules": rules,
            "episode": episode,
            "max_hands": max_hands,
            "observation": observation,
            "render_mode": render_mode,
            "illegal_action": illegal_action,
        }
        if not isinstance(seat, int | np.integer) or isinstance(seat, bool) or seat not in range(4):
            raise ValueError(f"seat must be 0, 1, 2 or 3, not {seat!r}")
        if render_mode is not None:
            check_choice("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        self.variant = variant
        self.seat = int(seat)
        self.rules = as_rules(variant, rules)
        self.render_mode = render_mode
        self._substitutes = check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS) == "substitute"
        self._agents = self._find_agents(opponents)
        self.observation_layout: ObservationLayout = observation_layout(check_choice("observation", observation, VIEWS))
        self._make_spaces()
        reads = {agent.observation for agent in self._agents.values()}
        view = "features" if "features" in reads else "planes"
        self._engine = Engine(self.rules, 1, episode=episode, max_hands=check_max_hands(max_hands), view=view)
        self._scratch = Scratch(observation)
        self._seed: int | None = None
        self._game = 0
        self._points = 0
        self._early = 0
        """Points of hands that ended before the seat's first decision: they go into its first reward."""
        self._illegal_actions = 0

    def _find_agents(self, opponents: Opponents) -> dict[int, Any]:
        """The agents of the other seats by seat."""
        from agents.protocol import OBSERVATIONS, Agent
        from agents.registry import make

        shared = isinstance(opponents, str | Agent)
        given: Any = [opponents] * 3 if shared else opponents
        if not isinstance(given, list | tuple) or len(given) != 3:
            raise ValueError(f"opponents must be one agent or a list of three, not {opponents!r}")
        made = [entry if isinstance(entry, Agent) else make(entry, self.variant, self.rules) for entry in given]
        for agent in made:
            if agent.observation not in OBSERVATIONS:
                raise ValueError(f"agent {agent.name} reads {agent.observation!r}: use {' or '.join(OBSERVATIONS)}")
        return {(self.seat + step) % 4: agent for step, agent in enumerate(made, start=1)}

    def _make_spaces(self) -> None:
        layout = self.observation_layout
        low, high = layout.scalar_bounds()
        tiles = HAND_KINDS * len(layout.planes)
        self._scale = 1 / layout.plane_high().astype(np.float32)[:, None]
        self.observation_space = spaces.Box(
            np.concatenate((np.zeros(tiles, np.float32), low)),
            np.concatenate((np.ones(tiles, np.float32), high)),
            dtype=np.float32,
        )
        self.action_space: gymnasium.Space[Any] = spaces.Discrete(N_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode; seeding and options as in the AEC environment."""
        check_options(self.rules, options)
        super().reset(seed=None if seed is None else check_seed(seed))
        if seed is not None:
            self._seed, self._game = int(seed), -1
        elif self._seed is None:
            self._seed, self._game = int(seeding.np_random()[1]) & MAX_SEED, -1
        self._illegal_actions = 0
        self._deal(options)
        skipped = 0
        while self._is_over():
            skipped += 1
            self._deal({name: value for name, value in (options or {}).items() if name not in ("wall", "roll")})
        self._early, self._points = self._points, 0
        self._render_step()
        return self._observe(), {**self._info(), "skipped": skipped}

    def _deal(self, options: Mapping[str, Any] | None) -> None:
        """Begin the next game and play it up to the seat's first decision, or to its end."""
        self._game += 1
        self._engine.start(_ROW, np.array([self._seed]), np.array([self._game]), options)
        self._points = 0
        self._play_others()

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Take the seat's decision and play on to its next one, or to the end of the episode."""
        if self._is_over():
            raise ValueError("the episode is over: call reset()")
        chosen = self._check_action(action)
        self._points, self._early = self._early, 0
        self._advance(chosen)
        self._play_others()
        self._render_step()
        reward = self._points / float(self.rules.reward_scale)
        done = int(self._engine.out.done[0])
        return self._observe(), reward, done not in (GOING, TRUNCATED), done == TRUNCATED, self._info()

    def action_masks(self) -> Array:
        """bool [75]: the legal actions of the seat, all false when the episode is over."""
        return np.asarray(self._engine.mask[0], np.bool_)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_seed", "_game", "_points", "_early", "_illegal_actions", "_np_random", "_np_random_seed", "spec")
        books = {name: getattr(self, name) for name in kept}
        return {"settings": self._settings, "table": self._engine.tables.tobytes(), "books": books}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["settings"])  # type: ignore[misc]
        self._engine.tables[:] = np.frombuffer(state["table"], TABLE)
        self._engine.show()
        self.__dict__.update(state["books"])

    def _check_action(self, action: Any) -> int:
        """The action to take: the one given, or in its place a legal one."""
        mask = self.action_masks()
        whole = isinstance(action, int | np.integer) or (
            isinstance(action, np.ndarray) and action.shape == () and np.issubdtype(action.dtype, np.integer)
        )
        if whole and not isinstance(action, bool) and 0 <= int(action) < N_ACTIONS and mask[int(action)]:
            return int(action)
        if self._substitutes:
            self._illegal_actions += 1
            return self._substitute(mask)
        name = f" ({action_name(int(action))})" if whole and 0 <= int(action) < N_ACTIONS else ""
        legal = ", ".join(map(str, np.flatnonzero(mask)))
        raise ValueError(f"action {action!r}{name} of seat {self.seat} is illegal: legal are {legal}")

    def _substitute(self, mask: Array) -> int:
        from agents.keys import pick_uniform, salted

        return int(pick_uniform(mask[None], salted(self._keys(), _SALT))[0])

    def _keys(self) -> Array:
        from agents.keys import decision_keys

        table = self._engine.tables
        return decision_keys(table["seed"], table["game"], table["decisions"], self._engine.out.seat)

    def _is_over(self) -> bool:
        return int(self._engine.out.done[0]) != GOING or int(self._engine.out.seat[0]) < 0

    def _advance(self, action: int) -> None:
        self._engine.step(np.array([action]), 0, 1, autoreset=False, pause=False)
        self._points += int(self._engine.out.points[0, self.seat])

    def _play_others(self) -> None:
        """Let the others play until the seat must decide or the episode is over."""
        from agents.asking import ask

        out = self._engine.out
        while not self._is_over() and int(out.seat[0]) != self.seat:
            agent = self._agents[int(out.seat[0])]
            actions = ask(agent, self._engine, _ROW, self._keys())
            who = f"opponent {agent.name} in seat {int(out.seat[0])}"
            if actions.shape != (1,) or not np.issubdtype(actions.dtype, np.integer):
                raise ValueError(f"{who} must answer with one integer a row, not with {actions!r}")
            action = int(actions[0])
            if not 0 <= action < N_ACTIONS or not self._engine.mask[0, action]:
                raise ValueError(f"{who} chose the illegal action {action}")
            self._advance(action)

    def _observe(self) -> Array:
        """float32 [34 C + K]: what the seat sees."""
        planes, scalars = self._scratch.view(self._engine, self.seat)
        return np.concatenate(((planes * self._scale).reshape(-1), scalars), dtype=np.float32)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"points": self._points, "illegal_actions": self._illegal_actions}
        if not self._is_over():
            info["decision"] = DECISIONS[int(self._engine.out.decision[0])]
        return info

    def render(self) -> Any:
        """The table as text (`ansi`), printed (`human`) or as a picture uint8 [H, W, 3] (`rgb_array`)."""
        from mjenv import render as pictures

        if self.render_mode is None:
            logger.warn("render() needs a render_mode: make the environment with one of human, ansi, rgb_array")
            return None
        if self.render_mode == "rgb_array":
            return pictures.table_image(self.rules, self._engine.tables[0])
        text = pictures.table_text(self.rules, self._engine.tables[0])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _render_step(self) -> None:
        if self.render_mode == "human":
            self.render()
