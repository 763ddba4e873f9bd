"""Search by rollouts: known positions, no peeking, no dependence on batching, and a budget that holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from envs.test_aec import act, assert_same, is_over, start
from properties.play import VARIANTS, count_tiles
from scenarios.table import Game
from scenarios.timid import PLAIN, READY, Eager, Timid

import mjenv
from agents import make
from agents.arena import play_games
from agents.keys import mix
from agents.protocol import Agent, SearchAgent
from agents.random_player import RandomPlayer
from agents.rollout import RolloutPlayer, Search, search
from experiments.blocks import fingerprint
from mjenv.core.actions import CHI_MIDDLE, HU, PASS
from mjenv.envs.aec import AGENTS, MahjongEnv
from mjenv.envs.seat import SeatEnv

ALL = 75
SAFE = ("4m", "6p", "9p", "4s", "S")
"""Kinds in the hand of `last_discard` of which seat 0 sees all other tiles."""


def assert_equal(one: Search, other: Search) -> None:
    for found, wanted in zip(astuple(one), astuple(other), strict=True):
        np.testing.assert_array_equal(found, wanted)


def tell(found: Search) -> dict[str, tuple[float, float]]:
    """Mean and standard error by the name of the action."""
    names = [mjenv.action_name(int(action)) for action in found.actions]
    return dict(zip(names, zip(found.means, found.errors, strict=True), strict=True))


# --- Known positions ---


def test_a_win_at_hand_is_worth_its_payment_and_declining_it_nothing_where_nobody_ever_wins() -> None:
    # Common hand 1, concealed hand 1, self-draw 1, first draw of the dealer aside: the payment is that of the win.
    game = Game("hongkong", rules=PLAIN, hands=["", READY, "", ""], draws="5p").throw_drawn().pass_all()
    assert "hu" in game.legal(1)
    found = search(game.env, "player_1", Timid(), rollouts=400, width=ALL)
    worth = tell(found)
    assert set(worth) == set(game.legal(1))
    assert found.best == HU
    assert found.gains[0] == 0
    game.do(1, "hu")
    assert worth.pop("hu") == (game.points()[1], 0)
    assert set(worth.values()) == {(0, 0)}


def test_a_win_on_a_discard_is_taken_where_passing_earns_nothing() -> None:
    game = Game("hongkong", rules=PLAIN, hands=["5p", READY, "", ""]).do(0, "discard 5p")
    found = search(game.env, "player_1", Timid(), rollouts=64)
    assert game.legal(1) == ["chi middle", "hu", "pass"]
    assert found.actions.tolist() == [PASS, CHI_MIDDLE, HU]
    assert found.best == HU
    game.do(1, "hu")
    assert found.means.tolist() == [0, 0, game.points()[1]]


def last_discard() -> Game:
    """Seat 0 makes the last discard of the hand; seat 1 has four triplets on the table and one tile in hand."""
    hands = ["2p", "22p44s66m88p19m1s9pE", "4s8p", "6m"]
    game = Game("hongkong", rules=PLAIN, hands=hands, draws="CFPESWN")
    game.do(0, "discard 2p").pass_to(1).play("1 peng", "1 discard E").pass_all()
    game.do(2, "discard 4s").pass_to(1).play("1 peng", "1 discard 1s").pass_all().throw_drawn().pass_all()
    game.do(3, "discard 6m").pass_to(1).play("1 peng", "1 discard 9p").pass_all()
    game.do(2, "discard 8p").pass_to(1).play("1 peng", "1 discard 9m").pass_all()
    return game.idle_until_left(0)


def test_a_discard_costs_its_chance_to_be_the_last_tile_of_a_rival() -> None:
    """Seat 1 has one of 27 tiles that seat 0 has not seen, and wins 16 units if it is of the kind thrown."""
    game = last_discard()
    unseen = {"1m": 2, "8m": 1, "1s": 2, "7s": 1, "W": 1, "N": 1, "C": 3, "F": 2} | dict.fromkeys(SAFE, 0)
    found = search(game.env, "player_0", Eager(), rollouts=4000, width=ALL)
    worth = tell(found)
    assert set(worth) == {f"discard {tile}" for tile in unseen}
    for tile, copies in unseen.items():
        mean, error = worth[f"discard {tile}"]
        if copies == 0:
            assert (mean, error) == (0, 0)
        else:
            assert abs(mean + 16 * copies / 27) < 4 * error
    assert mjenv.action_name(int(found.actions[0])) == "discard F"
    assert mjenv.action_name(found.best).removeprefix("discard ") in SAFE


def test_all_actions_meet_the_same_worlds() -> None:
    """A safe discard gains what the policy's own choice loses, world for world."""
    found = search(last_discard().env, "player_0", Eager(), rollouts=2000, width=ALL)
    safe = found.counts.max() == found.counts
    safe &= found.means == 0
    assert safe.sum() == 5
    assert found.means[0] < 0
    assert (found.gains[safe] == -found.means[0]).all()
    assert found.gain_errors[safe] == pytest.approx(found.errors[0])


# --- No peeking ---


