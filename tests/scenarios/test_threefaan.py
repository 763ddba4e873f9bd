"""Three-faan table (rules/threefaan.md), one test per sentence that random play seldom reaches.

B = 2 to the power of the faan. An own win is paid B by each, from another that seat pays 3B alone.
"""

from __future__ import annotations

from typing import Any

import pytest
from scenarios.table import Game

WAITS_5P = "123456789m46p99s"
SEVEN_FLOWERS = "f2f3f4g1g2g3g4"


def deal(hands: dict[int, str], dealer: int = 0, **settings: Any) -> Game:
    return Game("threefaan", hands=[hands.get(seat, "") for seat in range(4)], dealer=dealer, **settings)


def each(base: int, winner: int) -> list[int]:
    return [3 * base if seat == winner else -base for seat in range(4)]


def alone(base: int, winner: int, payer: int) -> list[int]:
    return [3 * base if seat == winner else -3 * base if seat == payer else 0 for seat in range(4)]


def test_hu_is_offered_only_from_min_faan_up() -> None:
    # All chows 1, concealed hand 1, no flowers 1.
    game = deal({0: "5p1m", 2: WAITS_5P}).do(0, "discard 5p").pass_to(2).do(2, "hu")
    items = {"all_chows": 1, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(2, "discard", items, 3, alone(8, 2, 0), tile="5p", from_seat=0)
    # A flower that is not its own: 2 faan.
    hands = {0: "5p1m", 2: "f1" + WAITS_5P[1:]}
    assert deal(hands, tail="1m").do(0, "discard 5p").pass_all().to_act() == 1
    game = deal(hands, tail="1m", rules={"min_faan": 2}).do(0, "discard 5p").pass_to(2).do(2, "hu")
    game.assert_won(2, "discard", {"all_chows": 1, "concealed_hand": 1}, 2, alone(4, 2, 0))


def test_an_own_win_below_the_minimum_is_not_offered() -> None:
    hands = {0: "4m1m", 1: "56m789m123m46pCCS"}
    for rules, may in (({}, False), ({"min_faan": 2}, True)):
        game = deal(hands, draws="N7sN5p", rules=rules).play("0 discard 4m", "1 chi low", "1 discard S").pass_all()
        game.idle(3)
        # A dragon pair is no all_chows: self_draw 1 and no_flowers 1.
        assert ("hu" in game.legal(1)) == may
    game.do(1, "hu").assert_won(1, "self_draw", {"self_draw": 1, "no_flowers": 1}, 2, each(4, 1))


def test_the_dealers_win_on_the_dealt_tiles_is_a_self_draw() -> None:
    game = deal({0: "123456789m456p99s"}).do(0, "hu")
    items = {"all_chows": 1, "self_draw": 1, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(0, "self_draw", items, 4, each(16, 0), tile="9s")


def test_there_is_no_award_for_the_first_draw_or_the_first_discard() -> None:
    game = deal({1: WAITS_5P}, draws="5p").throw_drawn().pass_all().do(1, "hu")
    items = {"all_chows": 1, "self_draw": 1, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(1, "self_draw", items, 4, each(16, 1), tile="5p")


def test_east_triplets_of_the_dealer_score_both_winds() -> None:
    game = deal({0: "EEE456m789p23s88s1s"}).do(0, "hu")
    items = {"seat_wind": 1, "round_wind": 1, "self_draw": 1, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(0, "self_draw", items, 5, each(32, 0))


# --- The end of the wall ---


def end_of_wall(hands: dict[int, str], last: str, left: int = 0) -> Game:
    """Idle until so many tiles are left.

    The eight flowers are dealt to seat 0, so that 83 tiles are left after their replacement; the last is seat 3's.
    """
    flowers = {0: "f1" + SEVEN_FLOWERS + hands.get(0, "")}
    return deal({**hands, **flowers}, last=last, tail="258s37s14pE", rules={"min_faan": 0}).idle_until_left(left)


def test_the_last_tile_may_be_won_with() -> None:
    game = end_of_wall({3: WAITS_5P}, "5p").do(3, "hu")
    items = {"all_chows": 1, "self_draw": 1, "concealed_hand": 1, "last_draw": 1, "no_flowers": 1}
    game.assert_won(3, "self_draw", items, 5, each(32, 3), tile="5p")


def test_a_discard_made_with_an_empty_wall_can_be_claimed_for_hu_peng_or_chi() -> None:
    game = end_of_wall({0: "46p1m", 1: "55p", 2: WAITS_5P, 3: "6666s"}, "5p")
    assert "own gang 6s" not in game.legal(3)
    game.do(3, "discard 5p")
    assert "chi middle" in game.legal(0)
    game.do(0, "pass")
    assert game.legal(1) == ["peng", "pass"]
    game.play("1 pass", "2 hu")
    items = {"all_chows": 1, "concealed_hand": 1, "last_discard": 1, "no_flowers": 1}
    game.assert_won(2, "discard", items, 4, alone(16, 2, 3), tile="5p", from_seat=3)


def test_a_gang_needs_a_replacement_so_none_may_be_claimed_with_an_empty_wall() -> None:
    game = end_of_wall({1: "555p"}, "5p").do(3, "discard 5p").pass_to(1)
    assert game.legal(1) == ["peng", "pass"]


def test_the_discard_after_a_chi_on_the_empty_wall_is_claimable_in_turn() -> None:
    game = end_of_wall({0: "23p5p1m", 2: WAITS_5P}, "4p").do(3, "discard 4p")
    game.play("0 chi high", "0 discard 5p").pass_to(2).do(2, "hu")
    items = {"all_chows": 1, "concealed_hand": 1, "last_discard": 1, "no_flowers": 1}
    game.assert_won(2, "discard", items, 4, alone(16, 2, 0), from_seat=0)


def test_the_hand_is_drawn_when_a_seat_would_have_to_draw_from_the_empty_wall() -> None:
    game = end_of_wall({}, "E").throw_drawn().pass_all().assert_drawn()
    assert (game.ends()["next_dealer"], game.ends()["next_streak"]) == (0, 0)


def test_a_bonus_tile_without_replacement_ends_the_hand() -> None:
    hands = {0: SEVEN_FLOWERS + "147m9p"}
    game = deal(hands, last="f1", tail="258s37s1pE").idle_until_left(1).throw_drawn().pass_all().assert_drawn()
    assert [line["type"] for line in game.log[-3:]] == ["draw", "bonus", "end_hand"]


def test_a_flower_replaced_by_a_flower_on_the_last_tile_ends_the_hand() -> None:
    hands = {0: "f2f3f4g2g3g4147m9p"}
    game = deal(hands, last="f1g1", tail="258s37s1p").idle_until_left(2).throw_drawn().pass_all().assert_drawn()
    assert [line["type"] for line in game.log[-5:]] == ["draw", "bonus", "draw", "bonus", "end_hand"]


def test_the_last_tile_drawn_as_a_bonus_replacement_is_a_last_draw() -> None:
    # f1 from the head, and the last tile 5p from the tail in its place.
    game = deal({0: SEVEN_FLOWERS + "147m9p", 3: WAITS_5P}, last="f15p", tail="258s37s1pE", rules={"min_faan": 0})
    game.idle_until_left(2).throw_drawn().pass_all()
    assert (game.to_act(), game.left(), game.drawn()) == (3, 0, "5p")
    game.do(3, "hu")
    items = {"all_chows": 1, "self_draw": 1, "concealed_hand": 1, "last_draw": 1}
    game.assert_won(3, "self_draw", items, 4, each(16, 3))


# --- Gangs ---


def test_a_gang_replacement_through_a_flower() -> None:
    game = deal({1: "8888s123456m46p9s"}, draws="9s", tail="f1" + "5p").throw_drawn().pass_all()
    game.play("1 own gang 8s", "1 hu")
    # A concealed gang leaves the hand concealed; f1 is the dealer's flower.
    items = {"self_draw": 1, "concealed_hand": 1, "gang_replacement": 1}
    game.assert_won(1, "replacement", items, 3, each(8, 1), tile="5p")


def test_the_robbed_seat_pays_alone_and_robbing_below_the_minimum_is_not_offered() -> None:
    for flowers, tail, may in (("", "", True), ("f1f2", "11m", False)):
        dealt = flowers + "1m" if flowers else "111m"
        game = deal({0: "5pF", 1: "55pE", 3: dealt + "456789m46p99s"}, draws="WSC5p", tail=tail + "P")
        game.do(0, "discard 5p").pass_to(1).do(1, "peng").pass_all().do(1, "discard E").pass_all().idle(3)
        game.do(1, "own gang 5p")
        assert (game.decision() == "rob") == may
        if may:
            # No all_chows with 111m: concealed hand 1, robbed gang 1, no flowers 1.
            items = {"concealed_hand": 1, "robbed_gang": 1, "no_flowers": 1}
            game.do(3, "hu").assert_won(3, "robbed_gang", items, 3, alone(8, 3, 1), from_seat=1)


# --- Limit hands, session ---


def test_four_concealed_pungs_are_a_limit_hand_only_when_self_drawn() -> None:
    game = deal({0: "9s1m", 1: "111222m333p99s88s"}).do(0, "discard 9s").pass_to(1).do(1, "hu")
    items = {"all_pungs": 3, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(1, "discard", items, 5, alone(32, 1, 0))
    game = deal({1: "111222m333p99s88s"}, draws="9s").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"four_concealed_pungs": 13}, 13, each(8192, 1))


@pytest.mark.parametrize("cap", [8, 10, 13])
def test_a_limit_hand_is_worth_the_cap(cap: int) -> None:
    game = deal({0: "19m19p19sESWNCFP9p"}, rules={"cap_faan": cap}).do(0, "hu")
    game.assert_won(0, "self_draw", {"thirteen_orphans": cap}, cap, each(2**cap, 0))


def test_reset_ignores_a_streak_and_the_dealer_is_the_same_seat_in_every_deal() -> None:
    game = deal({2: "123456789m456p99s"}, dealer=2, options={"streak": 4}, episode="round").do(2, "hu")
    starts = game.lines("start_hand")
    assert [(line["dealer"], line["streak"]) for line in starts] == [(2, 0), (2, 0)]


def test_a_rotating_dealer_moves_even_after_winning() -> None:
    game = deal({2: "123456789m456p99s"}, dealer=2, rules={"rotate_dealer": True}, episode="round").do(2, "hu")
    starts = game.lines("start_hand")
    assert [(line["dealer"], line["streak"], line["round_wind"]) for line in starts] == [(2, 0, "E"), (3, 0, "E")]
