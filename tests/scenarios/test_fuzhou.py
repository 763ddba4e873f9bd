"""Fuzhou (rules/fuzhou.md), one test per sentence that random play seldom reaches. The gold is 5p throughout.

The lines of a settlement add up, are doubled once, and one special is added; each of the three others pays that.
"""

from __future__ import annotations

from typing import Any

from scenarios.table import Game

SETS = "123456789m123456s"
"""Five sets of two suits: a hand with any pair, or with a gold and any tile."""
ROBBER = "123456789m123456s9p"
"""Sixteen tiles that one more wild completes."""


def each(points: int, winner: int) -> list[int]:
    """Payments when everybody pays `points` to the winner."""
    return [3 * points if seat == winner else -points for seat in range(4)]


def deal(hands: dict[int, str], dealer: int = 0, flip: str | None = "5p", **settings: Any) -> Game:
    seats = [hands.get(seat, "") for seat in range(4)]
    return Game("fuzhou", hands=seats, dealer=dealer, flip=flip, **settings)


# --- The opening ---


def test_a_bonus_tile_turned_up_while_flipping_stays_out_of_play_and_the_next_tile_is_flipped() -> None:
    game = deal({}, flip=None, tail="EC5p1m")
    assert game.lines("indicator") == [
        {"type": "indicator", "tile": "E", "wilds": []},
        {"type": "indicator", "tile": "C", "wilds": []},
        {"type": "indicator", "tile": "5p", "wilds": ["5p"]},
    ]
    assert game.lines("bonus") == []
    assert game.left() == 47 - 3


def test_dealt_bonus_tiles_are_replaced_from_the_dealer_in_order_before_the_flip() -> None:
    game = deal({1: "E1m9mC", 0: "2mS"}, dealer=1, flip=None, tail="2pW4p6s8s" + "5p")
    got = [(line["type"], line.get("seat"), line["tile"]) for line in game.log[1:]]
    assert got == [
        ("bonus", 1, "E"),
        ("draw", 1, "2p"),
        ("bonus", 1, "C"),
        ("draw", 1, "W"),
        ("bonus", 1, "W"),
        ("draw", 1, "4p"),
        ("bonus", 0, "S"),
        ("draw", 0, "6s"),
        ("indicator", None, "8s"),
    ]


def test_three_golds_at_the_deal_may_be_taken() -> None:
    game = deal({2: "555p"})
    assert game.decision() == "opening"
    assert game.legal(2) == ["hu", "pass"]
    game.do(2, "hu")
    # (1 + 3) x 2 + 30 = 38.
    items = {"base": 1, "golds": 3, "doubled": 2, "three_golds": 30}
    line = game.assert_won(2, "three_golds", items, 38, each(38, 2), tile=None, given_up=None, from_seat=None)
    assert line["hand"].count("5") >= 3


def test_three_golds_flat_pays_its_points_and_nothing_else() -> None:
    game = deal({2: "555p"}, rules={"three_golds_flat": True}).do(2, "hu")
    game.assert_won(2, "three_golds", {"three_golds": 30}, 30, each(30, 2))


def test_three_golds_of_a_dealer_win_with_the_streak_and_the_bonus_tiles() -> None:
    game = deal({3: "555pE"}, dealer=3, flip=None, tail="9s5p", options={"streak": 2}).do(3, "hu")
    # (1 + 2 + 1 + 3) x 2 + 30 = 44.
    items = {"base": 1, "dealer_streak": 2, "bonus_tiles": 1, "golds": 3, "doubled": 2, "three_golds": 30}
    game.assert_won(3, "three_golds", items, 44, each(44, 3), tile=None)


def test_three_golds_declined_stay_open_on_every_later_own_turn_that_begins_with_a_draw() -> None:
    game = deal({2: "555p19m19s"}, draws="1m4m7m1s4s7s").do(2, "pass").pass_all()
    game.idle(2)
    assert "hu" in game.legal(2)
    game.throw_drawn().pass_all().idle(3)
    drawn = game.drawn()
    game.do(2, "hu")
    # Not complete: the source is three_golds.
    items = {"base": 1, "golds": 3, "doubled": 2, "three_golds": 30}
    game.assert_won(2, "three_golds", items, 38, each(38, 2), tile=drawn)


