"""Hangzhou (rules/hangzhou.md), one test per sentence that random play seldom reaches.

The wild is 9s in flip mode (the die shows 1, so wall[134] is turned up) and P in fixed mode. Factors multiply; the
dealer pays and receives double.
"""

from __future__ import annotations

from typing import Any

import pytest
from scenarios.table import Game

SETS = "123456789m123p"
"""Four sets: with one wild more the hand is bao-tou, with two a float is open."""


def deal(hands: dict[int, str], dealer: int = 0, **settings: Any) -> Game:
    settings.setdefault("flip", "9s")
    return Game("hangzhou", hands=[hands.get(seat, "") for seat in range(4)], dealer=dealer, **settings)


def paid(total: int, winner: int, dealer: int = 0) -> list[int]:
    """The dealer wins: each pays the total. Another wins: the dealer pays it twice, the other two once."""
    pays = [total if winner == dealer or seat != dealer else 2 * total for seat in range(4)]
    return [sum(pays) - pays[seat] if seat == winner else -pays[seat] for seat in range(4)]


def fixed(hands: dict[int, str], **settings: Any) -> Game:
    """The same with P always wild and no flip."""
    rules = {"wild_mode": "fixed", **settings.pop("rules", {})}
    return deal(hands, flip=None, rules=rules, **settings)


# --- Bao-tou ---


def test_every_tile_wins_a_bao_tou_hand() -> None:
    game = deal({0: SETS + "9sN"}, draws="1s4sSEC").play("0 discard N").idle(3)
    assert game.drawn() == "E"
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "bao_tou": 2}, 2, [6, -2, -2, -2], tile="E")


def test_a_dealers_win_with_the_dealt_tiles_is_never_bao_tou() -> None:
    game = deal({0: SETS + "9s9s"})
    assert game.decision() == "float"
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1}, 1, [3, -1, -1, -1], tile="9s")


def test_a_hand_that_waits_on_some_tiles_only_is_not_bao_tou() -> None:
    game = deal({1: "123456789m12p" + "77s"}, draws="3p").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"plain_win": 1}, 1, [-2, 4, -1, -1], tile="3p")


def test_six_pairs_and_a_wild_are_bao_tou_in_the_pairs_family() -> None:
    game = deal({1: "1133m5577p1144s9s"}, draws="E").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"seven_pairs": 2, "bao_tou": 2}, 4, paid(4, 1), tile="E")


def test_without_pairs_bao_tou_only_the_sets_family_can_be_bao_tou() -> None:
    rules = {"pairs_bao_tou": False}
    game = deal({1: "1133m5577p1144s9s"}, draws="E", rules=rules).throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"seven_pairs": 2}, 2, paid(2, 1))
    game = deal({0: "1133m5577p1144s99s"}, rules=rules)
    assert game.decision() == "discard"


def test_bao_tou_is_judged_before_the_winning_draw() -> None:
    # The wild itself is drawn: before it the hand waited on some tiles only.
    game = deal({1: "123456789m12p77s"}, draws="9s").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"plain_win": 1}, 1, paid(1, 1), tile="9s")


# --- Floats ---


def test_discarding_a_wild_from_two_and_four_sets_is_a_float_and_the_next_draw_wins_it() -> None:
    game = deal({0: SETS + "9s9s"}, draws="1s4sSEC")
    assert game.decision() == "float"
    game.do(0, "discard 9s")
    assert game.lines("discard")[-1] == {
        "type": "discard",
        "seat": 0,
        "tile": "9s",
        "drawn": True,
        "wild": True,
        "float": 1,
    }
    game.pass_all().idle(3)
    assert game.decision() == "discard"
    game.do(0, "hu")
    # Float contains the x 2 of bao-tou.
    game.assert_won(0, "self_draw", {"plain_win": 1, "float": 4}, 4, [12, -4, -4, -4], tile="E")


def test_a_float_with_six_pairs() -> None:
    game = deal({0: "1133m5577p1144s99s"}, draws="1m4m7mE").play("0 discard 9s")
    game.pass_all().idle(3)
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"seven_pairs": 2, "float": 4}, 8, paid(8, 0), tile="E")


