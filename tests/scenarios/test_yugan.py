"""Yugan Flying Treasure (rules/yugan.md), one test per sentence that random play seldom reaches.

The Major is 5p and the Minor 6p (5p is turned up), unless a test says otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest
from scenarios.table import Game

import mjenv


def deal(hands: dict[int, str], dealer: int = 0, **settings: Any) -> Game:
    settings.setdefault("flip", "5p")
    return Game("yugan", hands=[hands.get(seat, "") for seat in range(4)], dealer=dealer, **settings)


SPIRITS = "5556666p"
"""All that can reach a hand: behind the replacements of the dead wall nobody draws or throws them."""


def each(points: int, winner: int) -> list[int]:
    """Payments when everybody pays `points` to the winner."""
    return [3 * points if seat == winner else -points for seat in range(4)]


# --- Spirits ---


@pytest.mark.parametrize(
    ("flip", "minor"), [("9m", "1m"), ("9s", "1s"), ("4p", "5p"), ("E", "S"), ("N", "E"), ("C", "F"), ("P", "C")]
)
def test_the_minor_is_the_next_kind_in_a_ring(flip: str, minor: str) -> None:
    game = deal({}, flip=flip, roll=2)
    assert game.lines("indicator") == [{"type": "indicator", "tile": flip, "wilds": [flip, minor], "roll": 2}]


@pytest.mark.parametrize("roll", range(2, 13))
def test_the_dice_choose_the_flipped_stack_and_the_length_of_the_wall(roll: int) -> None:
    game = deal({}, roll=roll)
    assert game.log[0]["wall"][136 - 2 * roll] == "5p"
    assert game.left() == 83 - 2 * roll


def test_a_spirit_won_from_a_discard_is_only_itself() -> None:
    game = deal({0: "5p1m", 1: "123456789m46p99s", 2: "123456789s46p99m"}).do(0, "discard 5p")
    assert "hu" in game.legal(1)
    # A single 9s waits for 9s and for Spirits of its own, not for a Spirit that somebody throws.
    game = deal({0: "5p1m", 1: "123456789m123p9s"}).do(0, "discard 5p")
    assert game.decision() == "discard"


def test_the_held_copies_of_a_kind_won_from_a_discard_stay_wild() -> None:
    # 5p is thrown and is itself in the run; the 5p in hand is the head with 9s. The Major thrown is no bound tile:
    # the winning tile lies in a run.
    game = deal({0: "5p1m", 1: "123456789m34p5p9s"}).play("0 discard 5p", "1 hu")
    items = {"spirit_basic_win": 3, "major_spirits": 4, "indomitable": 4, "oversoul": 32}
    game.assert_won(1, "discard", items, 43, [-86, 172, -43, -43], tile="5p", from_seat=0)


def test_a_drawn_spirit_stands_for_anything() -> None:
    game = deal({1: "123456789m23p99s"}, draws="5p").throw_drawn().pass_all().do(1, "hu")
    # The Major drawn is in the run with 23p, not in the head: 3 + 2, and + 2 as the only holder.
    items = {"spirit_basic_win": 3, "major_spirits": 2, "indomitable": 2}
    game.assert_won(1, "self_draw", items, 7, each(7, 1), tile="5p")


def test_a_spirit_won_from_a_discard_keeps_its_suit_out_of_a_full_flush() -> None:
    # The Major thrown and the one held are the head: bound, but 5p is no bamboo. 6 + 4, + 4 as the only holder, and
    # 8 becomes 40; seat 0 threw one and pays double.
    game = deal({0: "5p1m", 1: "123123456789s5p"}).play("0 discard 5p", "1 hu")
    items = {"bound_basic_win": 6, "major_spirits": 4, "indomitable": 4, "oversoul": 32}
    game.assert_won(1, "discard", items, 46, [-92, 184, -46, -46], tile="5p")


def test_a_spirit_in_a_meld_is_only_its_own_face_and_counts_for_the_bonus() -> None:
    hands = {0: "7p1m", 1: "56p123456789m9s1s", 2: "6p"}
    game = deal(hands, draws="C4s7s9s").play("0 discard 7p", "1 chi high", "1 discard 1s").pass_all().idle(3)
    game.do(1, "hu")
    items = {"spirit_basic_win": 3, "major_spirits": 2, "minor_spirits": 1}
    game.assert_won(1, "self_draw", items, 6, each(6, 1), melds=["chi 567p"], tile="9s")


def test_spirits_are_called_with_and_called_as_their_own_face() -> None:
    game = deal({0: "5p", 1: "46p", 2: "55p"}).do(0, "discard 5p")
    assert game.legal(1) == ["chi middle", "pass"]
    game.do(1, "pass")
    assert game.legal(2) == ["peng", "pass"]
    game.do(2, "peng")
    assert game.melds(2) == ["peng 555p"]
    # Two spirits do not stand for 9s in a peng.
    game = deal({0: "9s1m", 1: "9s5p", 2: "66p"}).do(0, "discard 9s")
    assert game.decision() == "discard"


def test_four_minors_may_be_a_concealed_gang() -> None:
    game = deal({0: "6666p"}, tail="1m").do(0, "own gang 6p")
    assert game.melds(0) == ["concealed_gang 6666p"]


# --- Flying Treasure ---


def test_every_thrown_spirit_doubles_what_its_thrower_pays() -> None:
    hands = {0: "5p6p1m", 1: "6p", 2: "123456789m13s99s", 3: ""}
    game = deal(hands, draws="1p4s9p" + "E" + "2p2s")
    game.play("0 discard 5p").pass_all().play("1 discard 6p").pass_all().idle(2)
    game.play("0 discard 6p").pass_all().throw_drawn().pass_all()
    assert game.drawn() == "2s"
    game.do(2, "hu")
    # No spirit in the hand: 6. Seat 0 threw two and pays 6 x 4, seat 1 one and pays 6 x 2.
    game.assert_won(2, "self_draw", {"basic_win": 6}, 6, [-24, -12, 42, -6])
    assert [line["wild"] for line in game.lines("discard")] == [True, True, False, False, True, False]


def test_a_thrown_spirit_stays_counted_when_it_is_claimed_and_when_the_hand_is_won_on_it() -> None:
    hands = {0: "6p6p1m", 2: "123456789m45p99s", 3: "66p"}
    game = deal(hands, draws="1p4s9p").play("0 discard 6p").pass_to(2)
    assert game.legal(2) == ["hu", "pass"]
    game.do(2, "pass").play("3 peng").throw_first().pass_all()
    while not (game.to_act() == 0 and game.decision() == "discard"):
        game.throw_drawn().pass_all()
    game.do(0, "discard 6p").pass_to(2).do(2, "hu")
    # 456p with a held Major 5p, which stands for itself, and the Minor from seat 0: 3 + 2 + 1. Others hold 6p (seat 3).
    items = {"spirit_basic_win": 3, "major_spirits": 2, "minor_spirits": 1}
    game.assert_won(2, "discard", items, 6, [-24, -6, 36, -6], tile="6p", from_seat=0)


def test_the_winners_own_throws_do_not_matter() -> None:
    game = deal({0: "5p123456789m13s99s"}, draws="1p4p9p2s").play("0 discard 5p").pass_all()
    game.idle(3).do(0, "hu")
    game.assert_won(0, "self_draw", {"basic_win": 6}, 6, each(6, 0))


def test_a_spirit_added_to_a_peng_is_not_a_throw_robbed_or_not() -> None:
    hands = {0: "6p1m", 1: "66pE", 3: "123456789m78p99s"}
    game = deal(hands, draws="1p4s9p6p").do(0, "discard 6p").do(1, "peng").do(3, "pass").play("1 discard E").pass_all()
    game.idle(3).do(1, "own gang 6p").do(3, "hu")
    # The Minor robbed is itself: 678p. 3 + 1; seat 1 still has a peng of Minors. Seat 0 threw one and pays double.
    items = {"spirit_basic_win": 3, "minor_spirits": 1}
    game.assert_won(3, "robbed_gang", items, 4, [-8, -4, -4, 16], tile="6p", from_seat=1)
    assert game.melds(1) == ["peng 666p"]


# --- The dead wall ---


def test_gang_replacements_come_from_the_dead_wall_and_do_not_move_the_boundary() -> None:
    game = deal({0: "1111m4444s"}, roll=3, tail="7m9m")
    left = game.left()
    game.play("0 own gang 1m", "0 own gang 4s")
    assert game.left() == left == 83 - 6
    assert [line["tile"] for line in game.lines("draw")] == ["7m", "9m"]


def test_with_the_dead_wall_exhausted_no_gang_may_be_declared() -> None:
    game = deal({0: "1111m4444s7777s9m9p", 2: "E" * 3}, roll=2, tail="8m8p2s")
    game.play("0 own gang 1m", "0 own gang 4s")
    assert "own gang 7s" in game.legal(0)
    game.play("0 own gang 7s")
    wall = game.log[0]["wall"]
    assert (wall[132], [line["tile"] for line in game.lines("draw")]) == ("5p", ["8m", "8p", "2s"])
    assert [wall[index] for index in (135, 134, 133)] == ["8m", "8p", "2s"]
    game = deal({0: "1111m4444s7777s9mE", 2: "EEE", 3: "2222s"}, roll=2, tail="8m8p1s", draws="2p1p")
    game.play("0 own gang 1m", "0 own gang 4s", "0 own gang 7s", "0 discard E")
    # Nothing can replace a gang: peng only, and later no gang of an own four.
    assert game.legal(2) == ["peng", "pass"]
    game.play("2 pass").idle(2)
    assert game.to_act() == 3
    assert "own gang 2s" not in game.legal(3)


def test_the_hand_is_drawn_when_an_ordinary_draw_would_reach_the_flipped_tile() -> None:
    game = deal({}, roll=7, last="E").idle_until_left(0)
    assert (game.to_act(), game.drawn()) == ((83 - 14) % 4, "E")
    game.throw_drawn().pass_all().assert_drawn()
    assert len(game.lines("draw")) == 83 - 14
    assert game.ends()["next_dealer"] == 1


def test_gangs_remain_legal_while_replacements_last_and_may_win() -> None:
    # The last draw is seat 1's.
    game = deal({1: "8888s123456m12s9p"}, last="9p", tail="3s" + SPIRITS).idle_until_left(0)
    game.play("1 own gang 8s", "1 hu")
    # 6 for a basic win without Spirit and 2 for the concealed gang.
    game.assert_won(1, "replacement", {"basic_win": 6, "concealed_gangs": 2}, 8, each(8, 1), tile="3s")


@pytest.mark.parametrize("claim", ["chi high", "peng", "gang", "hu"])
def test_the_discard_before_the_wall_ends_can_be_claimed_in_every_way(claim: str) -> None:
    hands = {"chi high": {2: "23p"}, "peng": {3: "44p"}, "gang": {3: "444p"}, "hu": {0: "123456789m23p99s1m"}}[claim]
    game = deal(hands, last="4p", tail="9s" + SPIRITS).idle_until_left(0)
    seat = next(iter(hands))
    game.do(1, "discard 4p").pass_to(seat).do(seat, claim)
    if claim == "hu":
        game.assert_won(0, "discard", {"basic_win": 6}, 6, each(6, 0), tile="4p", from_seat=1)
        return
    game.pass_all()
    assert game.to_act() == seat
    # Its discard finds no taker, and the next draw would reach the flipped tile.
    game.throw_first().pass_all_claims()
    game.assert_drawn()


# --- Concealed gangs ---


def test_another_seats_concealed_gang_shows_only_that_it_is_one() -> None:
    views = []
    onlooker = "147m147p147sSWNC"
    for kind in ("8s", "2s"):
        game = deal({0: "8888s2222sE", 1: onlooker}, tail="E").do(0, f"own gang {kind}")
        views.append([game.sees(seat) for seat in (1, 2, 3)])
        assert game.melds(0) == [f"concealed_gang {kind[0] * 4}s"]
        assert game.lines("gang") == [{"type": "gang", "seat": 0, "kind": "concealed", "tile": kind}]
    assert views[0] == views[1]


def test_the_owner_sees_its_concealed_gang() -> None:
    views = []
    for kind in ("8s", "2s"):
        game = deal({0: "8888s2222sE"}, tail="E").do(0, f"own gang {kind}")
        views.append(game.sees(0))
    assert views[0] != views[1]


# --- Score ---


def test_seven_spirits() -> None:
    game = deal({0: "5p5p5p6p6p6p6p" + "2m4m7m3s6s8s2p"}).do(0, "hu")
    # 3 x 2 + 4 = 10, twice as the only holder is 20, oversoul 20 x 17 - 20 = 320. Bound seven pairs: 2p, the last
    # dealt tile, with a Major. 8 + 340.
    items = {"bound_seven_pairs": 8, "major_spirits": 6, "minor_spirits": 4, "indomitable": 10, "oversoul": 320}
    game.assert_won(0, "self_draw", items, 348, each(348, 0))


def test_indomitable_needs_that_no_other_seat_holds_a_spirit() -> None:
    hands = {1: "123456789m23p99s"}
    game = deal(hands, draws="5p").throw_drawn().pass_all().do(1, "hu")
    assert dict(game.lines("hu")[0]["items"])["indomitable"] == 2
    game = deal({**hands, 3: "6p"}, draws="5p").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"spirit_basic_win": 3, "major_spirits": 2}, 5, each(5, 1))


def test_discarded_spirits_are_held_by_nobody() -> None:
    game = deal({0: "6p", 1: "123456789m23p99s"}, draws="5p")
    game.do(0, "discard 6p").pass_all().do(1, "hu")
    items = {"spirit_basic_win": 3, "major_spirits": 2, "indomitable": 2}
    game.assert_won(1, "self_draw", items, 7, [-14, 28, -7, -7])


def test_a_spirit_in_another_seats_meld_is_held() -> None:
    hands = {0: "6p1m", 2: "66pE", 1: "123456789m23p99s"}
    game = deal(hands, draws="1p4s5p")
    game.do(0, "discard 6p").pass_to(2).play("2 peng", "2 discard E").pass_all().throw_drawn().pass_all()
    game.throw_drawn().pass_all()
    game.do(1, "hu")
    # Seat 0 threw one: 5 x 2.
    items = {"spirit_basic_win": 3, "major_spirits": 2}
    game.assert_won(1, "self_draw", items, 5, [-10, 20, -5, -5])


def test_a_bound_basic_win() -> None:
    game = deal({1: "123456789m123s5p"}, draws="9s").throw_drawn().pass_all().do(1, "hu")
    # The head is 9s, the tile just drawn, and the Major: 6 + 2 + 2.
    items = {"bound_basic_win": 6, "major_spirits": 2, "indomitable": 2}
    game.assert_won(1, "self_draw", items, 10, each(10, 1), tile="9s")


def test_a_win_on_the_dealers_first_tiles_takes_the_last_dealt_tile_as_the_winning_tile() -> None:
    items = {"bound_basic_win": 6, "major_spirits": 2, "indomitable": 2}
    deal({0: "123456789m123s5p9s"}).do(0, "hu").assert_won(0, "self_draw", items, 10, each(10, 0), tile="9s")
    items = {"spirit_basic_win": 3, "major_spirits": 2, "indomitable": 2}
    deal({0: "5p9s123456789m123s"}).do(0, "hu").assert_won(0, "self_draw", items, 7, each(7, 0), tile="3s")


def test_nothing_is_added_for_discarder_or_robbing() -> None:
    game = deal({0: "1p1m", 1: "123456789m23p99s"}).play("0 discard 1p", "1 hu")
    game.assert_won(1, "discard", {"basic_win": 6}, 6, each(6, 1), tile="1p", from_seat=0)


def test_nine_one_needs_no_grouping_and_allows_melds_of_terminals_and_honors() -> None:
    hands = {0: "E1m", 1: "EE19m19p19sSWNC2m"}
    game = deal(hands, draws="2p4s7sF").play("0 discard E", "1 peng").pass_all().play("1 discard 2m").pass_all()
    game.idle(3).do(1, "hu")
    game.assert_won(1, "self_draw", {"nine_one": 8}, 8, each(8, 1), tile="F", melds=["peng EEE"])


def test_all_seven_honors_double_a_nine_one_or_thirteen_orphans() -> None:
    game = deal({1: "147m17p39sESWNCF"}, draws="P").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"thirteen_orphans": 8, "all_honors": 2}, 16, each(16, 1), tile="P")


def test_a_full_flush_doubles() -> None:
    game = deal({1: "1112345678999m"}, draws="5m").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"basic_win": 6, "full_flush": 2}, 12, each(12, 1))


def test_exposed_and_concealed_gangs_add_to_the_base() -> None:
    hands = {0: "1p2m", 1: "111p8888s123m45s9s"}
    game = deal(hands, tail="9s6s").play("0 discard 1p", "1 gang", "1 own gang 8s", "1 hu")
    items = {"basic_win": 6, "exposed_gangs": 1, "concealed_gangs": 2}
    game.assert_won(1, "replacement", items, 9, each(9, 1))


def test_the_literal_preset() -> None:
    game = deal({0: "1p1m", 1: "123456789m23p99s"}, rules=mjenv.rules("yugan", preset="literal"))
    game.play("0 discard 1p", "1 hu").assert_won(1, "discard", {"basic_win": 3}, 3, each(3, 1))