def test_three_golds_with_a_complete_hand_are_a_self_draw() -> None:
    game = deal({2: "555p123456789m1236s"}, draws="1p4p")
    game.pass_all().idle(2)
    game.do(2, "hu")
    # Three golds exclude every other special, ping_hu among them.
    items = {"base": 1, "golds": 3, "doubled": 2, "three_golds": 30}
    game.assert_won(2, "self_draw", items, 38, each(38, 2), tile="4p")


def test_three_golds_do_not_win_at_the_discard_after_a_call() -> None:
    game = deal({0: "9s", 1: "555p99s1m3p"}).do(1, "pass").pass_all().play("0 discard 9s", "1 peng")
    assert "hu" not in game.legal(1)


def test_a_seat_that_another_wild_completes_may_rob_the_gold() -> None:
    game = deal({2: ROBBER})
    assert game.decision() == "opening"
    game.do(2, "hu")
    # (1 + 1) x 2 + 30 = 34; ping_hu (15) is less than rob_gold (30).
    items = {"base": 1, "golds": 1, "doubled": 2, "rob_gold": 30}
    game.assert_won(
        2, "rob_gold", items, 34, each(34, 2), tile="5p", given_up=None, from_seat=None, hand="123456789m59p123456s"
    )


def test_with_one_gold_held_and_one_robbed_the_two_may_be_a_gold_pair() -> None:
    game = deal({3: SETS + "5p"}).do(3, "hu")
    # (1 + 2) x 2 + 50 = 56.
    items = {"base": 1, "golds": 2, "doubled": 2, "gold_pair": 50}
    game.assert_won(3, "rob_gold", items, 56, each(56, 3), hand="123456789m55p123456s")


def test_a_robbed_gold_may_add_no_point() -> None:
    game = deal({2: ROBBER}, rules={"robbed_gold_counts": False}).do(2, "hu")
    # 1 x 2 + 30 = 32.
    game.assert_won(2, "rob_gold", {"base": 1, "doubled": 2, "rob_gold": 30}, 32, each(32, 2))


def test_a_complete_dealer_robs_where_that_is_worth_more() -> None:
    game = deal({0: SETS + "99p"})
    game.do(0, "hu")
    # Self-drawn it is 1 x 2 + 15 (ping_hu) = 17. Robbing it is 34, whichever tile of a set or of the pair goes: the
    # lowest kind that leaves a complete hand is 1m.
    items = {"base": 1, "golds": 1, "doubled": 2, "rob_gold": 30}
    game.assert_won(0, "rob_gold", items, 34, each(34, 0), tile="5p", given_up="1m", hand="23456789m599p123456s")


def test_a_complete_dealer_wins_with_the_dealt_tiles_where_that_is_worth_more() -> None:
    game = deal({0: "55p" + SETS}).do(0, "hu")
    # Self-drawn with a pair of golds: (1 + 2) x 2 + 50 = 56. Robbing makes three golds of which one is robbed:
    # (1 + 3) x 2 + 30 = 38.
    items = {"base": 1, "golds": 2, "doubled": 2, "gold_pair": 50}
    game.assert_won(0, "self_draw", items, 56, each(56, 0), tile="6s", given_up=None)


def test_a_complete_dealer_robs_on_a_tie() -> None:
    game = deal({0: "123456789m123456m99m"}, rules={"robbed_gold_counts": False}).do(0, "hu")
    # A full flush either way, 1 x 2 + 100 = 102. Any tile may go; 1m is the lowest kind.
    items = {"base": 1, "doubled": 2, "full_flush": 100}
    game.assert_won(0, "rob_gold", items, 102, each(102, 0), given_up="1m")


def test_a_dealer_who_is_one_tile_short_may_rob_and_gives_up_the_lowest_kind_on_a_tie() -> None:
    game = deal({0: SETS + "7p9s"})
    game.do(0, "hu")
    # The gold makes a pair with 7p or with 9s: 34 both ways, 7p is the lower kind.
    items = {"base": 1, "golds": 1, "doubled": 2, "rob_gold": 30}
    game.assert_won(0, "rob_gold", items, 34, each(34, 0), given_up="7p", hand="123456789m5p1234569s")


