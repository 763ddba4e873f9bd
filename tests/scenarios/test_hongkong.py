"""Hong Kong Old Style (rules/hongkong.md), one test per sentence that random play seldom reaches.

Faan add up; V = 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128 units for 0 to 10 faan. A discarder pays V alone, an own win is
paid V by each. `PLAIN` leaves out flowers and minimum.
"""

from __future__ import annotations

from typing import Any

import pytest
from scenarios.table import Game

PLAIN = {"min_faan": 0, "bonus_tiles": False}
WAITS_5P = "123456789m46p99s"


def deal(hands: dict[int, str], dealer: int = 0, **settings: Any) -> Game:
    settings.setdefault("rules", PLAIN)
    return Game("hongkong", hands=[hands.get(seat, "") for seat in range(4)], dealer=dealer, **settings)


def flowery(hands: dict[int, str], **settings: Any) -> Game:
    """The default rules: eight bonus tiles and a minimum of three faan."""
    return deal(hands, rules=None, **settings)


def each(value: int, winner: int) -> list[int]:
    return [3 * value if seat == winner else -value for seat in range(4)]


def alone(value: int, winner: int, payer: int) -> list[int]:
    return [value if seat == winner else -value if seat == payer else 0 for seat in range(4)]


# --- The minimum ---


def test_hu_on_a_discard_is_offered_only_from_min_faan_up() -> None:
    # Common hand 1, concealed hand 1, no flowers 1.
    hands = {1: WAITS_5P, 2: "5p"}
    game = flowery(hands, draws="CN").throw_drawn().pass_all().throw_drawn().pass_all().do(2, "discard 5p")
    assert game.legal(1) == ["hu", "pass"]
    game.do(1, "hu")
    items = {"common_hand": 1, "concealed_hand": 1, "no_flowers": 1}
    game.assert_won(1, "discard", items, 3, alone(8, 1, 2), tile="5p", from_seat=2)
    # With a flower that is not its own the same hand has two faan.
    hands = {1: "f1" + WAITS_5P[1:], 2: "5p"}
    settings: dict[str, Any] = {"draws": "CN", "tail": "1m"}
    game = flowery(hands, **settings).throw_drawn().pass_all().throw_drawn().pass_all().do(2, "discard 5p")
    assert (game.to_act(), game.decision()) == (3, "discard")
    rules = {"min_faan": 2}
    game = deal(hands, rules=rules, **settings).throw_drawn().pass_all().throw_drawn().pass_all().do(2, "discard 5p")
    game.do(1, "hu")
    game.assert_won(1, "discard", {"common_hand": 1, "concealed_hand": 1}, 2, alone(4, 1, 2))


def test_an_own_win_is_offered_only_from_min_faan_up() -> None:
    # Chi makes it no concealed hand; self-drawn it is common hand 1, self_draw 1 and, without flowers, 1.
    for flowers, tail in (("", ""), ("f1", "S")):
        hands = {0: "4m1m", 1: flowers + "56m789m123m46p99s" + ("S" if not flowers else "")}
        game = flowery(hands, draws="C7sN5p", tail=tail).play("0 discard 4m", "1 chi low", "1 discard S").pass_all()
        game.idle(3)
        assert ("hu" in game.legal(1)) == (not flowers)
        if not flowers:
            game.do(1, "hu")
            items = {"common_hand": 1, "self_draw": 1, "no_flowers": 1}
            game.assert_won(1, "self_draw", items, 3, each(8, 1), melds=["chi 456m"], tile="5p")


@pytest.mark.parametrize(("flowers", "may_rob"), [("", True), ("f1f2", False)])
def test_robbing_a_gang_below_the_minimum_is_not_offered(flowers: str, may_rob: bool) -> None:
    # 111m 456m 789m 456p 99s: concealed hand 1, robbed gang 1, no flowers 1; seat 3 is North, its flower is f4.
    dealt, tail = (flowers + "1m", "11m") if flowers else ("111m", "")
    game = flowery({0: "5pF", 1: "55pE", 3: dealt + "456789m46p99s"}, draws="WSC5p", tail=tail + "P")
    game.do(0, "discard 5p").pass_to(1).do(1, "peng").pass_all().do(1, "discard E").pass_all().idle(3)
    game.do(1, "own gang 5p")
    assert game.decision() == ("rob" if may_rob else "discard")
    if may_rob:
        game.do(3, "hu")
        items = {"concealed_hand": 1, "robbed_gang": 1, "no_flowers": 1}
        game.assert_won(3, "robbed_gang", items, 3, alone(8, 3, 1), from_seat=1)


