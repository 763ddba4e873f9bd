"""Players and arena: greedy's rules position by position, fair dice, names, and results that no batch size changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mjenv
from agents import Agent, make
from agents.arena import IllegalAction, play_games
from agents.greedy import GreedyPlayer, choose_claims, choose_discards, choose_own_gangs
from agents.keys import decision_keys, pick_uniform, salted
from agents.random_player import RandomPlayer
from mjenv.core.actions import CHI_LOW, GANG, HU, OWN_GANG, PASS, PENG

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
LAYOUT = mjenv.observation_layout("features")
NO_SHANTEN = 15


class Position:
    """One decision, built by hand: an observation in which everything that is not said is zero."""

    def __init__(self, hand: dict[int, int], wild: int | None = None) -> None:
        self.planes = np.zeros((1, len(LAYOUT.planes), 34), np.uint8)
        self.scalars = np.zeros((1, len(LAYOUT.scalars)), np.float32)
        self.mask = np.zeros((1, 75), np.bool_)
        self.planes[0, LAYOUT.plane("discard_shanten")] = NO_SHANTEN
        for kind, count in hand.items():
            for copy in range(1, count + 1):
                self.planes[0, LAYOUT.plane(f"own_hand_{copy}"), kind] = 1
        if wild is not None:
            self.planes[0, LAYOUT.plane("major_wild"), wild] = 1

    def discard(self, kind: int, shanten: int, useful: int, floats: bool = False) -> Position:
        """The discard of a kind is legal and leads there."""
        self.mask[0, kind] = True
        for name, value in (("discard_shanten", shanten + 1), ("discard_useful", useful), ("discard_floats", floats)):
            self.planes[0, LAYOUT.plane(name), kind] = value
        return self

    def claims(self, now: int, **after: int) -> Position:
        """Present shanten, and the shanten after each claim that is offered."""
        self.scalars[0, LAYOUT.scalar("shanten")] = (now + 1) / 8
        for index, name in enumerate(("chi_low", "chi_middle", "chi_high", "peng", "gang")):
            offered = name in after
            self.mask[0, CHI_LOW + index] = offered
            self.scalars[0, LAYOUT.scalar(f"{name}_shanten")] = (after[name] + 1) / 8 if offered else 2
        self.mask[0, PASS] = True
        return self

    def allow(self, *actions: int) -> Position:
        """More legal actions."""
        self.mask[0, list(actions)] = True
        return self

    def answer(self, variant: str = "hangzhou") -> int:
        """What the greedy player does."""
        player = GreedyPlayer(mjenv.rules(variant))
        return int(player.act(self.planes, self.scalars, self.mask, np.zeros(1, np.uint64))[0])


def hand_of(*kinds: int) -> dict[int, int]:
    return {kind: kinds.count(kind) for kind in kinds}


def test_greedy_discards_to_the_lowest_shanten_then_most_useful_tiles_then_lowest_index() -> None:
    position = Position(hand_of(1, 5, 8, 30))
    position.discard(1, 2, 40).discard(5, 1, 8).discard(8, 1, 12).discard(30, 1, 12)
    assert position.answer() == 8


def test_greedy_takes_every_win() -> None:
    assert Position(hand_of(1, 2)).discard(1, 0, 136).allow(HU).answer() == HU
    assert Position(hand_of(1, 2)).claims(0, peng=-1).allow(HU).answer() == HU
    assert Position(hand_of(1, 2)).allow(HU, PASS).answer() == HU


def test_greedy_keeps_a_wild_though_throwing_it_would_be_nearer() -> None:
    position = Position(hand_of(4, 9), wild=4)
    assert position.discard(4, 0, 20).discard(9, 3, 1).answer() == 9


def test_greedy_throws_a_wild_that_floats_or_when_nothing_else_is_legal() -> None:
    assert Position(hand_of(4, 9), wild=4).discard(4, 0, 130, floats=True).discard(9, 0, 60).answer() == 4
    assert Position(hand_of(4, 9), wild=4).discard(4, 2, 9).answer() == 4


def test_greedy_claims_only_what_brings_it_nearer() -> None:
    assert Position(hand_of(1)).claims(2, peng=2, chi_low=3).answer() == PASS
    assert Position(hand_of(1)).claims(2, peng=2, chi_low=1).answer() == CHI_LOW


def test_greedy_prefers_gang_to_peng_to_chi_among_equal_claims_but_nearness_first() -> None:
    equal = {"gang": 1, "peng": 1, "chi_low": 1, "chi_high": 1}
    assert Position(hand_of(1)).claims(2, **equal).answer() == GANG
    assert Position(hand_of(1)).claims(2, peng=1, chi_high=1).answer() == PENG
    assert Position(hand_of(1)).claims(2, chi_middle=1, chi_high=1).answer() == CHI_LOW + 1
    assert Position(hand_of(1)).claims(3, peng=2, chi_high=1).answer() == CHI_LOW + 2


def test_greedy_lays_down_four_that_it_does_not_need_otherwise() -> None:
    hand = hand_of(27, 27, 27, 27, 0, 1, 2, 9, 10, 11, 18, 19, 30, 30)
    position = Position(hand).discard(27, 0, 4).discard(30, 1, 2).allow(OWN_GANG + 27)
    assert position.answer() == OWN_GANG + 27


def test_greedy_does_not_break_runs_for_a_gang() -> None:
    hand = hand_of(2, 2, 2, 2, 3, 4, 9, 10, 11, 18, 19, 20, 30, 31)
    position = Position(hand).discard(30, 0, 3).discard(31, 0, 3).allow(OWN_GANG + 2)
    assert position.answer() == 30


def test_greedy_adds_to_a_peng_exactly_where_that_tile_is_the_best_discard() -> None:
    position = Position(hand_of(6, 12, 13))
    position.planes[0, LAYOUT.plane("own_peng"), 6] = 1
    position.discard(6, 1, 5).discard(12, 1, 9).allow(OWN_GANG + 6)
    assert position.answer() == OWN_GANG + 6
    position.discard(6, 2, 5)
    assert position.answer() == 12


def test_greedy_never_lays_down_wilds() -> None:
    hand = hand_of(33, 33, 33, 33, 0, 1, 2, 9, 10, 11, 18, 19, 30, 30)
    position = Position(hand, wild=33).discard(30, -1, 0).allow(OWN_GANG + 33)
    assert choose_own_gangs(position.planes, position.mask, 4).tolist() == [-1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_obeys_its_rules_in_real_positions(variant: str) -> None:
    env = mjenv.vector(variant, 32, observation="features", seed=4)
    player = make("greedy", variant)
    seen: set[str] = set()
    for step in range(150):
        mask, planes, scalars = env.action_mask.copy(), env.observation.copy(), env.scalars.copy()
        keys = decision_keys(1, np.arange(32), step, env.seat)
        actions = player.act(planes, scalars, mask, keys)
        assert mask[np.arange(32), actions].all()
        assert (actions[mask[:, HU]] == HU).all()
        claims = (actions >= CHI_LOW) & (actions <= GANG)
        assert np.array_equal(actions[claims], choose_claims(scalars, mask)[claims])
        discards = actions < 34
        assert np.array_equal(actions[discards], choose_discards(planes, mask)[discards])
        wild = planes[:, LAYOUT.plane("major_wild")] | planes[:, LAYOUT.plane("minor_wild")]
        for row in np.flatnonzero(discards & (wild[np.arange(32), np.minimum(actions, 33)] == 1)):
            others = mask[row, :34] & (wild[row] == 0)
            assert planes[row, LAYOUT.plane("discard_floats"), actions[row]] or not others.any()
        seen.update(mjenv.action_name(int(action)).split()[0] for action in actions)
        env.step(actions)
    assert {"discard", "chi", "peng", "hu"} <= seen


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


class Oracle(RandomPlayer):
    observation = "oracle"

    def __init__(self, *setup: Any) -> None:
        super().__init__()


class Thing:
    def __init__(self, *setup: Any) -> None:
        pass


def test_agents_satisfy_the_protocol() -> None:
    for name in ("random", "greedy"):
        agent = make(name, "yugan")
        assert isinstance(agent, Agent) and agent.name == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("best", "unknown agent 'best': agents are random, greedy, checkpoint:DIR, package.module:Class"),
        ("", "unknown agent"),
        ("checkpoint:", "unknown agent"),
        ("checkpoint:/no/such/folder", "no checkpoint in /no/such/folder"),
        ("no.such.module:Class", "No module named 'no'"),
        ("agents.greedy:NoSuchPlayer", "NoSuchPlayer"),
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