def test_a_dealer_who_is_one_tile_short_gives_up_the_tile_that_scores_best() -> None:
    game = deal({0: "123456789m1234567m9s"}).do(0, "hu")
    # Giving up a character leaves 9s in the pair: 34. Giving up 9s is a full flush: (1 + 1) x 2 + 100 = 104.
    items = {"base": 1, "golds": 1, "doubled": 2, "full_flush": 100}
    game.assert_won(0, "rob_gold", items, 104, each(104, 0), given_up="9s")


def test_the_dealer_never_gives_up_a_gold() -> None:
    game = deal({0: "5p" + SETS + "9s"}).do(0, "hu")
    # One gold held and 9s: complete. Self-drawn: (1 + 1) x 2 + 15 = 19. Robbing and giving up 9s: a pair of golds,
    # (1 + 2) x 2 + 50 = 56.
    items = {"base": 1, "golds": 2, "doubled": 2, "gold_pair": 50}
    game.assert_won(0, "rob_gold", items, 56, each(56, 0), given_up="9s")


def test_the_opening_asks_three_golds_first_then_the_complete_dealer_then_the_others_in_seat_order() -> None:
    hands = {1: SETS + "77p", 2: "123456789s123456m9p", 3: "555p147m147s14p", 0: "123456789s123789m1p"}
    game = deal(hands, dealer=1)
    asked = []
    while game.decision() == "opening":
        seat = int(game.to_act() or 0)
        assert game.legal(seat) == ["hu", "pass"]
        asked.append(seat)
        game.do(seat, "pass")
    assert asked == [3, 1, 2, 0]
    assert game.lines("pass") == [{"type": "pass", "seat": seat, "offered": ["hu"]} for seat in asked]
    assert (game.to_act(), game.decision()) == (1, "discard")
    assert "hu" in game.legal(1)


def test_a_seat_with_three_golds_that_a_wild_completes_is_asked_twice() -> None:
    game = deal({2: "555p123456789m123s9s"})
    game.play("2 pass", "2 hu")
    # Four golds, three of them held: (1 + 4) x 2 + 30 = 40.
    items = {"base": 1, "golds": 4, "doubled": 2, "three_golds": 30}
    game.assert_won(2, "rob_gold", items, 40, each(40, 2), tile="5p", hand="123456789m5555p1239s")


def test_a_dealer_who_is_one_tile_short_is_asked_after_the_others() -> None:
    game = deal({0: SETS + "7p9s", 3: "123456789s123456m9p"})
    game.play("3 pass", "0 pass")
    assert game.decision() == "discard"
    assert "hu" not in game.legal(0)


def test_nobody_sees_who_was_asked_or_passed_in_the_opening() -> None:
    onlooker = "147m147p147s258m258p2s"
    asked, quiet = deal({1: onlooker, 2: ROBBER}), deal({1: onlooker})
    during = asked.sees(1)
    asked.do(2, "pass")
    assert asked.decision() == quiet.decision() == "discard"
    assert during == asked.sees(1) == quiet.sees(1)


# --- Golds ---


def test_a_gold_is_never_discarded() -> None:
    game = deal({0: "55p1m"})
    assert "discard 5p" not in game.legal(0)
    assert "discard 1m" in game.legal(0)


def test_a_gold_is_never_used_in_a_call() -> None:
    game = deal({0: "6p", 1: "4557p123123m123s11s9m"}, draws="1m").do(0, "discard 6p")
    # 4p5p and 5p7p would be runs with 6p, were 5p not the gold.
    assert (game.to_act(), game.decision()) == (1, "discard")
    game = deal({0: "6p", 1: "578p123123m123s147s9m"}).pass_all().do(0, "discard 6p")
    assert game.legal(1) == ["chi low", "pass"]


def test_if_every_tile_is_a_gold_hu_is_the_only_action() -> None:
    game = deal({0: "5p1111222233334444m"}, tail="5555m5p")
    game.pass_all()
    for kind in "12345":
        game.do(0, f"own gang {kind}m")
    assert game.hand(0) == "55p"
    assert game.legal(0) == ["hu"]
    game.do(0, "hu")
    # (1 + 2 + 5 x 2) x 2 + 100 = 126; no other suit is there, so it is a full flush (100) rather than a pair (50).
    items = {"base": 1, "golds": 2, "concealed_gangs": 10, "doubled": 2, "full_flush": 100}
    game.assert_won(0, "replacement", items, 126, each(126, 0), hand="55p", tile="5p")