def test_limit_hands_never_fail_the_minimum() -> None:
    game = flowery({1: "19m19p19sESWNCFP", 2: "9p"}, draws="CN")
    game.idle(2).do(2, "discard 9p").do(1, "hu")
    game.assert_won(1, "discard", {"thirteen_orphans": 10}, 10, alone(128, 1, 2))


# --- Bonus tiles ---


def test_bonus_tiles_of_the_deal_are_replaced_from_the_dealer_in_the_order_dealt() -> None:
    game = flowery({2: "f3" + "1m" + "g2", 3: "f1"}, dealer=2, tail="f4" + "5p" + "9m" + "g1" + "1s")
    got = [(line["type"], line["seat"], line["tile"]) for line in game.log[1:]]
    assert got == [
        ("bonus", 2, "f3"),
        ("draw", 2, "f4"),
        ("bonus", 2, "f4"),
        ("draw", 2, "5p"),
        ("bonus", 2, "g2"),
        ("draw", 2, "9m"),
        ("bonus", 3, "f1"),
        ("draw", 3, "g1"),
        ("bonus", 3, "g1"),
        ("draw", 3, "1s"),
    ]
    # The last dealt tile was a bonus tile: its final replacement is the tile drawn.
    assert game.drawn() == "9m"


def test_a_drawn_bonus_tile_is_replaced_at_once_and_the_draw_stays_an_ordinary_one() -> None:
    game = flowery({1: WAITS_5P}, draws="f2", tail="g3" + "5p").throw_drawn().pass_all()
    assert [line["type"] for line in game.log[-5:]] == ["draw", "bonus", "draw", "bonus", "draw"]
    game.do(1, "hu")
    # Seat 1's first draw: a hand of man.
    game.assert_won(1, "self_draw", {"hand_of_man": 10}, 10, each(128, 1), tile="5p")


def test_a_gang_replacement_through_a_flower_is_still_a_gang_replacement() -> None:
    game = flowery({1: "8888s123456m46p9s"}, draws="9s", tail="f2" + "5p").throw_drawn().pass_all()
    game.play("1 own gang 8s", "1 hu")
    items = {"self_draw": 1, "gang_replacement": 1, "seat_flower": 1}
    game.assert_won(1, "replacement", items, 3, each(8, 1), tile="5p", melds=["concealed_gang 8888s"])


def test_own_flower_and_season_count_by_seat_wind() -> None:
    game = flowery({1: "f2" + WAITS_5P[1:], 2: "5p"}, draws="CN", tail="1m").idle(2).play("2 discard 5p", "1 hu")
    items = {"common_hand": 1, "concealed_hand": 1, "seat_flower": 1}
    game.assert_won(1, "discard", items, 3, alone(8, 1, 2))


# --- The end of the wall ---


def end_of_wall(hands: dict[int, str], last: str, left: int = 0, **settings: Any) -> Game:
    """Idle until so many tiles are left; the last of the 83 draws is seat 3's."""
    return deal(hands, last=last, **settings).idle_until_left(left)


def test_the_last_tile_of_the_wall_may_win_as_a_last_draw() -> None:
    game = end_of_wall({3: WAITS_5P}, "5p").do(3, "hu")
    game.assert_won(3, "self_draw", {"common_hand": 1, "self_draw": 1, "last_draw": 1}, 3, each(8, 3), tile="5p")


def test_a_gang_replacement_may_be_the_last_draw() -> None:
    game = end_of_wall({2: "8888s123456m46p9s"}, "9s", left=1, tail="5p")
    assert game.to_act() == 2
    game.play("2 own gang 8s")
    assert game.left() == 0
    game.do(2, "hu")
    items = {"self_draw": 1, "gang_replacement": 1, "last_draw": 1}
    game.assert_won(2, "replacement", items, 3, each(8, 2), tile="5p")


