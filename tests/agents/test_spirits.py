"""Yugan's Spirits as `value` and `guard` weigh them: what holding pays, what throwing costs, and which is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios.answers import answer
from scenarios.table import Game

from agents.protocol import Array
from agents.rulebased.chance import TURNS, build_ends
from agents.rulebased.facts import read_facts
from agents.rulebased.spirits import price_throw, read_spirits, spirit_bonus
from agents.rulebased.view import VIEW, read_view
from mjenv.jit import kernel

NINE_ONE = "1199m1199p1199sE"
"""Thirteen terminals and honors: every other one completes nine-one, 8 without a Spirit and 4 with one."""
MAJOR, MINOR = 21, 22
EVEN = np.full(TURNS, 0.5)


def deal(hand: str, other: str = "", **settings: str) -> Game:
    """The dealer decides with these tiles, seat 1 has the others; 4s is the Major and 5s the Minor."""
    return Game("yugan", hands=[hand, other, "", ""], flip="4s", **settings)


@kernel
def weigh_spirits(planes: Array, scalars: Array, rules: Array, views: Array, ends: Array, watch: bool) -> float:
    """The expected bonus of the own Spirits; `views[0]` then holds what was read, and the price of a throw."""
    read_view(planes, rules[0], views[0])
    read_facts(planes, scalars, views[0])
    read_spirits(planes, scalars, views[0])
    price_throw(planes, scalars, views[0], ends, watch)
    return spirit_bonus(views[0])


def weigh(game: Game, watch: bool = False) -> tuple[float, np.void]:
    """The expected bonus and the view of the seat to act, if some rival wins half the time."""
    seen = game.observe(game.to_act() or 0)
    views = np.zeros(1, VIEW)
    bonus = weigh_spirits(seen["observation"], seen["scalars"], game.rules.record, views, EVEN, watch)
    return bonus, views[0]


@pytest.mark.parametrize("name", ["value", "guard"])
def test_a_spirit_is_thrown_where_the_hand_is_worth_more_without_any(name: str) -> None:
    game = deal(NINE_ONE + "5s")
    assert "hu" in game.legal(0)
    assert (answer(game, "speed"), answer(game, name)) == ("hu", "discard 5s")


def test_a_major_that_binds_seven_pairs_is_held() -> None:
    """The same tiles with the Major win 8 and its bonus at once."""
    assert answer(deal(NINE_ONE + "4s"), "value") == "hu"


def test_the_price_doubles_with_every_throw_until_value_wins_instead() -> None:
    """The same fourteen tiles three times; a rival's win costs 8 points more, then 16, then 32."""
    game = deal(NINE_ONE + "5s", draws="2m3m2p5s4m4p6p5s")
    for price in (4.0, 8.0):
        assert weigh(game)[1]["danger"][MINOR] == price
        assert answer(game, "value") == "discard 5s"
        game.do(0, "discard 5s").pass_all().idle(3)
    assert game.hand(0) == "1199m1199p11599sE"
    assert weigh(game)[1]["danger"][MINOR] == 16.0
    assert answer(game, "value") == "hu"


@pytest.mark.parametrize(("spirits", "held", "sole"), [("4s5s5s", 4, 40), ("4s4s5s", 10, 70)])
def test_oversoul_is_what_spirits_are_held_for(spirits: str, held: int, sole: int) -> None:
    """Raw 4 stays 4 and indomitable makes it 8, so 40; raw 5 becomes 10, or doubled 70. Complete hands wait for more.

    Of 121 unseen tiles four are Spirits, which all lie outside the 39 of the others with chance (82/121)^4.
    """
    game = deal("1199m1199p119s" + spirits)
    alone = (82 / 121) ** 4
    assert weigh(game)[0] == pytest.approx(held * (1 - alone) + sole * alone)
    assert answer(game, "value") == "discard 9s"


def test_melds_count_as_spirits_held_and_a_rival_that_shows_one_is_not_without() -> None:
    """Seat 1 pengs the Minor thrown: raw 3 of its own, and the thrower pays it double."""
    game = deal("258m147p369sESW4s5s", "5s5s147m258p369sEN").do(0, "discard 5s").pass_to(1).do(1, "peng")
    _, view = weigh(game)
    assert (view["spirits"], view["rival_shows"], view["payers"]) == (3, 0, 4)
    game.do(1, "discard 1m").pass_all().idle(2)
    bonus, view = weigh(game)
    assert (bonus, view["spirits"], view["rival_shows"], view["payers"]) == (2.0, 2, 1, 3)


def test_guard_prices_a_throw_by_what_rivals_show_and_may_hold() -> None:
    """Two Majors and a Minor are unseen, raw 5, among 115 tiles; seat 1 shows three Minors and holds 10 tiles.

    The others hold 13. A meld makes seat 1 win 1.15 times as often as they do; one throw doubles the price already.
    """
    game = deal("258m147p369sESW4s5s", "5s5s147m258p369sEN").do(0, "discard 5s").pass_to(1).do(1, "peng")
    game.do(1, "discard 1m").pass_all().idle(2)
    assert game.to_act() == 0
    shown, plain = 6 + 3 + 2 * 10 * 5 / 115, 6 + 2 * 13 * 5 / 115
    price = 2 * (1 - 0.5 ** (3.15 / 3)) * (1.15 * shown + 2 * plain) / 3.15
    assert weigh(game, watch=True)[1]["danger"][MAJOR] == pytest.approx(price)
    assert weigh(game)[1]["danger"][MAJOR] == 2 * 0.5 * 8


def test_some_rival_wins_before_the_wall_ends_unless_all_turns_pass() -> None:
    """The turn without an own draw to come counts too: a half, then a half of the other half."""
    assert build_ends(np.array([0.5, 0.5, 0.0])).tolist() == [0.5, 0.75, 0.75]


def test_guard_wins_where_a_rival_shows_too_much_for_the_throw_that_value_makes() -> None:
    """Thirteen terminals and honors again, and a Minor drawn; seat 1 shows two gangs and three Minors."""
    game = deal("1m9m1sEESWWFFFPP8p", "888p222m5s5s2p2p5m5m8m", draws="3s5s4m6p2m7s3p5s", tail="8s7p")
    game.do(0, "discard 8p").pass_to(1).do(1, "gang").throw_drawn().pass_all().idle(1)
    game.do(3, "discard 5s").pass_to(1).do(1, "peng").do(1, "discard 8m").pass_all().idle(2)
    game.do(0, "discard 2m").pass_to(1).do(1, "gang").throw_drawn().pass_all().idle(2)
    assert (game.drawn(), game.melds(1)) == ("5s", ["gang 8888p", "peng 555s", "gang 2222m"])
    assert (answer(game, "value"), answer(game, "guard")) == ("discard 5s", "hu")