# --- Calls ---


def test_after_peng_the_called_kind_may_not_be_discarded_for_that_one_discard() -> None:
    game = deal({0: "9s", 1: "999s1m"}, draws="1p4p7p4m").play("0 discard 9s", "1 peng").pass_all()
    assert "discard 9s" not in game.legal(1)
    game.do(1, "discard 1m").pass_all().idle(3)
    assert "discard 9s" in game.legal(1)


def test_after_chi_only_the_called_kind_is_barred_and_the_other_end_of_the_run_is_free() -> None:
    game = deal({0: "4s", 1: "4567s9m"}).play("0 discard 4s", "1 chi low")
    legal = game.legal(1)
    assert "discard 4s" not in legal
    assert "discard 7s" in legal


def three_calls(hand: str) -> Game:
    """Seat 1 takes three runs of characters from the dealer, who then throws 7p."""
    game = deal({0: "147m7p", 1: "235689m" + hand}, draws="1p1s9p" + "4p4s9p" + "2p7s9p")
    for claimed, thrown in (("1m", "1s"), ("4m", "4s"), ("7m", "8s")):
        game.pass_all().do(0, f"discard {claimed}").pass_to(1).do(1, "chi low").pass_all()
        game.do(1, f"discard {thrown}").pass_all().idle(2)
    game.do(0, "discard 7p")
    return game


def test_a_call_is_not_offered_if_nothing_but_golds_and_the_called_kind_would_be_left() -> None:
    # 7p7p8p9p and three golds are left: chi would leave 7p7p and the golds, peng leaves 8p9p.
    assert three_calls("5557789p148s").legal(1) == ["peng", "hu", "pass"]


def test_a_call_is_offered_if_one_other_tile_would_be_left() -> None:
    # 9s instead of the third gold can be discarded after chi.
    assert three_calls("557789p1489s").legal(1) == ["chi low", "peng", "hu", "pass"]


def test_hu_stays_open_after_an_own_peng_and_undoes_the_call() -> None:
    hands = {0: "9s1m", 1: "123456789m123p99s88s"}
    game = deal(hands).pass_all().do(0, "discard 9s")
    assert game.legal(1) == ["peng", "hu", "pass"]
    game.do(1, "peng")
    assert game.decision() == "discard"
    assert "hu" in game.legal(1)
    assert "pass" not in game.legal(1)
    assert game.melds(1) == ["peng 999s"]
    game.do(1, "hu")
    # A win on the discard with the tiles as before: 1, ping_hu makes it 1 x 2 + 15 = 17.
    items = {"base": 1, "doubled": 2, "ping_hu": 15}
    game.assert_won(1, "discard", items, 17, each(17, 1), tile="9s", from_seat=0, melds=[], hand="123456789m123p88999s")
    assert [line["type"] for line in game.log[-3:]] == ["peng", "hu", "end_hand"]


def test_hu_stays_open_after_an_own_chi_and_closes_with_the_discard() -> None:
    hands = {0: "3s1m", 1: "123456789m123p12s88s"}
    game = deal(hands, draws="1p4p7p6p").pass_all().play("0 discard 3s", "1 chi high")
    assert "hu" in game.legal(1)
    game.do(1, "discard 8s").pass_all().idle(3)
    assert "hu" not in game.legal(1)


def test_hu_on_an_own_call_settles_the_melds_of_before() -> None:
    hands = {0: "9s3p1m", 1: "99s12p123456789m88s1s"}
    game = deal(hands, draws="1p4p7p").pass_all().play("0 discard 9s", "1 peng").pass_all()
    assert "hu" not in game.legal(1)
    game.do(1, "discard 1s").pass_all().idle(2)
    game.do(0, "discard 3p").play("1 chi high", "1 hu")
    # One open peng and no gang: still ping_hu, 1 x 2 + 15.
    items = {"base": 1, "doubled": 2, "ping_hu": 15}
    game.assert_won(
        1, "discard", items, 17, each(17, 1), melds=["peng 999s"], hand="123456789m123p88s", tile="3p", from_seat=0
    )