def test_two_floats_in_a_row() -> None:
    game = deal({0: SETS + "9s9s"}, draws="1s4sS9sN1p4pE").play("0 discard 9s").pass_all().idle(3)
    assert game.decision() == "float"
    game.play("0 discard 9s")
    assert game.lines("discard")[-1]["float"] == 2
    game.pass_all().idle(3).do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "double_float": 8}, 8, paid(8, 0), tile="E")


def test_a_seat_that_could_win_may_float_instead() -> None:
    game = deal({0: SETS + "9s9s"})
    assert {"hu", "discard 9s"} <= set(game.legal(0))


def test_three_floats_need_the_four_wilds_of_fixed_mode() -> None:
    game = fixed({0: SETS + "PP"}, draws="1s4sSP" + "N1p4pP" + "7s7pWE")
    for count in (1, 2, 3):
        assert game.decision() == "float"
        game.play("0 discard P")
        assert game.lines("discard")[-1]["float"] == count
        game.pass_all().idle(3)
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "triple_float": 16}, 16, paid(16, 0), tile="E")
    assert game.lines("indicator") == []


def test_any_other_discard_sets_the_float_count_to_zero() -> None:
    game = deal({0: SETS + "9s9s"}, draws="1s4sSEN1p4pW").play("0 discard 9s").pass_all().idle(3)
    game.play("0 discard E")
    assert game.lines("discard")[-1]["float"] == 0
    game.pass_all().idle(3).do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "bao_tou": 2}, 2, paid(2, 0), tile="W")


def test_a_wild_thrown_without_a_float_sets_the_count_to_zero() -> None:
    # After the float 1m is drawn and kept, the last wild goes: 1123456789m123p is no four sets and a wild.
    game = deal({0: SETS + "9s9s"}, draws="1s4sS1mN1p4p1m").play("0 discard 9s").pass_all().idle(3)
    game.play("0 discard 9s")
    assert game.lines("discard")[-1]["float"] == 0
    assert game.lines("discard")[-1]["wild"]
    game.pass_all().idle(3).do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1}, 1, paid(1, 0), tile="1m")


def test_chi_and_peng_are_followed_by_a_discard_that_is_no_float() -> None:
    # 111m and two wilds: peng of the fourth 1m leaves 1m, three sets and a wild, of which 1m goes.
    game = deal({0: "111456789m123p9s9s", 1: "1m"}, draws="C4sSE").play("0 discard 9s").pass_all()
    game.play("1 discard 1m").pass_to(0)
    game.do(0, "peng")
    assert game.decision() == "discard"
    assert game.lines("discard")[0]["float"] == 1
    game.play("0 discard 1m")
    assert game.lines("discard")[-1]["float"] == 0
    game.pass_all()
    while game.to_act() != 0:
        game.throw_drawn().pass_all()
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "bao_tou": 2}, 2, paid(2, 0), melds=["peng 111m"])


def test_two_wilds_after_a_peng_do_not_float() -> None:
    game = deal({0: "1m", 1: "11m456789m123p9s9s"}, draws="C").play("0 discard 1m", "1 peng")
    assert game.decision() == "discard"
    game.play("1 discard 9s")
    assert game.lines("discard")[-1]["float"] == 0


def test_a_float_may_follow_a_gang_replacement() -> None:
    game = deal({0: "1111m456789m123p9s"}, tail="9s", draws="C4s7sE").play("0 own gang 1m")
    assert game.decision() == "float"
    game.play("0 discard 9s")
    assert game.lines("discard")[-1]["float"] == 1
    game.pass_all().idle(3).do(0, "hu")
    # Gang, then float: the run of gangs is lost.
    game.assert_won(0, "self_draw", {"plain_win": 1, "float": 4}, 4, paid(4, 0), tile="E")


def test_float_then_a_concealed_gang_that_wins_keeps_both() -> None:
    game = deal({0: "111456789m123p9s9s"}, draws="C4s7s1m", tail="E").play("0 discard 9s").pass_all().idle(3)
    game.play("0 own gang 1m", "0 hu")
    items = {"plain_win": 1, "float": 4, "gang_flower": 2}
    game.assert_won(0, "replacement", items, 8, paid(8, 0), tile="E", melds=["concealed_gang 1111m"])


