"""The one-seat Gymnasium environment: contracts, rewards against the ledger of payments, masks, opponents."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mjenv
from agents import make
from agents.keys import decision_keys
from mjenv.envs.seat import SeatEnv
from mjenv.registration import GYM_NAMES

VARIANTS = tuple(GYM_NAMES)


def choose(mask: np.ndarray, turn: int) -> int:
    """A scripted learner: calls and wins when it can, else walks through its legal actions."""
    legal = np.flatnonzero(mask)
    return int(legal[-1]) if legal[-1] == 73 else int(legal[turn % len(legal)])


def play_seat(env: SeatEnv, seed: int) -> list[float]:
    """The rewards of one episode of the scripted learner."""
    env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(choose(env.action_masks(), len(rewards)))
        assert reward * env.rules.reward_scale == pytest.approx(info["points"])
        rewards.append(reward)
        over = terminated or truncated
    return rewards


def play_ledger(variant: str, seat: int, opponent: str, seed: int, **settings: Any) -> list[float]:
    """The same episode in the AEC environment: payments to the seat in its log, booked on its latest decision."""
    env = mjenv.raw_env(variant, observation="features", log=True, **settings)
    env.reset(seed=seed)
    agent = make(opponent, variant)
    booked: list[float] = []
    early, read = 0, 0
    while not all(env.terminations.values()) and not all(env.truncations.values()):
        acting = int(env.agent_selection[-1])
        seen = env.observe(env.agent_selection)
        mask = seen["action_mask"].astype(bool)
        if acting == seat:
            action = choose(mask, len(booked))
            booked.append(float(early))
            early = 0
        else:
            layout = mjenv.observation_layout(agent.observation)
            keys = decision_keys(seed, 0, env.table["decisions"], acting)
            planes, scalars = (
                seen["observation"][None, : len(layout.planes)],
                seen["scalars"][None, : len(layout.scalars)],
            )
            action = int(agent.act(planes, scalars, mask[None], keys)[0])
        env.step(action)
        for event in env.log[read:]:
            if event["type"] == "end_hand":
                if booked:
                    booked[-1] += event["payments"][seat]
                else:
                    early += event["payments"][seat]
        read = len(env.log)
    return [points / env.rules.reward_scale for points in booked]


@pytest.mark.parametrize("opponent", ["random", "greedy"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rewards_are_the_ledger_of_the_seat(variant: str, opponent: str) -> None:
    settings: dict[str, Any] = {"episode": "game", "max_hands": 3}
    paid = 0
    for seed in range(3):
        for seat in (0, 2):
            env = SeatEnv(variant, seat, opponent, **settings)
            rewards = play_seat(env, seed)
            assert rewards == pytest.approx(play_ledger(variant, seat, opponent, seed, **settings))
            paid += sum(reward != 0 for reward in rewards)
    assert paid or opponent == "random"


@pytest.mark.parametrize("variant", VARIANTS)
def test_gymnasium_check(variant: str) -> None:
    env = gymnasium.make(f"mjenv/{GYM_NAMES[variant]}-v0", seat=0, opponents="random", illegal_action="substitute")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped, skip_render_check=True)
    assert not [str(entry.message) for entry in caught]


@pytest.mark.parametrize("variant", VARIANTS)
def test_stable_baselines_check(variant: str) -> None:
    checker = importlib.import_module("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(SeatEnv(variant, illegal_action="substitute"), skip_render_check=True)


@pytest.mark.parametrize("observation", ["planes", "features", "oracle"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_observations_lie_in_their_space_and_masks_are_legal(variant: str, observation: str) -> None:
    env = SeatEnv(variant, 1, "greedy", observation=observation)
    seen, info = env.reset(seed=7)
    for turn in range(12):
        assert env.observation_space.contains(seen)
        assert info["decision"] in mjenv.DECISIONS
        mask = env.action_masks()
        assert mask.dtype == np.bool_ and mask.any()
        seen, _, over, _, info = env.step(choose(mask, turn))
        if over:
            assert not env.action_masks().any() and "decision" not in info
            seen, info = env.reset()


def test_planes_are_scaled_by_their_highest_value() -> None:
    env = SeatEnv("hangzhou", opponents="greedy")
    seen, _ = env.reset(seed=1)
    aec = mjenv.raw_env("hangzhou")
    aec.reset(seed=1)
    facts = aec.observe("player_0")
    tiles = seen[: facts["observation"].size].reshape(facts["observation"].shape)
    high = env.observation_layout.plane_high()[:, None]
    np.testing.assert_array_equal(np.rint(tiles * high).astype(np.uint8), facts["observation"])
    np.testing.assert_array_equal(seen[facts["observation"].size :], facts["scalars"])


def test_resets_go_through_the_games_of_a_seed() -> None:
    env, other = SeatEnv("yugan"), mjenv.raw_env("yugan")
    env.reset(seed=5)
    other.reset(seed=5)
    for _ in range(3):
        assert env._games.tables["wall"][0].tolist() == other.table["wall"][0].tolist()
        env.reset()
        other.reset()


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    env = SeatEnv("hangzhou")
    env.reset(seed=2)
    before = env._games.tables.tobytes()
    for wrong in (int(np.flatnonzero(~env.action_masks())[0]), 75, -1, 1.0, True, None):
        with pytest.raises(ValueError, match="illegal"):
            env.step(wrong)  # type: ignore[arg-type]
    assert env._games.tables.tobytes() == before


def test_substituted_actions_are_counted_and_reproducible() -> None:
    def play() -> tuple[list[float], int]:
        env = SeatEnv("hangzhou", illegal_action="substitute")
        env.reset(seed=2)
        rewards, over, info = [], False, {}
        while not over:
            _, reward, over, _, info = env.step(72)
            rewards.append(reward)
        return rewards, info["illegal_actions"]

    first = play()
    assert first == play()
    assert first[1] == len(first[0])


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda: SeatEnv("hangzhou", 4), "seat"),
        (lambda: SeatEnv("hangzhou", True), "seat"),
        (lambda: SeatEnv("hangzhou", 1.0), "seat"),  # type: ignore[arg-type]
        (lambda: SeatEnv("hangzhou", opponents=["random"] * 2), "three"),
        (lambda: SeatEnv("hangzhou", opponents="nobody"), "unknown agent"),
        (lambda: SeatEnv("hangzhou", observation="tiles"), "planes"),
        (lambda: SeatEnv("hangzhou", illegal_action="ignore"), "substitute"),
        (lambda: SeatEnv("hangzhou", render_mode="svg"), "ansi"),
        (lambda: SeatEnv("chess"), "unknown variant"),
    ],
)
def test_bad_settings_are_named(build: Callable[[], SeatEnv], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        build()


def test_three_opponents_sit_right_across_and_left() -> None:
    class Recorder:
        name, observation = "recorder", "planes"

        def __init__(self) -> None:
            self.player = make("random", "hangzhou")
            self.dealer = set()

        def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
            layout = mjenv.observation_layout("planes")
            at = layout.scalar("own_is_dealer")
            self.dealer.add(int(scalars[0, at : at + 4].argmax()))
            return self.player.act(observation, scalars, mask, keys)

    recorders = [Recorder() for _ in range(3)]
    env = SeatEnv("hangzhou", 3, recorders)
    play_seat(env, 1)
    assert [recorder.dealer for recorder in recorders] == [{0}, {3}, {2}]


def test_early_payments_count_once() -> None:
    """Over many games, what the seat earned is what the payments of the games with a decision of it say."""
    env = SeatEnv("hongkong", 3, "greedy", episode="game", max_hands=2)
    for seed in range(4):
        rewards = play_seat(env, seed)
        assert rewards == pytest.approx(play_ledger("hongkong", 3, "greedy", seed, episode="game", max_hands=2))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_from_where_it_was_taken(duplicate: Callable[[SeatEnv], SeatEnv]) -> None:
    env = SeatEnv("yugan", 1, ["greedy", "random", "greedy"], episode="round", max_hands=2)
    env.reset(seed=3)
    for turn in range(9):
        env.step(choose(env.action_masks(), turn))
    other = duplicate(env)
    for turn in range(200):
        action = choose(env.action_masks(), turn)
        assert np.array_equal(env.action_masks(), other.action_masks())
        mine, theirs = env.step(action), other.step(action)
        assert np.array_equal(mine[0], theirs[0])
        assert mine[1:] == theirs[1:]
        if mine[2] or mine[3]:
            env.reset()
            other.reset()


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_render(mode: str) -> None:
    env = gymnasium.make("mjenv/Hangzhou-v0", render_mode=mode)
    env.reset(seed=1)
    shown = env.render()
    assert isinstance(shown, str) if mode == "ansi" else shown.ndim == 3


class Odd:
    """An agent whose answers have the wrong shape."""

    name = "odd"
    observation = "planes"

    def act(self, observation: np.ndarray, scalars: np.ndarray, mask: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return np.zeros((2, 2), np.int64)


@pytest.mark.parametrize("opponents", [None, 5, [], ["random"] * 2, [None] * 3, "os:getcwd", "agents:NoSuch", "..x:y"])
def test_opponents_that_are_no_agents_raise(opponents: Any) -> None:
    with pytest.raises(ValueError, match="agent"):
        SeatEnv("hangzhou", opponents=opponents)


def test_an_opponent_that_answers_badly_is_named() -> None:
    with pytest.raises(ValueError, match=r"opponent odd in seat \d must answer"):
        for seed in range(9):
            SeatEnv("hangzhou", seat=3, opponents=Odd()).reset(seed=seed)


def test_a_refused_reset_changes_nothing() -> None:
    env, twin = (SeatEnv("hangzhou") for _ in range(2))
    for each in (env, twin):
        each.reset(seed=5)
    for settings in ({"options": {"dealer": 9}}, {"seed": 9, "options": {"dealer": 9}}, {"seed": -1}):
        with pytest.raises(ValueError, match=r"dealer|seed"):
            env.reset(**settings)
    np.testing.assert_array_equal(env.reset()[0], twin.reset()[0])


def test_an_opponent_that_reads_the_oracle_is_refused() -> None:
    cheat = make("random", "hangzhou")
    cheat.observation = "oracle"
    with pytest.raises(ValueError, match="reads 'oracle'"):
        SeatEnv("hangzhou", opponents=cheat)