def test_with_bonus_tiles_a_plain_win_on_a_discard_is_not_doubled() -> None:
    game = deal({0: "9s1m", 1: "E123456789m123p99s8s"}, flip=None, tail="8s5p").pass_all().play("0 discard 9s", "1 hu")
    # 1 + 1 = 2, no special.
    game.assert_won(1, "discard", {"base": 1, "bonus_tiles": 1}, 2, each(2, 1), tile="9s")


# --- The last four ---


def last_four(hands: dict[int, str], last: str, left: int = 4) -> Game:
    """Idle until so many tiles are left; with four left it is seat 3's turn, with five seat 2's.

    Seven bonus tiles turn up on the way to the gold and the rest is set aside, so that every draw is a suited tile.
    """
    return deal(hands, last=last, flip=None, tail="NNNCCCC5p").pass_all().idle_until_left(left)


WAITS_2P = "123456789m13p77888s"
PING_HU = {"base": 1, "doubled": 2, "ping_hu": 15}


def test_a_gang_is_legal_only_while_more_than_four_tiles_are_left() -> None:
    quads = {2: "9999s", 3: "9999p"}
    assert "own gang 9s" in last_four(quads, "1p1m4m7m1p", left=5).legal(2)
    assert "own gang 9p" not in last_four(quads, "1p1m4m7m1p", left=4).legal(3)


def test_with_five_left_a_gang_may_still_be_claimed_and_with_four_only_a_peng() -> None:
    game = last_four({0: "999s1m"}, "9s1p1m4m7m1p", left=5).do(2, "discard 9s").pass_to(0)
    assert game.legal(0) == ["peng", "gang", "pass"]
    game = last_four({1: "999s"}, "9s1m4m7m1p", left=4).do(3, "discard 9s").pass_to(1)
    assert game.legal(1) == ["peng", "pass"]


def test_with_four_left_a_discard_may_be_claimed_for_chi() -> None:
    game = last_four({0: "78s2p1m", 2: WAITS_2P}, "9s1m4m7m1p").do(3, "discard 9s")
    assert "chi high" in game.legal(0)
    game.play("0 chi high", "0 discard 2p").pass_to(2).do(2, "hu")
    game.assert_won(2, "discard", PING_HU, 17, each(17, 2), tile="2p", from_seat=0)


def test_with_four_left_the_discard_after_a_call_is_claimable_in_the_same_way() -> None:
    game = last_four({1: "99s2p", 2: WAITS_2P}, "9s1m4m7m1p").do(3, "discard 9s")
    game.pass_to(1).play("1 peng", "1 discard 2p", "2 hu")
    game.assert_won(2, "discard", PING_HU, 17, each(17, 2), tile="2p", from_seat=1)


def test_in_the_draw_only_phase_each_seat_draws_once_and_is_asked_only_if_it_can_win() -> None:
    game = last_four({1: WAITS_2P}, "9p1m2p4m1p").throw_drawn().pass_all_claims()
    assert game.decision() == "draw_only"
    assert game.legal(1) == ["hu", "pass"]
    assert [(line["seat"], line["tile"]) for line in game.lines("draw")[-2:]] == [(0, "1m"), (1, "2p")]
    game.do(1, "hu")
    game.assert_won(1, "self_draw", PING_HU, 17, each(17, 1), tile="2p")


def test_the_draw_only_phase_begins_after_the_discard_that_found_no_taker() -> None:
    # Seat 1 takes peng and throws 2p, so the seats that draw are 2, 3, 0 and 1.
    game = last_four({1: "99s2p"}, "9s1m4m7m1p").do(3, "discard 9s").pass_to(1).play("1 peng", "1 discard 2p")
    game.pass_all_claims().assert_drawn()
    assert [line["seat"] for line in game.lines("draw")[-4:]] == [2, 3, 0, 1]


def test_a_draw_only_win_may_be_declined_and_the_hand_is_drawn_when_no_tile_is_left() -> None:
    game = last_four({1: WAITS_2P}, "9p1m2p4m1p").throw_drawn().pass_all_claims().do(1, "pass").assert_drawn()
    assert game.left() == 0
    assert game.lines("pass")[-1] == {"type": "pass", "seat": 1, "offered": ["hu"]}
    assert [line["seat"] for line in game.lines("draw")[-4:]] == [0, 1, 2, 3]