def test_float_then_a_claimed_gang_that_wins_keeps_both() -> None:
    game = deal({0: "111456789m123p9s9s", 2: "1m"}, draws="CC", tail="E").play("0 discard 9s").pass_all()
    game.throw_drawn().pass_all().play("2 discard 1m").pass_to(0).play("0 gang", "0 hu")
    items = {"plain_win": 1, "float": 4, "gang_flower": 2}
    game.assert_won(0, "replacement", items, 8, paid(8, 0), tile="E", melds=["gang 1111m"])


def test_a_gang_keeps_the_float_if_the_hand_is_bao_tou_after_it_before_the_replacement() -> None:
    # 1111m 23m … are 111m and 123m. With 4m drawn the gang leaves 234m, three sets and a wild.
    game = deal({0: "111123m456789p9s9s"}, draws="C4s7s4m", tail="E").play("0 discard 9s").pass_all().idle(3)
    game.play("0 own gang 1m", "0 hu")
    items = {"plain_win": 1, "float": 4, "gang_flower": 2}
    game.assert_won(0, "replacement", items, 8, paid(8, 0), tile="E")


def test_a_gang_after_which_the_hand_is_not_bao_tou_ends_the_float() -> None:
    # With N drawn the gang leaves 23m and N; the replacement 4m, then any pair for N, make no float.
    game = deal({0: "111123m456789p9s9s"}, draws="C4s7sN" + "C4s7sN", tail="4m").play("0 discard 9s")
    assert game.lines("discard")[-1]["float"] == 1
    game.pass_all().idle(3)
    assert game.scalar(0, "own_floats") == 1 / 4
    game.do(0, "own gang 1m")
    assert game.scalar(0, "own_floats") == 0
    game.do(0, "hu")
    # 234m 456p 789p, a pair of N and the wild.
    game.assert_won(0, "replacement", {"plain_win": 1, "gang_flower": 2}, 2, paid(2, 0), tile="4m")


# --- Gangs ---


