"""Agents and arena: fair dice, names, and results that no batch size changes."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import mjenv
from agents import Agent, make
from agents.arena import IllegalAction, play_games
from agents.keys import decision_keys, pick_uniform, salted
from agents.random_player import RandomPlayer
from agents.registry import RULE_BASED
from mjenv.core.actions import PASS

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")


def test_random_is_uniform_over_the_legal_actions() -> None:
    mask = np.zeros((40_000, 75), np.bool_)
    mask[:, [3, 20, 37, 74]] = True
    keys = decision_keys(9, np.arange(40_000), 5, 2)
    chosen = RandomPlayer().act(mask, mask, mask, keys)
    counts = np.bincount(chosen, minlength=75)
    assert set(np.flatnonzero(counts)) == {3, 20, 37, 74}
    assert np.abs(counts[[3, 20, 37, 74]] - 10_000).max() < 450


def test_random_depends_on_key_and_seed_alone() -> None:
    mask = np.random.default_rng(0).random((500, 75)) < 0.2
    mask[:, 74] = True
    keys = decision_keys(1, 2, np.arange(500), 3)
    whole = RandomPlayer(1).act(mask, mask, mask, keys)
    parts = [RandomPlayer(1).act(mask[i : i + 7], mask, mask[i : i + 7], keys[i : i + 7]) for i in range(0, 500, 7)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not np.array_equal(whole, RandomPlayer(2).act(mask, mask, mask, keys))


def test_keys_differ_in_every_part() -> None:
    keys = decision_keys(*(part.ravel() for part in np.meshgrid(*[np.arange(8)] * 4)))
    assert len(np.unique(keys)) == 8**4
    assert len(np.unique(np.concatenate((keys, salted(keys, 1), salted(keys, 2))))) == 3 * 8**4


def test_pick_uniform_reaches_first_and_last() -> None:
    mask = np.array([[True, False, True]] * 2)
    assert pick_uniform(mask, np.array([0, 2**64 - 1], np.uint64)).tolist() == [0, 2]


class Cheater(RandomPlayer):
    """Plays at random until its tenth decision, then throws a tile it does not hold."""

    name = "cheater"

    def __init__(self, *setup: Any) -> None:
        super().__init__()
        self.turns = 0

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
        self.turns += 1
        return super().act(observation, scalars, mask, keys) if self.turns < 10 else np.argmin(mask, axis=1)


class Scribbler(RandomPlayer):
    """Writes into everything it is given, and calls every action legal."""

    name = "scribbler"

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
        observation[:], scalars[:], mask[:], keys[:] = 255, 0, True, 0
        return np.full(len(mask), PASS)


class Oracle(RandomPlayer):
    observation = "oracle"

    def __init__(self, *setup: Any) -> None:
        super().__init__()


class Thing:
    def __init__(self, *setup: Any) -> None:
        pass


def test_agents_satisfy_the_protocol() -> None:
    for name in ("random", *RULE_BASED):
        agent = make(name, "yugan")
        assert isinstance(agent, Agent) and agent.name == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "best",
            "unknown agent 'best': agents are random, greedy, speed, value, guard, checkpoint:VARIANT, checkpoint:DIR",
        ),
        ("", "unknown agent"),
        ("checkpoint:", "unknown agent"),
        ("checkpoint:/no/such/folder", "no checkpoint in /no/such/folder"),
        ("no.such.module:Class", "No module named 'no'"),
        ("agents.rulebased.greedy:NoSuchPlayer", "NoSuchPlayer"),
    ],
)
def test_unknown_names_are_refused(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make(name, "hangzhou")


def test_your_own_class_by_path(monkeypatch: pytest.MonkeyPatch) -> None:
    import agents

    for thing in (Cheater, Oracle, Thing):
        monkeypatch.setattr(agents, thing.__name__, thing, raising=False)
    assert make("agents:Cheater", "hangzhou").name == "cheater"
    with pytest.raises(ValueError, match="reads 'oracle'"):
        make("agents:Oracle", "hangzhou")
    with pytest.raises(ValueError, match="lacks"):
        make("agents:Thing", "hangzhou")


def test_an_illegal_action_names_agent_seed_and_game() -> None:
    told = r"agent cheater chose the illegal action \d+ .* in game 0 of hangzhou, seed 11: legal are"
    with pytest.raises(IllegalAction, match=told):
        play_games("hangzhou", ["random", "random", Cheater(), "random"], 3, seed=11, batch_size=1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_results_do_not_depend_on_the_batch_size(variant: str) -> None:
    seats = [["greedy", "random", "greedy", "random"], ["random", "greedy", "greedy", "greedy"]] * 6
    settings: dict[str, Any] = {"seed": 3, "episode": "game", "max_hands": 2}
    whole = play_games(variant, seats, 12, batch_size=12, **settings)
    for size in (1, 5):
        other = play_games(variant, seats, 12, batch_size=size, **settings)
        for name in ("points", "wins", "hands", "draws", "decisions"):
            assert np.array_equal(getattr(whole, name), getattr(other, name)), name
    assert not whole.points.sum(axis=1).any()
    assert np.array_equal(whole.hands, whole.draws + whole.wins.sum(axis=(1, 2)))


@pytest.mark.parametrize("variant", ["fuzhou", "hangzhou"])
def test_game_i_is_the_ith_reset_of_the_aec_environment(variant: str) -> None:
    games = 4
    results = play_games(variant, ["random"] * 4, games, seed=8)
    env, player = mjenv.raw_env(variant), make("random", variant)
    for game in range(games):
        env.reset(seed=8 if game == 0 else None)
        points = np.zeros(4, np.int64)
        while not env.terminations[env.agent_selection]:
            seen = env.observe(env.agent_selection)
            keys = decision_keys(8, game, env.table["decisions"], int(env.agent_selection[-1]))
            mask = seen["action_mask"][None].astype(bool)
            env.step(int(player.act(seen["observation"][None], seen["scalars"][None], mask, keys)[0]))
            points = env.table["points"][0].astype(np.int64)
        assert np.array_equal(points, results.points[game])
        assert results.decisions[game].sum() == env.table["decisions"][0]


def test_a_game_that_is_listed_twice_deals_twice_the_same() -> None:
    results = play_games("hangzhou", ["greedy"] * 4, [5, 2, 5, 5], seed=1)
    assert results.points[0].any()
    assert np.array_equal(results.points[0], results.points[2])
    assert np.array_equal(results.points[0], results.points[3])
    assert np.array_equal(results.points[1], play_games("hangzhou", ["greedy"] * 4, 3, seed=1).points[2])


def test_options_hold_for_the_games_they_are_given_for() -> None:
    plain = play_games("hangzhou", ["greedy"] * 4, 6, seed=1)
    dealt = play_games("hangzhou", ["greedy"] * 4, 6, seed=1, options=[{"streak": 2}, None, {"dealer": 2}] * 2)
    assert np.array_equal(plain.points[[1, 4]], dealt.points[[1, 4]])
    assert np.array_equal(plain.points[[0, 3]] * 8, dealt.points[[0, 3]])


def test_logs_come_whole_game_by_game() -> None:
    games: dict[int, list[dict[str, Any]]] = {}
    seats = ["greedy", "random", "greedy", "greedy"]
    play_games("fuzhou", seats, 5, seed=2, batch_size=2, log=games.__setitem__, episode="game", max_hands=2)
    assert sorted(games) == [0, 1, 2, 3, 4]
    for number, events in games.items():
        kinds = [event["type"] for event in events]
        assert kinds[0] == "start_hand" and kinds[-1] == "end_hand"
        assert kinds.count("start_hand") == kinds.count("end_hand") == 2
        assert events[0]["game"] == number and events[0]["agents"] == seats


def test_the_number_of_games_is_bounded() -> None:
    with pytest.raises(ValueError, match="games must be from 1"):
        play_games("hangzhou", ["random"] * 4, 10**11)


def test_an_agent_cannot_make_an_action_legal() -> None:
    with pytest.raises(IllegalAction, match="agent scribbler chose the illegal action 74"):
        play_games("hangzhou", [Scribbler()] * 4, 8)
    env = gymnasium.make("mjenv/Hangzhou-v0", opponents=Scribbler(), seat=3)
    with pytest.raises(ValueError, match="opponent scribbler in seat 0 chose the illegal action 74"):
        env.reset(seed=0, options={"dealer": 0})


@pytest.mark.parametrize("games", [[0.5, 1.9], [-1], [[0, 1]], 3.0, ["a"]])
def test_odd_lists_of_games_are_refused(games: Any) -> None:
    with pytest.raises(ValueError, match="games must be a number or a list of game numbers"):
        play_games("hangzhou", ["random"] * 4, games)