def test_without_any_win_the_draw_only_phase_asks_nobody() -> None:
    game = last_four({}, "9p1m4m7m1p").throw_drawn().pass_all_claims().assert_drawn()
    assert [line["seat"] for line in game.lines("draw")[-4:]] == [0, 1, 2, 3]
    assert len(game.lines("discard")) == 1 + 35
    assert game.ends()["next_dealer"] == 0


def test_three_golds_may_be_taken_in_the_draw_only_phase() -> None:
    game = last_four({0: "555p19m19s"}, "9p4m1m7m1p").throw_drawn().pass_all_claims()
    assert (game.to_act(), game.decision()) == (0, "draw_only")
    game.do(0, "hu")
    items = {"base": 1, "golds": 3, "doubled": 2, "three_golds": 30}
    game.assert_won(0, "three_golds", items, 38, each(38, 0), tile="4m")


def test_a_bonus_tile_of_the_draw_only_phase_is_replaced_while_tiles_remain() -> None:
    # Seat 0 draws E and then the tile at the tail, 1p; seats 1 and 2 draw the other two; for seat 3 nothing is left.
    game = last_four({1: WAITS_2P}, "9pE2p4m1p").throw_drawn().pass_all_claims().do(1, "pass").assert_drawn()
    got = [(line["type"], line["seat"], line["tile"], line.get("from")) for line in game.lines("draw", "bonus")[-5:]]
    assert got == [
        ("draw", 0, "E", "wall"),
        ("bonus", 0, "E", None),
        ("draw", 0, "1p", "tail"),
        ("draw", 1, "2p", "wall"),
        ("draw", 2, "4m", "wall"),
    ]


def test_a_bonus_tile_with_no_replacement_left_ends_the_hand() -> None:
    game = last_four({}, "9p1m4m7mE").throw_drawn().pass_all_claims().assert_drawn()
    assert [line["type"] for line in game.log[-3:]] == ["draw", "bonus", "end_hand"]


# --- Session ---


def test_a_dealer_who_wins_with_a_streak_scores_it() -> None:
    game = deal({0: SETS + "99p"}, options={"streak": 3}).play("0 pass", "0 hu")
    # Declined in the opening, self-drawn on the first turn: (1 + 3) x 2 + 15 = 23.
    items = {"base": 1, "dealer_streak": 3, "doubled": 2, "ping_hu": 15}
    game.assert_won(0, "self_draw", items, 23, each(23, 0), tile="9p")
    assert (game.ends()["next_dealer"], game.ends()["next_streak"]) == (0, 4)


def test_streak_points_may_be_left_out() -> None:
    game = deal({0: SETS + "99p"}, options={"streak": 3}, rules={"streak_points": 0}).play("0 pass", "0 hu")
    game.assert_won(0, "self_draw", {"base": 1, "doubled": 2, "ping_hu": 15}, 17, each(17, 0))


def test_gang_lines_and_a_win_on_the_replacement() -> None:
    hands = {0: "9s", 1: "999s8888p12345677m1s"}
    game = deal(hands, tail="2s3s").pass_all().play("0 discard 9s", "1 gang", "1 own gang 8p", "1 hu")
    # (1 + 1 + 2) x 2, and a gang rules out ping_hu.
    items = {"base": 1, "exposed_gangs": 1, "concealed_gangs": 2, "doubled": 2}
    melds = ["gang 9999s", "concealed_gang 8888p"]
    game.assert_won(1, "replacement", items, 8, each(8, 1), tile="3s", melds=melds, hand="12345677m123s")


def test_an_added_gang_counts_as_an_exposed_one() -> None:
    hands = {0: "9s", 1: "99s123456789m123p1p7s"}
    game = deal(hands, draws="1m4m7m9s", tail="7s").pass_all().play("0 discard 9s", "1 peng", "1 discard 1p")
    game.pass_all().idle(3).play("1 own gang 9s", "1 hu")
    # (1 + 1) x 2.
    items = {"base": 1, "exposed_gangs": 1, "doubled": 2}
    game.assert_won(1, "replacement", items, 4, each(4, 1), tile="7s", melds=["gang 9999s"])