def decisions(variant: str, number: int, every: int) -> Iterator[MahjongEnv]:
    """Positions of games at random: every so many decisions, and windows."""
    env = start(variant, 31)
    rng = np.random.default_rng(8)
    given = 0
    for turn in range(10_000):
        if is_over(env):
            env.reset()
        window = env.infos[env.agent_selection]["decision"] != "discard"
        if turn % every == 0 or (window and given % 3 == 0):
            yield env
            given += 1
            if given == number:
                return
        act(env, rng)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_seat_cannot_see_changes_nothing(variant: str) -> None:
    policy = make("greedy", variant)
    for number, env in enumerate(decisions(variant, 8, 13)):
        before, agent = env.snapshot(), env.agent_selection
        found = search(env, agent, policy, rollouts=40, seed=number)
        assert env.snapshot() == before
        legal = np.flatnonzero(env.observe(agent)["action_mask"])
        assert found.best in found.actions
        assert set(found.actions) <= set(legal)
        assert len(set(found.actions)) == len(found.actions) == min(4, len(legal))
        for seed in (1, 2):
            assert_equal(search(env.determinize(agent, seed), agent, policy, rollouts=40, seed=number), found)


def test_the_dice_of_the_policy_are_no_secret_either() -> None:
    """The rest of the game depends on its seed, the search does not."""
    found = []
    for seed in (1, 2):
        game = Game("hangzhou", hands=["", "", "", ""], flip="9s", seed=seed)
        found.append(search(game.env, "player_0", RandomPlayer(), rollouts=64))
    assert_equal(*found)


@pytest.mark.parametrize("variant", VARIANTS)
def test_worlds_fit_what_the_seat_sees_and_rivals_are_as_far_on_as_their_draws(variant: str) -> None:
    env = start(variant, 9)
    timid = Timid()
    while env.table["draws"][0].min() < 6:
        seen = env.observe(env.agent_selection)
        env.step(int(timid.act(None, None, seen["action_mask"][None].astype(bool), None)[0]))
    agent, seat = env.agent_selection, int(env.table["seat"][0])
    worlds = RolloutPlayer(env.rules, timid)._deal(env.table[0], mix(np.arange(30)))
    copies = np.broadcast_to(env.rules.record[0]["copies"], (30, 42))
    np.testing.assert_array_equal(count_tiles(env.rules, worlds), copies)
    far = []
    for number in range(30):
        plain = env.determinize(agent, number)
        far.append([shanten(env.rules, table, seat) for table in (plain.table[0], worlds[number])])
        plain.table[:] = worlds[number]
        assert_same(plain.observe(agent), env.observe(agent))
    before, after = np.mean(far, axis=0)
    assert after < before - 1.2
    assert np.min(far) >= 0


def shanten(rules: mjenv.Rules, table: Any, seat: int) -> float:
    """The mean shanten of the three rivals."""
    rivals = [(seat + step) % 4 for step in (1, 2, 3)]
    real, wilds, melds = table["real"][rivals, :34], table["wilds"][rivals], table["n_melds"][rivals]
    return float(mjenv.hands.shanten(real, wilds.astype(int), melds.astype(int), sets=rules.record[0]["sets"]).mean())


# --- Reproducible, and within its budget ---


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_do_not_depend_on_the_batch_size(variant: str) -> None:
    player = RolloutPlayer(mjenv.rules(variant), make("greedy", variant), rollouts=16, width=2)
    seats = [player, "greedy", "random", "greedy"]
    whole = play_games(variant, seats, 4, seed=5)
    single = play_games(variant, seats, 4, seed=5, batch_size=1)
    np.testing.assert_array_equal(whole.points, single.points)
    np.testing.assert_array_equal(whole.decisions, single.decisions)
    assert not whole.points.sum(axis=1).any()


def test_worlds_follow_from_the_seed() -> None:
    env = start("yugan", 4)
    one, same, other = (search(env, "player_0", "greedy", rollouts=64, seed=seed) for seed in (1, 1, 2))
    assert_equal(one, same)
    assert one.means.tolist() != other.means.tolist()


def test_many_decisions_at_once_are_searched_as_if_alone() -> None:
    player = RolloutPlayer(mjenv.rules("hangzhou"), RandomPlayer(), rollouts=24)
    tables = np.concatenate([env.table.copy() for env in decisions("hangzhou", 5, 9)])
    keys = mix(np.arange(5))
    for number, found in enumerate(player.look(tables, keys)):
        assert_equal(found, player.look(tables[number : number + 1], keys[number : number + 1])[0])


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_a_search_that_tries_one_action_plays_as_its_policy(policy: str) -> None:
    agent = make(policy, "hangzhou")
    player = RolloutPlayer(mjenv.rules("hangzhou"), agent, width=1)
    searched = play_games("hangzhou", [player, "greedy", player, "random"], 4, seed=6)
    plain = play_games("hangzhou", [agent, "greedy", agent, "random"], 4, seed=6)
    np.testing.assert_array_equal(searched.points, plain.points)


