"""The SB3 batch: equal to SB3's own batch of one-seat environments, and to the payments that the engine made."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import mjenv
from agents import make
from agents.arena import play_games
from agents.keys import decision_keys
from mjenv.envs.seat import SeatEnv
from mjenv.envs.seat_games import FlatView
from mjenv.envs.vector import ROW_SHIFT
from mjenv.registration import GYM_NAMES

pytest.importorskip("stable_baselines3")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from mjenv.envs.sb3 import SeatVecEnv

VARIANTS = tuple(GYM_NAMES)
MIXED = ["greedy", "random", "greedy"]


def draw(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """Random legal actions."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def one_by_one(variant: str, rows: int, seed: int, **settings: Any) -> DummyVecEnv:
    """SB3's own batch of one-seat environments, set to the games that the rows play."""
    envs = DummyVecEnv([lambda seat=row % 4: SeatEnv(variant, seat, **settings) for row in range(rows)])
    for row, env in enumerate(envs.envs):
        env.reset(seed=seed)
        env.unwrapped._games._game[0] = (row << ROW_SHIFT) - 1
    return envs


@pytest.mark.parametrize("observation", ["planes", "features"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_are_what_the_one_seat_environment_is(variant: str, observation: str) -> None:
    settings: dict[str, Any] = {"opponents": MIXED, "observation": observation}
    if observation == "features":
        settings |= {"episode": "game", "max_hands": 2}
    batch = SeatVecEnv(variant, 5, **settings)
    single = one_by_one(variant, 5, 3, **settings)
    batch.seed(3)
    np.testing.assert_array_equal(batch.reset(), single.reset())
    assert batch.reset_infos == single.reset_infos
    rng, ended, truncated = np.random.default_rng(0), 0, 0
    for _ in range(70):
        masks = get_action_masks(batch)
        np.testing.assert_array_equal(masks, get_action_masks(single))
        actions = draw(rng, masks)
        mine, theirs = batch.step(actions), single.step(actions)
        for one, other in zip(mine[:3], theirs[:3], strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        for info, expected in zip(mine[3], theirs[3], strict=True):
            assert info.keys() == expected.keys()
            np.testing.assert_equal(info, expected)
        assert batch.reset_infos == single.reset_infos
        ended += int(mine[2].sum())
        truncated += sum(info["TimeLimit.truncated"] for info in mine[3])
    assert ended >= 5
    assert truncated > 0 or observation == "planes"


def choose(mask: np.ndarray, turn: int) -> int:
    """A scripted learner: wins when it can, else walks through its legal actions."""
    legal = np.flatnonzero(mask)
    return 73 if mask[73] else int(legal[turn % len(legal)])


def book_payments(variant: str, seats: list[int], seed: int, wanted: int, **settings: Any) -> list[list[int]]:
    """What each learner's first `wanted` decisions were paid, by row, read off a plain batch of the same games."""
    games = mjenv.vector(variant, len(seats), seed=seed, **settings)
    agent = make("greedy", variant)
    booked: list[list[int]] = [[] for _ in seats]
    begun, early = [False] * len(seats), [0] * len(seats)
    while min(map(len, booked)) <= wanted:
        tables = games._engine.tables
        keys = decision_keys(seed, tables["game"], tables["decisions"], games.seat)
        actions = np.array(agent.act(games.observation.copy(), games.scalars.copy(), games.action_mask, keys))
        for row, seat in enumerate(seats):
            if games.seat[row] == seat:
                actions[row] = choose(games.action_mask[row], len(booked[row]))
                booked[row].append(early[row])
                begun[row], early[row] = True, 0
        games.step(actions)
        for row, seat in enumerate(seats):
            if begun[row]:
                booked[row][-1] += int(games.points[row, seat])
            else:
                early[row] += int(games.points[row, seat])
            if games.done[row]:
                begun[row], early[row] = False, 0
    return [payments[:wanted] for payments in booked]


@pytest.mark.parametrize("variant", VARIANTS)
def test_rewards_are_the_payments_of_the_engine(variant: str) -> None:
    settings: dict[str, Any] = {"episode": "game", "max_hands": 2}
    batch = SeatVecEnv(variant, 6, opponents="greedy", **settings)
    batch.seed(11)
    batch.reset()
    rewards, points = [], []
    for turn in range(60):
        actions = np.array([choose(mask, turn) for mask in batch.action_masks()])
        _, reward, _, infos = batch.step(actions)
        rewards.append(reward)
        points.append([info["points"] for info in infos])
    expected = book_payments(variant, batch.get_attr("seat"), 11, 60, **settings)
    assert np.array(points).T.tolist() == expected
    np.testing.assert_array_equal(rewards, (np.array(points) / batch.rules.reward_scale).astype(np.float32))
    assert np.any(points)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_greedy_learner_earns_what_the_arena_says_and_the_four_seats_sum_to_zero(variant: str) -> None:
    rows, seed = 6, 5
    agent, flat = make("greedy", variant), FlatView("planes")
    tiles, high = 34 * len(flat.layout.planes), flat.layout.plane_high()[:, None]
    earned, skipped = np.zeros((rows, 4)), np.zeros(rows, bool)
    for seat in range(4):
        batch = SeatVecEnv(variant, rows, seat, "greedy")
        batch.seed(seed)
        seen, going = batch.reset(), np.ones(rows, bool)
        skipped |= [info["skipped"] > 0 for info in batch.reset_infos]
        while going.any():
            planes = np.rint(seen[:, :tiles].reshape(rows, -1, 34) * high).astype(np.uint8)
            keys = np.zeros(rows, np.uint64)
            seen, reward, done, _ = batch.step(agent.act(planes, seen[:, tiles:], batch.action_masks(), keys))
            earned[:, seat] += reward * batch.rules.reward_scale * going
            going &= ~done
    results = play_games(variant, ["greedy"] * 4, np.arange(rows) << ROW_SHIFT, seed=seed)
    np.testing.assert_allclose(earned[~skipped], results.points[~skipped], atol=1e-3)
    np.testing.assert_allclose(earned[~skipped].sum(axis=1), 0, atol=1e-3)
    assert results.points[~skipped].any()


def test_rows_do_not_depend_on_their_number() -> None:
    rows = {}
    for count in (3, 8):
        batch = SeatVecEnv("fuzhou", count, opponents=MIXED)
        batch.seed(9)
        seen = [batch.reset()[:3]]
        for turn in range(40):
            actions = np.array([choose(mask, turn) for mask in batch.action_masks()])
            observation, reward, done, _ = batch.step(actions)
            seen += [observation[:3], reward[:3], done[:3]]
        rows[count] = seen
    for one, other in zip(rows[3], rows[8], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_seed_repeats_its_games_and_reset_without_one_goes_on() -> None:
    batch = SeatVecEnv("hangzhou", 4)
    assert batch.seed(7) == [7] * 4
    first = batch.reset()
    second = batch.reset()
    assert batch._games.tables["game"].tolist() == [(row << ROW_SHIFT) + 1 for row in range(4)]
    batch.seed(7)
    np.testing.assert_array_equal(batch.reset(), first)
    assert not np.array_equal(first, second)
    unseeded = SeatVecEnv("hangzhou", 4)
    assert not np.array_equal(unseeded.reset(), first)


def test_options_of_a_reset_hold_for_all_rows() -> None:
    batch = SeatVecEnv("hangzhou", 4, 2)
    batch.set_options({"dealer": 2})
    batch.seed(1)
    batch.reset()
    assert batch._games.tables["dealer"].tolist() == [2] * 4
    before = batch._games.tables.tobytes()
    batch.set_options({"dealer": 9})
    with pytest.raises(ValueError, match="dealer"):
        batch.reset()
    batch.set_options([{"dealer": 1}, {}, {}, {}])
    with pytest.raises(ValueError, match="same for all rows"):
        batch.reset()
    assert batch._games.tables.tobytes() == before


def test_seats_are_spread_or_one_for_all() -> None:
    assert SeatVecEnv("yugan", 6).get_attr("seat") == [0, 1, 2, 3, 0, 1]
    assert SeatVecEnv("yugan", 3, 2).get_attr("seat", [0, 2]) == [2, 2]


def test_masks_come_as_sb3_contrib_asks_for_them() -> None:
    batch = SeatVecEnv("hongkong", 4)
    batch.reset()
    assert is_masking_supported(batch) and is_masking_supported(VecMonitor(batch))
    np.testing.assert_array_equal(get_action_masks(batch), batch.action_masks())
    np.testing.assert_array_equal(batch.env_method("action_masks", indices=[2])[0], batch.action_masks()[2])
    assert get_action_masks(batch).shape == (4, 75)
    with pytest.raises(AttributeError, match="no render"):
        batch.env_method("render")


def test_attributes_of_rows() -> None:
    batch = SeatVecEnv("hangzhou", 3)
    batch.set_attr("level", 2, indices=[0, 2])
    assert batch.get_attr("level", [0, 2]) == [2, 2]
    assert batch.has_attr("variant") and not batch.has_attr("level")
    assert batch.get_attr("variant", 1) == ["hangzhou"]
    assert batch.get_attr("render_mode") == [None] * 3
    assert batch.env_is_wrapped(VecMonitor) == [False] * 3
    for name in ("seat", "rules", "num_envs"):
        with pytest.raises(AttributeError, match="fixed"):
            batch.set_attr(name, 1)


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    batch = SeatVecEnv("hangzhou", 4)
    batch.seed(2)
    batch.reset()
    before = batch._games.tables.tobytes()
    actions = batch.action_masks().argmax(axis=1)
    actions[2] = 75
    with pytest.raises(ValueError, match=r"action 75 of seat 2 in row 2 is illegal"):
        batch.step(actions)
    for wrong in (actions[:3], actions.astype(float), 5):
        with pytest.raises(ValueError, match="must be 4 integers"):
            batch.step(wrong)
    assert batch._games.tables.tobytes() == before


def test_substituted_actions_are_counted_by_row() -> None:
    batch = SeatVecEnv("hangzhou", 4, illegal_action="substitute")
    batch.seed(2)
    batch.reset()
    actions = batch.action_masks().argmax(axis=1)
    actions[1] = -1
    infos = batch.step(actions)[3]
    assert [info["illegal_actions"] for info in infos] == [0, 1, 0, 0]


def test_a_step_before_the_first_reset_raises() -> None:
    with pytest.raises(ValueError, match="reset"):
        SeatVecEnv("hangzhou", 2).step(np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"seat": 4}, "seat must be"),
        ({"seat": "north"}, "spread"),
        ({"opponents": "nobody"}, "unknown agent"),
        ({"observation": "none"}, "planes"),
        ({"illegal_action": "ignore"}, "substitute"),
        ({"max_hands": 0}, "max_hands"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SeatVecEnv("hangzhou", **{"num_envs": 2, **settings})


def test_a_copy_goes_on_from_where_it_was_taken() -> None:
    batch = SeatVecEnv("yugan", 4, opponents=MIXED)
    batch.seed(3)
    batch.reset()
    rng = np.random.default_rng(1)
    for _ in range(9):
        batch.step(draw(rng, batch.action_masks()))
    other = copy.deepcopy(batch)
    for _ in range(60):
        actions = draw(rng, batch.action_masks())
        mine, theirs = batch.step(actions), other.step(actions)
        for one, twin in zip(mine[:3], theirs[:3], strict=True):
            np.testing.assert_array_equal(one, twin)


def test_maskable_ppo_never_plays_an_illegal_action() -> None:
    """The batch raises for one, also with the masks behind a wrapper."""
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(SeatVecEnv("hangzhou", 8)),
        n_steps=16,
        batch_size=64,
        n_epochs=2,
        policy_kwargs={"net_arch": [16]},
        seed=1,
        device="cpu",
    )
    model.learn(256)
    assert model.num_timesteps == 256
    assert len(model.ep_info_buffer) > 0


def test_without_sb3_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['stable_baselines3'] = None; import mjenv.envs.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = "ImportError: mjenv.envs.sb3 needs stable_baselines3: pip install 'mjenv[sb3]'"
    assert done.stderr.splitlines()[-1] == told
