"""Stable-Baselines3: a `VecEnv` straight over the batch, with the masks that sb3-contrib's MaskablePPO asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from mjenv.core.actions import N_ACTIONS
from mjenv.core.channels import ObservationLayout
from mjenv.core.engine import MAX_SEED, check_seed
from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.envs.seat_games import Opponents, SeatGames
from mjenv.variants import as_rules

try:
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices
except ModuleNotFoundError as error:
    raise ImportError("mjenv.envs.sb3 needs stable_baselines3: pip install 'mjenv[sb3]'") from error


class SeatVecEnv(VecEnv):
    """N games in step; in each, one seat learns and agents play the other three.

    A row is what `SeatEnv` is for one game: same observations (float32 [N, 34 C + K]), actions, rewards and infos. A
    step takes one decision of every learner; then the agents play on, all rows at once, until each row waits for its
    learner again. A row whose episode is over begins its next game at once; its last view is in the info as
    `terminal_observation`, and `TimeLimit.truncated` says whether `max_hands` ended it.

    Row r plays the games r * 2**32, r * 2**32 + 1, … of a seed, as in `mjenv.vector`. Games of which the learner had no
    decision are skipped (`reset_infos[row]["skipped"]`).
    """

    render_mode = None

    def __init__(
        self,
        variant: str,
        num_envs: int,
        seat: int | str = "spread",
        opponents: Opponents = "random",
        *,
        rules: Rules | Mapping[str, Any] | None = None,
        episode: str = "hand",
        max_hands: int | None = None,
        observation: str = "planes",
        illegal_action: str = "raise",
    ) -> None:
        """seat: which one learns, or `"spread"`: seat r % 4 in row r. opponents and illegal_action as in `SeatEnv`."""
        if not isinstance(num_envs, int | np.integer) or isinstance(num_envs, bool) or num_envs < 1:
            raise ValueError(f"num_envs must be a whole number above 0, not {num_envs!r}")
        self.variant = variant
        self.rules = as_rules(variant, rules)
        self.seats = _spread_seats(int(num_envs), seat)
        self._games = SeatGames(
            self.rules,
            self.seats,
            opponents,
            episode=episode,
            max_hands=max_hands,
            observation=observation,
            illegal_action=illegal_action,
        )
        self._actions: Array = np.zeros(num_envs, np.int64)
        self._noted: list[dict[str, Any]] = [{} for _ in self.seats]
        super().__init__(int(num_envs), self._games.flat.space(), spaces.Discrete(N_ACTIONS))

    @property
    def observation_layout(self) -> ObservationLayout:
        """What every plane and scalar means."""
        return self._games.flat.layout

    def seed(self, seed: int | None = None) -> list[int | None]:
        """The seed that the next `reset` plays the first games of, the same for all rows; None draws one."""
        chosen = int(seeding.np_random()[1]) & MAX_SEED if seed is None else check_seed(seed)
        self._seeds = [chosen] * self.num_envs
        return list(self._seeds)

    def reset(self) -> Array:
        """Begin a game on every row, after `seed` the first ones, else the next ones; with `set_options`, those."""
        games = self._games
        if any(options != self._options[0] for options in self._options):
            raise ValueError("options of reset must be the same for all rows")
        skipped = games.reset(self._seeds[0], self._options[0])
        self._note_reset(games.rows, skipped)
        self._reset_seeds()
        self._reset_options()
        return games.observe(games.rows)

    def step_async(self, actions: Array) -> None:
        """Note the learners' actions (int [N]); `ValueError` unless they are N integers."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            found = f"shape {chosen.shape} and dtype {chosen.dtype}"
            raise ValueError(f"actions must be {self.num_envs} integers, not an array of {found}")
        self._actions = chosen.astype(np.int64)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Take the actions: observations, rewards float32 [N], dones bool [N] and infos.

        Raises `ValueError` for an illegal action, unless those are substituted; then nothing has changed.
        """
        games = self._games
        if games.is_over(games.rows).any():
            raise ValueError("no game has begun: call reset()")
        games.step(self._actions)
        over, rewards, infos = games.is_over(games.rows), games.rewards().astype(np.float32), games.infos()
        for info, truncated in zip(infos, games.is_truncated(games.rows).tolist(), strict=True):
            info["TimeLimit.truncated"] = truncated
        ended = games.rows[over]
        if ended.size:
            for row, seen in zip(ended.tolist(), games.observe(ended), strict=True):
                infos[row]["terminal_observation"] = seen
            self._note_reset(ended, games.begin(ended))
        return games.observe(games.rows), rewards, over, infos

    def _note_reset(self, rows: Array, skipped: Array) -> None:
        infos = self._games.infos()
        for row, count in zip(rows.tolist(), skipped.tolist(), strict=True):
            self.reset_infos[row] = {**infos[row], "skipped": count}

    def action_masks(self) -> Array:
        """bool [N, 75]: the legal actions of the learners."""
        return self._games.masks()

    def close(self) -> None:
        """Nothing to stop."""

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` of the rows: bool [75] each. Rows have no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"rows have the method action_masks and no {method_name}")
        masks = self.action_masks(*method_args, **method_kwargs)
        return [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of rows: `seat`, one that `set_attr` gave them, or one of the batch, which all share."""
        return [self._attribute(row, attr_name) for row in self._get_indices(indices)]

    def _attribute(self, row: int, name: str) -> Any:
        if name == "seat":
            return int(self.seats[row])
        return self._noted[row][name] if name in self._noted[row] else getattr(self, name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Note something about rows. Raises `AttributeError` for what the batch itself is made of."""
        if attr_name == "seat" or hasattr(self, attr_name):
            raise AttributeError(f"{attr_name} is fixed when the batch is made")
        for row in self._get_indices(indices):
            self._noted[row][attr_name] = value

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """False for each row: rows are no environments of their own."""
        return [False for _ in self._get_indices(indices)]


def _spread_seats(num_envs: int, seat: int | str) -> Array:
    """int64 [N]: the learner's seat in each row."""
    if isinstance(seat, str) and seat == "spread":
        return np.arange(num_envs) % 4
    if not isinstance(seat, int | np.integer) or isinstance(seat, bool) or seat not in range(4):
        raise ValueError(f"seat must be 0, 1, 2, 3 or 'spread', not {seat!r}")
    return np.full(num_envs, seat, np.int64)
