"""One seat learns, named agents play the other three: a Gymnasium environment with masks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import logger, spaces

from mjenv.core.actions import N_ACTIONS
from mjenv.core.channels import ObservationLayout
from mjenv.core.engine import check_choice, check_options, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.envs.seat_games import Opponents, SeatGames
from mjenv.variants import as_rules


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
        if not isinstance(seat, int | np.integer) or isinstance(seat, bool) or seat not in range(4):
            raise ValueError(f"seat must be 0, 1, 2 or 3, not {seat!r}")
        if render_mode is not None:
            check_choice("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        self.variant = variant
        self.seat = int(seat)
        self.rules = as_rules(variant, rules)
        self.render_mode = render_mode
        self._substitutes = illegal_action == "substitute"
        self._games = SeatGames(
            self.rules,
            np.array([self.seat]),
            opponents,
            episode=episode,
            max_hands=max_hands,
            observation=observation,
            illegal_action=illegal_action,
        )
        self.observation_layout: ObservationLayout = self._games.flat.layout
        self.observation_space = self._games.flat.space()
        self.action_space: gymnasium.Space[Any] = spaces.Discrete(N_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode; seeding and options as in the AEC environment."""
        check_options(self.rules, options)
        super().reset(seed=None if seed is None else check_seed(seed))
        skipped = self._games.reset(seed, options)
        self._render_step()
        return self._observe(), {**self._games.infos()[0], "skipped": int(skipped[0])}

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Take the seat's decision and play on to its next one, or to the end of the episode."""
        games = self._games
        if games.is_over(games.rows)[0]:
            raise ValueError("the episode is over: call reset()")
        games.step(np.array([self._check_action(action)]))
        self._render_step()
        over, truncated = bool(games.is_over(games.rows)[0]), bool(games.is_truncated(games.rows)[0])
        return self._observe(), float(games.rewards()[0]), over and not truncated, truncated, games.infos()[0]

    def action_masks(self) -> Array:
        """bool [75]: the legal actions of the seat, all false when the episode is over."""
        return np.asarray(self._games.masks()[0])

    def _check_action(self, action: Any) -> int:
        """The action as an int; what is none raises, or becomes -1, for which a legal one is substituted."""
        whole = isinstance(action, int | np.integer) or (
            isinstance(action, np.ndarray) and action.shape == () and np.issubdtype(action.dtype, np.integer)
        )
        if whole and not isinstance(action, bool) and 0 <= int(action) < N_ACTIONS:
            return int(action)
        if self._substitutes:
            return -1
        raise ValueError(f"action {action!r} is illegal: actions are whole numbers from 0 to {N_ACTIONS - 1}")

    def _observe(self) -> Array:
        return np.asarray(self._games.observe(self._games.rows)[0])

    def render(self) -> Any:
        """The table as text (`ansi`), printed (`human`) or as a picture uint8 [H, W, 3] (`rgb_array`)."""
        from mjenv import render as pictures

        if self.render_mode is None:
            logger.warn("render() needs a render_mode: make the environment with one of human, ansi, rgb_array")
            return None
        if self.render_mode == "rgb_array":
            return pictures.table_image(self.rules, self._games.tables[0])
        text = pictures.table_text(self.rules, self._games.tables[0])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def _render_step(self) -> None:
        if self.render_mode == "human":
            self.render()