def test_a_win_on_the_replacement_is_a_gang_flower() -> None:
    game = deal({0: "1111m456789m12p77s"}, tail="3p").play("0 own gang 1m", "0 hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "gang_flower": 2}, 2, paid(2, 0), tile="3p")


def test_a_run_of_two_gangs() -> None:
    game = deal({0: "1111m222m789m12p77s"}, tail="2m3p").play("0 own gang 1m", "0 own gang 2m", "0 hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "double_gang": 4}, 4, paid(4, 0), tile="3p")


def test_a_run_of_a_claimed_and_a_concealed_gang() -> None:
    game = deal({0: "1m", 1: "111m222m789m12p77s"}, tail="2m3p").play("0 discard 1m", "1 gang", "1 own gang 2m", "1 hu")
    game.assert_won(1, "replacement", {"plain_win": 1, "double_gang": 4}, 4, paid(4, 1), tile="3p")


def test_runs_of_three_and_four_gangs() -> None:
    game = deal({0: "111122223333m78s"}, tail="6s5p5p")
    game.play("0 own gang 1m", "0 own gang 2m", "0 own gang 3m", "0 hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "triple_gang": 8}, 8, paid(8, 0), tile="5p")
    game = deal({0: "1111222233334m7s"}, tail="4m4m4m7s")
    game.play("0 own gang 1m", "0 own gang 2m", "0 own gang 3m", "0 own gang 4m", "0 hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "quadruple_gang": 16}, 16, paid(16, 0), tile="7s")


def test_a_discard_ends_the_run_of_gangs_at_once() -> None:
    game = deal({0: "1111m222m789m12p77s"}, tail="E", draws="C").do(0, "own gang 1m")
    assert game.scalar(1, "gang_run") == 1 / 4
    game.do(0, "discard E").pass_all()
    assert game.scalar(1, "gang_run") == 0


def test_an_ordinary_draw_between_two_gangs_starts_a_new_run() -> None:
    game = deal({0: "1111m222m789m12p77s"}, tail="E3p", draws="C4s7s2m").play("0 own gang 1m", "0 discard E")
    game.pass_all().idle(3).play("0 own gang 2m", "0 hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "gang_flower": 2}, 2, paid(2, 0), tile="3p")


def test_a_gang_of_three_wilds_and_a_fourth_is_not_possible_in_flip_mode_but_is_in_fixed_mode() -> None:
    game = fixed({0: "PPPP456789m12p77s"}, tail="3p").play("0 own gang P")
    assert game.melds(0) == ["concealed_gang PPPP"]
    game.do(0, "hu")
    game.assert_won(0, "replacement", {"plain_win": 1, "gang_flower": 2}, 2, paid(2, 0))


def test_replacements_come_from_the_far_end_and_skip_the_flipped_tile() -> None:
    game = deal({0: "1111m2222m789m12p7s"}, tail="3p7s").play("0 own gang 1m", "0 own gang 2m")
    wall = game.log[0]["wall"]
    assert (wall[135], wall[134], wall[133]) == ("3p", "9s", "7s")
    assert [line["tile"] for line in game.lines("draw")] == ["3p", "7s"]
    # The wild that was turned up is in nobody's hand.
    assert "9s" not in [line["tile"] for line in game.lines("draw")]


# --- Claims ---


def test_nobody_wins_on_a_discard() -> None:
    game = deal({0: "3p1m", 1: "123456789m12p77s", 2: "123456789s33p77m"}).do(0, "discard 3p")
    assert game.legal(1) == ["chi high", "pass"]
    game.do(1, "pass")
    assert game.legal(2) == ["peng", "pass"]


def test_a_thrown_wild_may_be_claimed_by_its_own_face() -> None:
    game = deal({0: "5p", 1: "46p", 2: "55p"}, flip="5p").play("0 discard 5p")
    assert game.legal(1) == ["chi middle", "pass"]
    game.do(1, "chi middle")
    assert game.legal(2) == ["peng", "pass"]
    game.do(2, "pass")
    assert game.melds(1) == ["chi 456p"]


def test_without_chi_wild_a_thrown_wild_cannot_be_taken_by_chi() -> None:
    game = deal({0: "5p", 1: "46p", 2: "55p"}, flip="5p", rules={"chi_wild": False}).play("0 discard 5p")
    assert game.legal(2) == ["peng", "pass"]
    game.do(2, "peng")
    assert game.melds(2) == ["peng 555p"]


def test_a_wild_in_hand_is_called_with_by_its_own_face_only() -> None:
    # 5p is wild: with 4p it is a run for 3p and 6p, and it stands for nothing else.
    game = deal({0: "6p9m", 1: "45p"}, flip="5p").play("0 discard 6p")
    assert game.legal(1) == ["chi high", "pass"]
    game = deal({0: "9p9m", 1: "57p"}, flip="5p").play("0 discard 9p")
    assert game.decision() == "discard"


def test_the_thrown_wild_may_be_claimed_and_the_float_stays() -> None:
    game = deal({0: "123456789m123s5p5p", 1: "46p"}, flip="5p", draws="1s4sSE").play("0 discard 5p", "1 chi middle")
    game.throw_first().pass_all()
    while game.to_act() != 0:
        game.throw_drawn().pass_all()
    game.do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "float": 4}, 4, paid(4, 0))


# --- The end of the wall ---


def last_draw(hands: dict[int, str], last: str, left: int = 0, **settings: Any) -> Game:
    """Idle until so many tiles can be drawn; the 63rd and last draw is seat 3's."""
    return deal(hands, last=last, **settings).idle_until_left(left)


def test_sixty_three_tiles_are_drawn_after_the_deal() -> None:
    game = last_draw({}, "1p").throw_drawn()
    game.assert_drawn()
    assert len(game.lines("draw")) == 63
    assert game.lines("draw")[-1]["seat"] == 3


def test_with_twenty_left_the_discard_cannot_be_claimed_and_the_hand_is_drawn() -> None:
    game = last_draw({0: "5577p46p1m"}, "5p")
    assert (game.to_act(), game.drawn()) == (3, "5p")
    game.do(3, "discard 5p").assert_drawn()
    assert [line["type"] for line in game.log[-2:]] == ["discard", "end_hand"]


def test_the_last_draw_may_win() -> None:
    game = last_draw({3: "123456789m12p77s"}, "3p").do(3, "hu")
    game.assert_won(3, "self_draw", {"plain_win": 1}, 1, [-2, -1, -1, 4])


def test_a_gang_needs_more_than_twenty_tiles() -> None:
    assert "own gang 8s" not in last_draw({3: "8888s"}, "5p").legal(3)
    assert "own gang 8s" in last_draw({2: "8888s"}, "1p5p", left=1).legal(2)


def test_a_gang_that_leaves_twenty_may_still_win_or_discard() -> None:
    game = deal({2: "8888s456789m12p7s"}, tail="E", last="7s").idle_until_left(1)
    assert game.to_act() == 2
    game.do(2, "own gang 8s")
    assert game.left() == 0
    game.throw_drawn().assert_drawn()


@pytest.mark.parametrize("stop_at", [12, 40])
def test_stop_at_may_be_moved(stop_at: int) -> None:
    game = last_draw({}, "1p", rules={"stop_at": stop_at}).throw_drawn().assert_drawn()
    assert len(game.lines("draw")) == 136 - 53 - stop_at


def test_the_dealer_keeps_the_deal_and_the_streak_grows_on_a_drawn_hand() -> None:
    end = last_draw({}, "1p", options={"streak": 1}).throw_drawn().ends()
    assert (end["next_dealer"], end["next_streak"]) == (0, 2)


# --- Streaks and payments ---


@pytest.mark.parametrize(("streak", "factor"), [(1, 4), (2, 8), (5, 8)])
def test_a_streak_multiplies_the_whole_settlement_whoever_wins(streak: int, factor: int) -> None:
    options = {"streak": streak}
    game = deal({2: SETS + "9s9s"}, dealer=2, options=options).do(2, "hu")
    game.assert_won(2, "self_draw", {"plain_win": 1, "streak": factor}, factor, paid(factor, 2, 2))
    game = deal({0: "123456789m12p77s"}, dealer=2, options=options, draws="C3p").idle(2).do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1, "streak": factor}, factor, paid(factor, 0, 2))


def test_without_streak_for_non_dealer_only_the_dealers_win_is_multiplied() -> None:
    settings: dict[str, Any] = {"options": {"streak": 1}, "rules": {"streak_for_non_dealer": False}, "dealer": 2}
    game = deal({0: "123456789m12p77s"}, draws="C3p", **settings).idle(2).do(0, "hu")
    game.assert_won(0, "self_draw", {"plain_win": 1}, 1, paid(1, 0, 2))
    game = deal({2: SETS + "9s9s"}, **settings).do(2, "hu")
    game.assert_won(2, "self_draw", {"plain_win": 1, "streak": 4}, 4, paid(4, 2, 2))


def test_a_non_dealer_who_wins_deals_next_with_streak_zero_and_everyone_starts_with_fifty() -> None:
    game = deal({2: "123456789m12p77s"}, draws="C3p", episode="round", options={"streak": 1}).idle(2)
    game.do(2, "hu")
    start = game.lines("start_hand")[1]
    assert (start["dealer"], start["streak"]) == (2, 0)
    # 4 x streak factor: the dealer pays 8, the other two 4 each.
    assert start["scores"] == [50 - 8, 50 - 4, 50 + 16, 50 - 4]


# --- Shapes ---


def test_deluxe_seven_pairs_need_four_real_copies() -> None:
    game = deal({1: "111133m5577p11s4s"}, draws="4s").throw_drawn().pass_all().do(1, "hu")
    game.assert_won(1, "self_draw", {"deluxe_seven_pairs": 4}, 4, paid(4, 1))


def test_four_real_wilds_count_as_deluxe_when_the_other_ten_are_five_pairs() -> None:
    game = fixed({1: "1133m5577p1sPPPP"}, draws="1s").throw_drawn().pass_all().do(1, "hu")
    # Without one P it is six pairs (1s with a P, and two of them): bao-tou as well.
    game.assert_won(1, "self_draw", {"deluxe_seven_pairs": 4, "bao_tou": 2}, 8, paid(8, 1))
