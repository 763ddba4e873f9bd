"""The AEC environment against PettingZoo's own tests and our contracts."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from properties.play import VARIANTS, choose

import mjenv
from mjenv.envs.aec import AGENTS, MahjongEnv

UNAVOIDABLE = ("Observation is not a NumPy array", "Observation space for each agent probably should be")


def start(variant: str, seed: int = 0, **settings: Any) -> MahjongEnv:
    env = mjenv.raw_env(variant, **settings)
    env.reset(seed=seed)
    return env


def act(env: MahjongEnv, rng: np.random.Generator, calls: float = 3.0) -> int:
    """Take a random legal action and return it."""
    mask = env.observe(env.agent_selection)["action_mask"]
    action = int(choose(mask[None, :].astype(bool), rng, calls)[0])
    env.step(action)
    return action


def is_over(env: MahjongEnv) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def assert_same(one: Any, other: Any) -> None:
    """Equal observation dicts, byte for byte."""
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo_api(variant: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = pettingzoo.make("aec", f"mjenv/{variant}-v0")
        api_test(env, num_cycles=600)
        api_test(mjenv.raw_env(variant), num_cycles=600)
    messages = {str(warning.message) for warning in caught}
    assert all(message.startswith(UNAVOIDABLE) for message in messages), messages


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo_seed_and_render(variant: str) -> None:
    module = getattr(mjenv, f"{variant}_v0")
    seed_test(module.env, num_cycles=200)
    render_test(module.env)


@pytest.mark.parametrize("variant", VARIANTS)
def test_names_and_spaces(variant: str) -> None:
    env = mjenv.env(variant)
    assert env.metadata["name"] == f"{variant}_v0"
    assert str(env.unwrapped) == f"{variant}_v0"
    assert env.possible_agents == list(AGENTS)
    assert env.metadata["is_parallelizable"] is False
    for agent in AGENTS:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent).n == 75


@pytest.mark.parametrize("variant", VARIANTS)
def test_mask_is_what_step_accepts(variant: str) -> None:
    rng = np.random.default_rng(5)
    env = start(variant, 5)
    checked = 0
    for number in range(220):
        if is_over(env):
            env.reset()
        if number % 11 == 0:
            before = env.snapshot()
            mask = env.observe(env.agent_selection)["action_mask"]
            for action in range(75):
                if mask[action]:
                    env.step(action)
                    env.restore(before)
                else:
                    with pytest.raises(ValueError, match="illegal"):
                        env.step(action)
                assert env.snapshot() == before
                checked += 1
        act(env, rng)
    assert checked == 75 * 20


@pytest.mark.parametrize("variant", VARIANTS)
def test_observations_lie_in_their_space_for_every_agent_at_any_time(variant: str) -> None:
    rng = np.random.default_rng(6)
    for observation in ("planes", "features", "oracle"):
        env = start(variant, 6, observation=observation)
        for _ in range(120):
            if is_over(env):
                env.reset()
            for agent in AGENTS:
                seen = env.observe(agent)
                assert env.observation_space(agent).contains(seen)
                assert seen["action_mask"].any() == (agent == env.agent_selection and not is_over(env))
            act(env, rng)
        assert env.state_space.contains(env.state())


@pytest.mark.parametrize("action", [0.0, np.nan, "3m", None, True, [3], np.array([3]), -1, 75, 10**30])
def test_bad_actions_raise_and_change_nothing(action: Any) -> None:
    env = start("hangzhou")
    before = env.snapshot()
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert env.snapshot() == before


def test_numpy_integers_are_actions() -> None:
    for kind in (np.int8, np.int64, np.uint16):
        env = start("hangzhou")
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(kind(legal[0]))
        env.step(np.array(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


@pytest.mark.parametrize("variant", VARIANTS)
def test_env_ends_the_episode_for_an_illegal_action(variant: str) -> None:
    env = mjenv.env(variant)
    for _ in range(2):
        env.reset(seed=3)
        offender = env.agent_selection
        env.step(74)
        assert env.terminations[offender]
        assert env.rewards[offender] == -1
        assert sum(env.rewards.values()) == -1


@pytest.mark.parametrize("variant", VARIANTS)
def test_snapshot_copy_and_pickle_continue_alike_in_mid_hand(variant: str) -> None:
    rng = np.random.default_rng(7)
    env = start(variant, 7, episode="round", max_hands=3, log=True)
    for _ in range(60):
        act(env, rng)
    twins = [
        copy.deepcopy(env),
        pickle.loads(pickle.dumps(env)),
        start(variant, 99, episode="round", max_hands=3, log=True),
    ]
    twins[2].restore(env.snapshot())
    for _ in range(150):
        if is_over(env):
            break
        action = act(env, rng)
        for twin in twins:
            twin.step(action)
            assert twin.agent_selection == env.agent_selection
            assert twin.infos == env.infos
            assert twin.rewards == env.rewards
            assert twin._cumulative_rewards == env._cumulative_rewards
            for agent in AGENTS:
                assert_same(twin.observe(agent), env.observe(agent))
    for twin in twins:
        assert twin.log == env.log
        assert twin.snapshot() == env.snapshot()


def test_a_copy_leaves_the_original_alone_through_wrappers() -> None:
    env = mjenv.env("yugan")
    env.reset(seed=1)
    before = env.unwrapped.snapshot()
    twin = pickle.loads(pickle.dumps(copy.deepcopy(env)))
    twin.step(int(np.flatnonzero(twin.observe(twin.agent_selection)["action_mask"])[0]))
    assert env.unwrapped.snapshot() == before
    assert twin.unwrapped.snapshot() != before


def test_damaged_snapshots_raise_and_change_nothing() -> None:
    env = start("fuzhou")
    good = env.snapshot()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 1
    foreign = start("yugan").snapshot()
    other_rules = start("fuzhou", rules={"gold_pair_points": 30}).snapshot()
    for bad in (good[:-1], good[:40], b"", bytes(flipped), good + b"x", foreign, other_rules, "text"):
        with pytest.raises(ValueError, match="snapshot"):
            env.restore(bad)  # type: ignore[arg-type]
        assert env.snapshot() == good


@pytest.mark.parametrize("variant", VARIANTS)
def test_rewards_are_points_by_scale_and_pile_up_until_an_agent_acts(variant: str) -> None:
    rng = np.random.default_rng(8)
    env = start(variant, 8, episode="round", max_hands=6)
    ledger = dict.fromkeys(AGENTS, 0)
    unseen = dict.fromkeys(AGENTS, 0)
    scores = env.table["scores"][0].copy()
    for _ in range(3000):
        if is_over(env):
            break
        unseen[env.agent_selection] = 0
        act(env, rng, 8.0)
        gained = env.table["scores"][0] - scores
        scores = env.table["scores"][0].copy()
        assert gained.sum() == 0
        assert sum(env.rewards.values()) == pytest.approx(0)
        for seat, agent in enumerate(AGENTS):
            ledger[agent] += int(gained[seat])
            unseen[agent] += int(gained[seat])
            assert env.rewards[agent] == pytest.approx(gained[seat] / env.rules.reward_scale)
            assert env.infos[agent]["points"] == unseen[agent]
            assert env._cumulative_rewards[agent] == pytest.approx(unseen[agent] / env.rules.reward_scale)
    assert is_over(env)
    first = int(env.rules.record[0]["start_score"])
    assert [first + ledger[agent] for agent in AGENTS] == env.table["scores"][0].tolist()


def test_truncation_is_told_from_termination() -> None:
    env = start("hongkong", episode="round", max_hands=1)
    rng = np.random.default_rng(0)
    while not is_over(env):
        act(env, rng)
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)


@pytest.mark.parametrize("variant", VARIANTS)
def test_dead_agents_step_none_and_leave(variant: str) -> None:
    env = start(variant)
    rng = np.random.default_rng(1)
    while not is_over(env):
        act(env, rng)
    with pytest.raises(ValueError, match="None"):
        env.step(3)
    for _ in range(4):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"dealer": 4}, "dealer"),
        ({"dealer": "east"}, "dealer"),
        ({"streak": -1}, "streak"),
        ({"round_wind": "X"}, "round_wind"),
        ({"round_wind": "S"}, "round_wind"),
        ({"scores": [1, 2, 3]}, "scores"),
        ({"scores": [1, 2, 3, 0.5]}, "scores"),
        ({"scores": np.full(4, np.iinfo(np.int64).min)}, "scores"),
        ({"wall": [0] * 136}, "wall"),
        ({"wall": ["1m"]}, "wall"),
        ({"wall": "1x" * 136}, "tile"),
        ({"wall": 7}, "wall"),
        ({"roll": 7}, "roll"),
        ({"roll": 2.0}, "roll"),
    ],
)
def test_bad_reset_options_raise_and_change_nothing(options: dict[str, Any], field: str) -> None:
    env = start("hangzhou")
    before = env.snapshot()
    with pytest.raises(ValueError, match=field):
        env.reset(seed=4, options=options)
    assert env.snapshot() == before
    env.reset(options={"options": 1, "unknown": "ignored"})
    assert env.table["game"][0] == 1


@pytest.mark.parametrize("options", [[1], "x", 3])
def test_options_that_are_no_mapping_raise(options: Any) -> None:
    with pytest.raises(ValueError, match="options must be a mapping"):
        start("hangzhou").reset(options=options)


def test_a_step_before_the_first_reset_raises() -> None:
    with pytest.raises(ValueError, match="reset"):
        mjenv.raw_env("hangzhou").step(0)


def test_an_agent_that_sits_at_no_table_is_refused() -> None:
    env = mjenv.raw_env("hangzhou")
    env.reset(seed=1)
    with pytest.raises(
        ValueError, match="agent must be one of 'player_0', 'player_1', 'player_2', 'player_3', not 'x'"
    ):
        env.observe("x")


@pytest.mark.parametrize("seed", [-1, 1.5, "a", 2**63, True])
def test_bad_seeds_raise(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        mjenv.raw_env("hangzhou").reset(seed=seed)


@pytest.mark.parametrize(
    "settings",
    [
        {"variant": "riichi"},
        {"variant": "yugan", "rules": {"no_such": 1}},
        {"variant": "yugan", "rules": mjenv.rules("fuzhou")},
        {"variant": "yugan", "rules": {"variant": "yugan"}},
        {"variant": "yugan", "rules": {3: 4}},
        {"variant": "yugan", "rules": {"reward_scale": 10**400}},
        {"variant": "yugan", "episode": "match"},
        {"variant": "yugan", "max_hands": 0},
        {"variant": "yugan", "max_hands": 10**20},
        {"variant": "yugan", "observation": "pixels"},
        {"variant": "yugan", "render_mode": "svg"},
    ],
)
def test_bad_settings_raise(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unknown|must be|rules of|not allowed"):
        mjenv.raw_env(**settings)