@pytest.mark.parametrize("rollouts", [8, 30, 100])
def test_no_more_hands_are_played_than_allowed(rollouts: int) -> None:
    env = start("hangzhou", 7)
    found = search(env, "player_0", "greedy", rollouts=rollouts)
    assert 4 * 2 <= found.counts.sum() <= rollouts
    assert found.counts[0] == found.counts.max()
    assert np.isfinite([found.means, found.errors]).all()


def test_a_search_by_the_clock_answers() -> None:
    env = start("hangzhou", 7)
    found = search(env, "player_0", "greedy", milliseconds=1)
    assert found.counts.tolist() == [16] * 4
    assert env.observe("player_0")["action_mask"][found.best]


def test_a_large_margin_leaves_only_what_is_certain() -> None:
    env = start("hangzhou", 7)
    found = search(env, "player_0", "greedy", rollouts=64, margin=1e9)
    assert found.best == found.actions[0]
    wide = search(env, "player_0", "greedy", rollouts=64, margin=0)
    assert wide.best == wide.actions[wide.gains.argmax()]


# --- As a player ---


def test_a_searching_player_wins_where_its_policy_never_does() -> None:
    player = RolloutPlayer(mjenv.rules("hongkong", **PLAIN), Timid(), rollouts=150, width=ALL)
    game = Game("hongkong", rules=PLAIN, hands=["", READY, "", ""], draws="5p")
    settings = {"seed": 1, "rules": PLAIN, "options": {"wall": game.env.table["wall"][0, :136].tolist()}}
    results = play_games("hongkong", ["greedy", player, "greedy", "greedy"], 1, **settings)
    plain = play_games("hongkong", ["greedy", Timid(), "greedy", "greedy"], 1, **settings)
    assert results.wins[0, 1].sum() == 1
    assert plain.wins[0, 1].sum() == 0


def test_search_players_sit_at_every_table() -> None:
    player = make("rollout:greedy", "hangzhou")
    assert isinstance(player, Agent) and isinstance(player, SearchAgent)
    assert (player.name, player.observation) == ("rollout:greedy", make("greedy", "hangzhou").observation)
    rival = RolloutPlayer(mjenv.rules("hangzhou"), make("greedy", "hangzhou"), rollouts=8)
    env = SeatEnv("hangzhou", opponents=rival)
    env.reset(seed=3)
    points = env.step(int(env.action_masks().argmax()))[4]["points"]
    assert points == 0


def test_fingerprints_tell_the_policies_of_searching_players_apart() -> None:
    rules = mjenv.rules("hangzhou")

    class Other(Timid):
        pass

    one, other = (RolloutPlayer(rules, policy) for policy in (Timid(), Other()))
    assert one.name == other.name
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rollouts": 7}, "rollouts must be 8 or more, two for each of 4 actions, not 7"),
        ({"rollouts": 10.5}, "rollouts must be 8 or more, two for each of 4 actions, not 10.5"),
        ({"rollouts": 149, "width": 75}, "rollouts must be 150 or more"),
        ({"rollouts": 100, "milliseconds": 5}, "rollouts or milliseconds, not both"),
        ({"milliseconds": 0}, "milliseconds must be above 0, not 0"),
        ({"width": 0}, "width must be from 1 to 75 actions, not 0"),
        ({"margin": -1}, "margin must be 0 standard errors or more, not -1"),
        ({"margin": float("nan")}, "margin must be 0"),
        ({"policy": "rollout:greedy"}, "rollout:greedy searches itself"),
        ({"policy": "best"}, "unknown agent 'best'"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], told: str) -> None:
    env = start("hangzhou", 1)
    with pytest.raises(ValueError, match=told):
        search(env, "player_0", **{"policy": "greedy", **settings})


def test_only_the_seat_to_act_can_be_searched_for() -> None:
    env = mjenv.raw_env("hangzhou")
    with pytest.raises(ValueError, match="'player_0' has nothing to decide"):
        search(env, "player_0", "greedy")
    env.reset(seed=1)
    for agent in (*AGENTS[1:], "nobody"):
        with pytest.raises(ValueError, match=f"'{agent}' has nothing to decide now"):
            search(env, agent, "greedy")
    while not is_over(env):
        act(env, np.random.default_rng(1))
    with pytest.raises(ValueError, match="nothing to decide"):
        search(env, env.agent_selection, "greedy")


def test_a_policy_that_breaks_the_rules_is_named() -> None:
    class Wrong(Timid):
        name = "wrong"

        def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
            return np.full(len(mask), HU)

    env = start("hangzhou", 1)
    with pytest.raises(ValueError, match="agent wrong chose the illegal action 73 in a search: legal are"):
        search(env, "player_0", Wrong(), rollouts=8)


def test_a_search_player_refuses_an_observation_alone() -> None:
    player = make("rollout:greedy", "hangzhou")
    with pytest.raises(ValueError, match="rollout:greedy needs the table"):
        player.act(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1))


def test_an_unknown_policy_is_named() -> None:
    with pytest.raises(ValueError, match="unknown agent 'best'"):
        make("rollout:best", "hangzhou")
    with pytest.raises(ValueError, match="unknown agent 'rollout:'"):
        make("rollout:", "hangzhou")