def test_the_last_discard_may_be_won_on() -> None:
    game = end_of_wall({1: WAITS_5P}, "5p").do(3, "discard 5p").pass_to(1).do(1, "hu")
    items = {"common_hand": 1, "concealed_hand": 1, "last_discard": 1}
    game.assert_won(1, "discard", items, 3, alone(8, 1, 3), tile="5p", from_seat=3)


def test_the_discard_after_a_chi_on_the_empty_wall_is_a_last_discard_too() -> None:
    game = end_of_wall({0: "23p5p1m", 2: WAITS_5P}, "4p").do(3, "discard 4p")
    assert "chi high" in game.legal(0)
    game.play("0 chi high", "0 discard 5p").pass_to(2).do(2, "hu")
    items = {"common_hand": 1, "concealed_hand": 1, "last_discard": 1}
    game.assert_won(2, "discard", items, 3, alone(8, 2, 0), tile="5p", from_seat=0)


def test_with_no_tile_left_no_gang_of_any_sort_may_be_declared() -> None:
    game = end_of_wall({3: "8888s", 1: "555p"}, "5p")
    assert "own gang 8s" not in game.legal(3)
    game.do(3, "discard 5p").pass_to(1)
    assert game.legal(1) == ["peng", "pass"]


def test_with_one_tile_left_a_gang_is_legal() -> None:
    game = end_of_wall({1: "555p", 2: "8888s"}, "5p1s", left=1)
    assert game.to_act() == 2
    assert "own gang 8s" in game.legal(2)
    game.do(2, "discard 5p").pass_to(1)
    assert "gang" in game.legal(1)


def test_the_hand_is_drawn_when_a_seat_would_have_to_draw_and_nothing_is_left() -> None:
    game = end_of_wall({1: "55p1s"}, "5p").do(3, "discard 5p").pass_to(1).play("1 peng", "1 discard 1s").pass_all()
    game.assert_drawn()
    assert (game.ends()["next_dealer"], game.ends()["next_streak"]) == (0, 1)
    assert game.ends()["scores"] == [400] * 4


SIX_FLOWERS = "f2f3f4g2g3g4"


def test_a_bonus_tile_with_no_replacement_left_ends_the_hand() -> None:
    # Six flowers are dealt to seat 0 and replaced, g1 is drawn and replaced on the way, f1 is the last tile.
    hands = {0: "f2f3f4g1g2g3g4147m9p"}
    game = flowery(hands, tail="258s369pE", last="f1").idle_until_left(1)
    game.throw_drawn().pass_all().assert_drawn()
    assert [line["type"] for line in game.log[-3:]] == ["draw", "bonus", "end_hand"]
    assert game.log[-2]["tile"] == "f1"


def test_a_flower_replaced_by_a_flower_on_the_last_tile_ends_the_hand() -> None:
    hands = {0: SIX_FLOWERS + "147m9p"}
    game = flowery(hands, tail="258s36p9m", last="f1g1").idle_until_left(2)
    game.throw_drawn().pass_all().assert_drawn()
    got = [(line["type"], line.get("tile"), line.get("from")) for line in game.log[-5:]]
    assert got == [
        ("draw", "f1", "wall"),
        ("bonus", "f1", None),
        ("draw", "g1", "tail"),
        ("bonus", "g1", None),
        ("end_hand", None, None),
    ]


def test_a_gang_whose_replacement_is_a_bonus_tile_with_nothing_behind_it_ends_the_hand() -> None:
    hands = {0: "f2f3f4g1g2g3g4147m9p", 2: "8888s", 3: "1111s"}
    game = flowery(hands, tail="258p36p9mE", last="f1").idle_until_left(1)
    seat = int(game.to_act() or 0)
    quad = {2: "8s", 3: "1s"}[seat]
    game.do(seat, f"own gang {quad}").assert_drawn()
    assert [line["type"] for line in game.log[-4:]] == ["gang", "draw", "bonus", "end_hand"]


