"""Greedy, position by position, and always as its NumPy oracle."""

from __future__ import annotations

import numpy as np
import pytest
from reference import greedy
from scenarios.answers import answer
from scenarios.table import Game

import mjenv
from agents import make
from agents.keys import decision_keys

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
PLANES = mjenv.observation_layout("planes")


def deal(hand: str, variant: str = "hangzhou", flip: str = "9s", **settings: str) -> Game:
    """The dealer, seat 0, decides with these fourteen tiles."""
    return Game(variant, hands=[hand, "", "", ""], flip=flip, **settings)


def offered(own: str, thrown: str) -> Game:
    """Seat 1, with these thirteen tiles, is asked about the dealer's first discard."""
    game = Game("hangzhou", hands=[thrown, own, "", ""], flip="9s")
    return game.do(0, f"discard {thrown}")


def test_greedy_discards_to_the_lowest_shanten() -> None:
    assert answer(deal("123456789m34p1sEE"), "greedy") == "discard 1s"


def test_greedy_then_keeps_the_most_useful_unseen_tiles() -> None:
    assert answer(deal("123456789m344p11s"), "greedy") == "discard 4p"  # 2p and 5p, not 4p and 1s


def test_greedy_then_throws_the_lowest_kind() -> None:
    assert answer(deal("123456789m123pEN"), "greedy") == "discard E"


def test_greedy_takes_every_win_though_a_float_would_pay_more() -> None:
    game = deal("123456789m123p9s9s")
    assert "discard 9s" in game.legal(0)
    assert answer(game, "greedy") == "hu"


def test_greedy_keeps_its_wilds() -> None:
    assert answer(deal("147m258p36s9s9sESWN"), "greedy") != "discard 9s"


def test_greedy_claims_only_what_brings_it_nearer() -> None:
    assert answer(offered("12m456m789m45pEEN", "3m"), "greedy") == "chi high"
    assert answer(offered("1123m456m789m45pE", "3m"), "greedy") == "pass"


def test_greedy_prefers_peng_to_chi_among_equal_claims() -> None:
    assert answer(offered("2334m456789p5sEE", "3m"), "greedy") == "peng"


def test_greedy_lays_down_four_that_it_does_not_need_otherwise() -> None:
    assert answer(deal("EEEE123m123p12sNN"), "greedy") == "own gang E"


def test_greedy_does_not_break_runs_for_a_gang() -> None:
    assert answer(deal("333345m123p123sNC"), "greedy") != "own gang 3m"


@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_does_what_its_oracle_does(variant: str) -> None:
    games, steps = 96, 160
    env = mjenv.vector(variant, games, observation="features", seed=4)
    player, dice = make("greedy", variant), make("random", variant)
    sets = int(mjenv.rules(variant).record["sets"][0])
    seen: set[str] = set()
    for step in range(steps):
        planes, scalars, mask = env.observation, env.scalars, env.action_mask
        keys = decision_keys(1, np.arange(games), step, env.seat)
        wanted = greedy.answer(planes, scalars, mask, sets)
        facts = planes[:, : len(PLANES.planes)], scalars[:, : len(PLANES.scalars)]
        assert np.array_equal(player.act(*facts, mask, keys), wanted)
        seen.update(mjenv.action_name(int(action)).split()[0] for action in wanted)
        env.step(np.where(keys % 8 == 0, dice.act(planes, scalars, mask, keys), wanted))
    assert {"discard", "chi", "peng", "hu", "pass"} <= seen