# --- Opening wins ---


def test_a_heavenly_hand() -> None:
    game = flowery({0: "123456789m456p99s"}).do(0, "hu")
    game.assert_won(0, "self_draw", {"heavenly_hand": 10}, 10, each(128, 0), tile="9s")


def test_a_heavenly_hand_after_bonus_replacement() -> None:
    game = flowery({0: "123456789m456p9sg1"}, tail="f4" + "9s").do(0, "hu")
    game.assert_won(0, "self_draw", {"heavenly_hand": 10}, 10, each(128, 0), tile="9s")


def test_a_gang_ends_the_chance_of_a_heavenly_hand() -> None:
    game = deal({0: "8888s123456m46p99s"}, tail="5p").play("0 own gang 8s", "0 hu")
    items = {"self_draw": 1, "gang_replacement": 1}
    game.assert_won(0, "replacement", items, 2, each(4, 0), tile="5p")


def test_an_earthly_hand() -> None:
    game = flowery({0: "5p1m", 2: WAITS_5P}).do(0, "discard 5p").pass_to(2).do(2, "hu")
    game.assert_won(2, "discard", {"earthly_hand": 10}, 10, alone(128, 2, 0), tile="5p", from_seat=0)


def test_a_gang_of_the_dealer_before_its_first_discard_does_not_matter_for_an_earthly_hand() -> None:
    game = flowery({0: "8888s5p1m", 2: WAITS_5P}, tail="E").play("0 own gang 8s", "0 discard 5p").pass_to(2).do(2, "hu")
    game.assert_won(2, "discard", {"earthly_hand": 10}, 10, alone(128, 2, 0))


def test_only_the_dealers_own_first_discard_makes_an_earthly_hand() -> None:
    game = deal({0: "E", 1: "EE5p", 3: WAITS_5P}).play("0 discard E", "1 peng", "1 discard 5p").pass_to(3).do(3, "hu")
    game.assert_won(3, "discard", {"common_hand": 1, "concealed_hand": 1}, 2, alone(4, 3, 1), from_seat=1)


def test_a_hand_of_man_with_the_first_tile_drawn_from_the_wall() -> None:
    game = flowery({2: WAITS_5P}, draws="C5p").throw_drawn().pass_all().throw_drawn().pass_all().do(2, "hu")
    game.assert_won(2, "self_draw", {"hand_of_man": 10}, 10, each(128, 2), tile="5p")


def test_claims_by_others_do_not_matter_for_a_hand_of_man() -> None:
    game = flowery({0: "E", 1: "EES", 2: WAITS_5P}, draws="5p").play("0 discard E", "1 peng", "1 discard S").do(2, "hu")
    game.assert_won(2, "self_draw", {"hand_of_man": 10}, 10, each(128, 2))


def test_a_meld_of_its_own_ends_a_seats_hand_of_man() -> None:
    hands = {0: "E", 2: "EE123456m46p99s9p"}
    game = deal(hands, draws="C7s1s5p").play("0 discard E", "2 peng", "2 discard 9p").pass_all().idle(3).do(2, "hu")
    game.assert_won(2, "self_draw", {"round_wind": 1, "self_draw": 1}, 2, each(4, 2), melds=["peng EEE"])


def test_a_second_draw_is_no_hand_of_man() -> None:
    game = deal({1: WAITS_5P}, draws="CNFE5p").idle(5).do(1, "hu")
    game.assert_won(1, "self_draw", {"common_hand": 1, "self_draw": 1}, 2, each(4, 1))


# --- Payment ---


@pytest.mark.parametrize(("pao", "value"), [(False, 128), (True, 384)])
def test_with_pao_a_limit_hand_won_from_another_is_paid_three_times_by_that_seat(pao: bool, value: int) -> None:
    game = deal({1: "19m19p19sESWNCFP", 2: "9p"}, rules={"pao": pao}, draws="CN").idle(2)
    game.play("2 discard 9p", "1 hu")
    game.assert_won(1, "discard", {"thirteen_orphans": 10}, 10, alone(value, 1, 2))


def test_pao_changes_nothing_below_the_limit_and_nothing_for_an_own_win() -> None:
    game = deal({0: "5p1m", 2: WAITS_5P}, rules={"pao": True, **PLAIN}, draws="CNF5p")
    game.throw_drawn().pass_all().idle(3)
    game.do(0, "discard 5p").pass_to(2).do(2, "hu")
    game.assert_won(2, "discard", {"common_hand": 1, "concealed_hand": 1}, 2, alone(4, 2, 0))
    game = deal({0: "123456789m456p99s"}, rules={"pao": True}).do(0, "hu")
    game.assert_won(0, "self_draw", {"heavenly_hand": 10}, 10, each(128, 0))


def test_twelve_faan_pay_as_ten() -> None:
    game = flowery({0: "1m", 1: "1122233344m55m9p"}, draws="C7s1s4m").play("0 discard 1m", "1 peng", "1 discard 9p")
    game.pass_all().idle(3).do(1, "hu")
    items = {"all_triplets": 3, "full_flush": 7, "self_draw": 1, "no_flowers": 1}
    game.assert_won(1, "self_draw", items, 10, each(128, 1), melds=["peng 111m"])


# --- Session ---


def test_the_round_wind_moves_on_when_the_deal_has_left_the_fourth_dealer() -> None:
    rules = {"dealer_keeps_on_draw": False, **PLAIN}
    game = deal({}, rules=rules, dealer=2, episode="game")
    run_out(game)
    starts = game.lines("start_hand")
    assert [line["round_wind"] for line in starts] == ["E"] * 4 + ["S"] * 4 + ["W"] * 4 + ["N"] * 4
    assert [line["dealer"] for line in starts] == [2, 3, 0, 1] * 4
    assert all(game.env.terminations.values())


def run_out(game: Game) -> None:
    """Nobody ever wants anything, until the episode ends."""
    while not game.over:
        if game.decision() == "claim":
            game.do(int(game.to_act() or 0), "pass")
        else:
            game.throw_drawn()


def test_an_east_game_is_one_round() -> None:
    game = deal({}, rules={"dealer_keeps_on_draw": False, "game_length": "east", **PLAIN}, episode="game")
    run_out(game)
    assert [line["round_wind"] for line in game.lines("start_hand")] == ["E"] * 4


def test_a_dealer_who_has_kept_the_deal_max_continuations_times_passes_it() -> None:
    game = deal({}, rules={"max_continuations": 3, **PLAIN}, episode="round", max_hands=5)
    run_out(game)
    starts = game.lines("start_hand")
    assert [(line["dealer"], line["streak"]) for line in starts] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
    assert all(game.env.truncations.values())


def test_max_continuations_pass_the_deal_even_if_the_dealer_wins() -> None:
    game = deal({0: "123456789m456p99s"}, rules={"max_continuations": 3}, options={"streak": 3}).do(0, "hu")
    assert (game.ends()["next_dealer"], game.ends()["next_streak"]) == (1, 0)


def test_the_round_wind_counts_its_triplet() -> None:
    hands = {2: "WWW456m789m23p99s"}
    for wind, names in (("E", ["seat_wind"]), ("W", ["seat_wind", "round_wind"])):
        game = deal(hands, options={"round_wind": wind}, draws="CNFE" + "C1p").idle(6).do(2, "hu")
        got = [name for name, _ in game.lines("hu")[0]["items"]]
        assert got == [*names, "self_draw"]


@pytest.mark.parametrize("flowers", [True, False])
def test_without_bonus_tiles_the_wall_has_136_tiles_and_no_bonus_item_exists(flowers: bool) -> None:
    game = deal({1: WAITS_5P, 2: "5p"}, rules={"bonus_tiles": flowers, "min_faan": 0}, draws="CN")
    assert len(game.log[0]["wall"]) == (144 if flowers else 136)
    game.idle(2).play("2 discard 5p", "1 hu")
    names = [name for name, _ in game.lines("hu")[0]["items"]]
    assert names == ["common_hand", "concealed_hand"] + ["no_flowers"] * flowers
