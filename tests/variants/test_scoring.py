"""Hand-worked wins, one test for each rule sentence that decides between readings."""

from __future__ import annotations

import dataclasses
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mjenv.core.table import MELD_ADDED
from mjenv.core.tiles import NAMES
from mjenv.scoring import BelowMinimum, NotAWin, Settlement, Win, describe, melds_text, score_win
from mjenv.variants import BY_NAME, rules
from mjenv.variants.hongkong import faan_value


def settle(variant: str, options: dict[str, Any] | None = None, **fields: Any) -> Settlement:
    return score_win(variant, Win(**fields), options)


def error(variant: str, options: dict[str, Any] | None = None, **fields: Any) -> str:
    """The message of the `ValueError` that this win raises."""
    with pytest.raises(ValueError) as caught:
        settle(variant, options, **fields)
    return str(caught.value)


# Hangzhou

HANGZHOU: dict[str, Any] = {"seat": 1, "concealed": "123456m22345p789s", "winning_tile": "5p", "indicator": "7p"}
BAO_TOU: dict[str, Any] = {"seat": 1, "concealed": "123456m3457p789sE", "winning_tile": "E", "indicator": "7p"}


def hangzhou(options: dict[str, Any] | None = None, **changes: Any) -> Settlement:
    return settle("hangzhou", options, **{**HANGZHOU, **changes})


def test_the_family_with_the_higher_product_counts() -> None:
    # 112233m 445566p 77s is also four runs and a pair; pairs are worth 2, sets 1.
    fields = {"concealed": "112233m445566p77s", "winning_tile": "7s", "indicator": "9s"}
    assert hangzhou(**fields).items == (("seven_pairs", 2),)
    assert hangzhou({"seven_pairs_factor": 4}, **fields).items == (("seven_pairs", 4),)


def test_sets_count_on_a_tie() -> None:
    fields = {"concealed": "112233m445566p77s", "winning_tile": "7s", "indicator": "9s"}
    assert hangzhou({"seven_pairs_factor": 1}, **fields).items == (("plain_win", 1),)


def test_seven_pairs_of_factor_one_are_listed_as_a_shape() -> None:
    fields = {"concealed": "1133m5577p2288sEE", "winning_tile": "E", "indicator": "9s"}
    assert hangzhou({"seven_pairs_factor": 1}, **fields).items == (("seven_pairs", 1),)


def test_shape_and_wild_row_come_from_the_same_family() -> None:
    # Less one wild and the drawn E: 112233m 445566p is four runs and six pairs, so both families are bao-tou.
    fields = {"concealed": "112233m445566p9sE", "winning_tile": "E", "indicator": "9s"}
    assert hangzhou(**fields).items == (("seven_pairs", 2), ("bao_tou", 2))
    assert hangzhou({"pairs_bao_tou": False}, **fields).items == (("plain_win", 1), ("bao_tou", 2))


def test_a_drawn_wild_is_not_the_one_taken_away() -> None:
    assert hangzhou(concealed="123456m22345p78s7p", winning_tile="7p").items == (("plain_win", 1),)
    two = hangzhou(concealed="123456m345p789s77p", winning_tile="7p")
    assert two.items == (("plain_win", 1), ("bao_tou", 2))


def test_other_wilds_may_fill_in_for_bao_tou() -> None:
    assert hangzhou(concealed="123456m3477p789sE", winning_tile="E").items == (("plain_win", 1), ("bao_tou", 2))


def test_the_dealt_hand_is_never_bao_tou() -> None:
    fields = {**BAO_TOU, "seat": 0}
    assert hangzhou(**fields).items == (("plain_win", 1), ("bao_tou", 2))
    assert hangzhou(**fields, opening="dealt").items == (("plain_win", 1),)


def test_deluxe_needs_four_real_copies() -> None:
    three_and_wild = {"concealed": "111m7p3355m2288sEE", "winning_tile": "E"}
    assert hangzhou(**three_and_wild).items == (("seven_pairs", 2),)
    doubled = {"concealed": "11115555m2288sEE", "winning_tile": "E"}
    assert hangzhou(**doubled).items == (("double_deluxe_seven_pairs", 8),)
    tripled = {"concealed": "11115555m2222sEE", "winning_tile": "E"}
    assert hangzhou(**tripled).items == (("triple_deluxe_seven_pairs", 16),)
    assert hangzhou({"seven_pairs_factor": 4}, **tripled).total == 32


def test_four_real_wilds_count_when_the_other_ten_tiles_are_five_pairs() -> None:
    fixed = {"wild_mode": "fixed", "pairs_bao_tou": False}
    pairs = {"indicator": None, "concealed": "1133m5577p22sPPPP", "winning_tile": "1m"}
    assert hangzhou(fixed, **pairs).items == (("deluxe_seven_pairs", 4),)
    single = {"indicator": None, "concealed": "1133m557p2sEEPPPP", "winning_tile": "1m"}
    assert hangzhou(fixed, **single).items == (("seven_pairs", 2),)


def test_rows_multiply_and_the_streak_multiplies_last() -> None:
    fields = {
        "concealed": "123456m3457pE",
        "melds": ("concealed_gang 1111s",),
        "winning_tile": "E",
        "source": "replacement",
        "gang_run": 1,
        "floats": 1,
        "streak": 5,
    }
    settlement = hangzhou(**fields)
    assert settlement.items == (("plain_win", 1), ("float", 4), ("gang_flower", 2), ("streak", 8))
    assert (settlement.total, settlement.payments) == (64, (-128, 256, -64, -64))
    assert hangzhou({"streak_for_non_dealer": False}, **fields).total == 8
    assert hangzhou({"streak_factors": (1, 2, 4)}, **fields).total == 32
    assert hangzhou({"streak_factors": (1, 1, 1)}, **fields).total == 8


def test_a_gang_run_of_four() -> None:
    melds = ("gang 1111s", "gang 2222s", "concealed_gang 3333s", "concealed_gang EEEE")
    fields = {"concealed": "55m", "winning_tile": "5m", "melds": melds, "source": "replacement"}
    for run, name in enumerate(("gang_flower", "double_gang", "triple_gang", "quadruple_gang"), 1):
        assert hangzhou(**fields, gang_run=run).items == (("plain_win", 1), (name, 2**run))


def test_hangzhou_refuses_what_cannot_be() -> None:
    def fails(**changes: Any) -> str:
        return error("hangzhou", **{**HANGZHOU, **changes})

    assert "indicator" in fails(indicator=None)
    assert "source" in fails(source="robbed_gang", from_seat=0)
    gang = {"concealed": "123456m22345p", "melds": ("gang 1111s",), "source": "replacement"}
    assert "gang_run" in fails(**gang)
    assert "gang_run" in fails(**gang, gang_run=2)
    assert "gang_run" in fails(gang_run=1)
    assert "floats" in fails(floats=4)
    assert "bao-tou" in fails(floats=1)
    assert "wilds" in fails(**{**BAO_TOU, "floats": 3})
    assert "wilds" in fails(concealed="123m3477p789sE", melds=("chi 678p",), winning_tile="E", floats=1)
    assert "opening" in fails(**{**BAO_TOU, "floats": 1, "opening": "first_draw"})


def test_a_hand_that_only_floats_in_the_pairs_family_needs_the_option() -> None:
    fields = {"concealed": "1133m557p2288sEEC", "winning_tile": "C", "floats": 1}
    assert hangzhou(**fields).items == (("seven_pairs", 2), ("float", 4))
    assert "bao-tou" in error("hangzhou", {"pairs_bao_tou": False}, **{**HANGZHOU, **fields})


# Yugan: the flipped 5p makes 5p the Major and 6p the Minor.

YUGAN: dict[str, Any] = {"seat": 1, "winning_tile": "N", "indicator": "5p", "others_hold_wild": True}
SPIRIT_DISCARD: dict[str, Any] = {"source": "discard", "from_seat": 0, "thrown_wilds": (1, 0, 0, 0)}


def yugan(options: dict[str, Any] | None = None, **changes: Any) -> Settlement:
    return settle("yugan", options, **{**YUGAN, **changes})


def base(**changes: Any) -> str:
    return yugan(**changes).items[0][0]


def test_a_major_beside_the_winning_tile_in_the_head_is_bound() -> None:
    assert base(concealed="123456789m234s5pN") == "bound_basic_win"
    assert base(concealed="123456789m234s6pN") == "spirit_basic_win"


def test_a_bound_head_must_leave_four_sets() -> None:
    assert base(concealed="123456789m5p23sNN") == "spirit_basic_win"


def test_any_copy_of_the_winning_kind_may_be_the_winning_tile() -> None:
    assert base(concealed="123456789mNNNN5p") == "bound_basic_win"


def test_a_major_drawn_by_the_winner_may_take_any_partner() -> None:
    assert base(concealed="123456789m234s5pN", winning_tile="5p") == "bound_basic_win"
    assert base(concealed="123456789m5p23sNN", winning_tile="5p") == "spirit_basic_win"


def test_a_minor_drawn_by_the_winner_is_bound_only_with_a_major() -> None:
    assert base(concealed="123456789m234s56p", winning_tile="6p") == "bound_basic_win"
    assert base(concealed="123456789m234s66p", winning_tile="6p") == "spirit_basic_win"


def test_a_major_from_another_seat_is_itself_and_binds_with_any_wild_partner() -> None:
    settlement = yugan(concealed="123456789m234s56p", winning_tile="5p", **SPIRIT_DISCARD)
    assert settlement.items == (("bound_basic_win", 6), ("major_spirits", 2), ("minor_spirits", 1))
    assert settlement.payments == (-18, 36, -9, -9)


def test_a_spirit_from_another_seat_may_stand_in_a_run_as_itself() -> None:
    assert base(concealed="123456789m567pNN", winning_tile="5p", **SPIRIT_DISCARD) == "spirit_basic_win"


def test_bound_seven_pairs() -> None:
    assert base(concealed="113377m5p2299sEEN") == "bound_seven_pairs"
    assert base(concealed="113377m5p2299sENN") == "spirit_seven_pairs"
    assert base(concealed="113377m5p2299sENN", winning_tile="5p") == "bound_seven_pairs"
    assert base(concealed="113377m56p2299sEE", winning_tile="6p") == "bound_seven_pairs"
    assert base(concealed="113377m56p2299sEN", winning_tile="6p") == "spirit_seven_pairs"


def test_four_alike_are_never_two_pairs() -> None:
    with pytest.raises(NotAWin):
        yugan(concealed="1111m77p2299sEENN")


def test_two_spare_spirits_may_be_a_pair_of_any_unused_kind() -> None:
    assert base(concealed="113377m66p2299sNN") == "spirit_seven_pairs"


def test_the_best_shape_counts() -> None:
    assert base(concealed="1122334455667m5p", winning_tile="7m") == "bound_seven_pairs"


def test_on_equal_totals_the_upper_shape_then_bound_stands() -> None:
    assert yugan({"basic_fan": (3, 3, 3)}, concealed="123456789m234s5pN").items[0] == ("bound_basic_win", 3)
    both = yugan(concealed="19m19p19sESWNCFP6p")
    assert both.items == (("spirit_nine_one", 4), ("minor_spirits", 1), ("all_honors", 2))


def test_thirteen_orphans_have_ranks_at_least_three_apart() -> None:
    assert base(concealed="147m258p369sESWNC", indicator="2m") == "thirteen_orphans"
    with pytest.raises(NotAWin):
        yugan(concealed="146m258p369sESWNC", indicator="2m")


def test_oversoul_takes_five_to_ten_and_ten_to_seventy() -> None:
    five = yugan(concealed="123456789m556pNN")
    assert five.items[1:] == (("major_spirits", 4), ("minor_spirits", 1), ("oversoul", 5))
    ten = yugan(concealed="123456789m556pNN", others_hold_wild=False)
    assert ten.items[1:] == (("major_spirits", 4), ("minor_spirits", 1), ("indomitable", 5), ("oversoul", 60))


def test_a_hand_without_spirits_is_not_indomitable() -> None:
    assert yugan(concealed="123456789m234sNN", others_hold_wild=False).items == (("basic_win", 6),)


def test_full_flush_looks_at_a_tile_from_another_seat_by_its_own_face() -> None:
    fields = {"concealed": "111234567999m56p", "winning_tile": "6p"}
    assert yugan(**fields).items[-1] == ("full_flush", 2)
    assert yugan({"full_flush_factor": 4}, **fields).items[-1] == ("full_flush", 4)
    assert "full_flush" not in dict(yugan(**fields, **SPIRIT_DISCARD).items)


def test_full_flush_looks_at_melds_by_their_own_face() -> None:
    fields = {"concealed": "12345678999m", "winning_tile": "9m"}
    assert "full_flush" not in dict(yugan(**fields, melds=("peng 666p",)).items)
    assert yugan(**fields, melds=("peng 666m",)).items == (("basic_win", 6), ("full_flush", 2))


def test_all_honors_counts_a_spirit_only_by_its_own_face() -> None:
    own_faces = {"concealed": "19m19p199sESWNCFP", "indicator": "E", "winning_tile": "P"}
    assert yugan(**own_faces).items[-1] == ("all_honors", 2)
    assert yugan({"all_honors_factor": 3}, **own_faces).items[-1] == ("all_honors", 3)
    wild_for_white = yugan(concealed="119m19p199sESWNCF", indicator="E", winning_tile="F")
    assert "all_honors" not in dict(wild_for_white.items)


def test_nine_one_needs_melds_of_terminals_and_honors() -> None:
    assert base(concealed="19m19pESWNCFP", melds=("peng 999s",)) == "nine_one"
    for meld in ("peng 222s", "chi 789s"):
        with pytest.raises(NotAWin):
            yugan(concealed="19m19pESWNCFP", melds=(meld,))


def test_gang_fans_follow_the_options() -> None:
    fields = {"concealed": "123m5p23sNN", "melds": ("concealed_gang 8888p", "gang 1111s")}
    options = {"exposed_gang_fan": 2, "concealed_gang_fan": 4}
    assert yugan(options, **fields).items[-2:] == (("exposed_gangs", 2), ("concealed_gangs", 4))


@pytest.mark.parametrize(
    ("flipped", "minor"), [("9m", "1m"), ("9s", "1s"), ("3s", "4s"), ("E", "S"), ("N", "E"), ("C", "F"), ("P", "C")]
)
def test_the_minor_is_the_next_kind_round_the_ring(flipped: str, minor: str) -> None:
    win = Win(concealed="123m456p789s22567p", winning_tile="2p", indicator=flipped)
    described = describe(BY_NAME["yugan"], rules("yugan").record, win)
    assert NAMES[int(described["minor"][0])] == minor


def test_yugan_refuses_what_cannot_be() -> None:
    def fails(**changes: Any) -> str:
        return error("yugan", **{**YUGAN, "concealed": "123456789m5p23sNN", **changes})

    assert "indicator" in fails(indicator=None)
    assert "thrown_wilds" in fails(thrown_wilds=(0, 0, 0))
    assert "thrown_wilds" in fails(thrown_wilds=(0, 0, 0, -1))
    assert "thrown_wilds" in fails(winning_tile="5p", source="discard", from_seat=0)
    assert "robbed" in fails(winning_tile="5p", source="robbed_gang", from_seat=0)
    assert "in play" in fails(thrown_wilds=(7, 0, 0, 0))
    assert "copies" in fails(concealed="12345678m5555pNN")
    assert "bonus" in fails(bonus="f1")


def test_a_spirit_from_another_seat_is_counted_among_the_throws_only() -> None:
    fields = {**YUGAN, **SPIRIT_DISCARD, "concealed": "123456789m234s56p", "winning_tile": "5p"}
    assert settle("yugan", **{**fields, "thrown_wilds": (6, 0, 0, 0)}).total == 9
    assert "in play" in error("yugan", **{**fields, "thrown_wilds": (6, 1, 0, 0)})


# Fuzhou: the flipped 1s is the gold.

FUZHOU: dict[str, Any] = {"seat": 1, "concealed": "123456789m23499p567s", "winning_tile": "9p", "indicator": "1s"}


def fuzhou(options: dict[str, Any] | None = None, **changes: Any) -> Settlement:
    return settle("fuzhou", options, **{**FUZHOU, **changes})


def special(options: dict[str, Any] | None = None, **changes: Any) -> tuple[str, int]:
    return fuzhou(options, **changes).items[-1]


def test_three_golds_exclude_every_other_special() -> None:
    fields = {"concealed": "11223344556789m111s", "winning_tile": "9m"}
    settlement = fuzhou(**fields)
    assert settlement.items == (("base", 1), ("golds", 3), ("doubled", 2), ("three_golds", 30))
    assert settlement.total == 38
    flat = fuzhou({"three_golds_flat": True}, **fields)
    assert (flat.items, flat.payments) == ((("three_golds", 30),), (-30, 90, -30, -30))


def test_three_golds_need_no_shape_but_three_golds() -> None:
    fields: dict[str, Any] = {"source": "three_golds", "winning_tile": None}
    assert fuzhou(**fields, concealed="134799m12589p111468s").total == 38
    assert fuzhou(**{**fields, "winning_tile": "no tile"}, concealed="134799m12589p111468s").total == 38
    with pytest.raises(NotAWin):
        fuzhou(**fields, concealed="134799m125899p11468s")


def test_a_non_dealer_holds_sixteen_tiles_at_the_deal() -> None:
    fields: dict[str, Any] = {"source": "three_golds", "winning_tile": None, "opening": "dealt"}
    assert fuzhou(**fields, concealed="134799m12589p11146s").total == 38
    assert fuzhou(**fields, concealed="134799m12589p111468s", seat=0).total == 38
    assert "use 16" in error("fuzhou", **{**FUZHOU, **fields, "concealed": "134799m12589p111468s"})
    assert "use 17" in error("fuzhou", **{**FUZHOU, **fields, "opening": None, "concealed": "134799m12589p11146s"})


def test_the_highest_special_counts_and_on_equal_points_the_upper_one() -> None:
    flush = {"concealed": "112233445566789m11s", "winning_tile": "9m"}
    assert special(**flush) == ("full_flush", 100)
    assert special({"full_flush_points": 60, "gold_pair_points": 60}, **flush) == ("full_flush", 60)
    robbed = {"concealed": "123456789m234p11567s", "winning_tile": "1s", "source": "rob_gold"}
    assert special(**robbed) == ("gold_pair", 50)
    assert special({"gold_pair_points": 30}, **robbed) == ("gold_pair", 30)


def test_gold_pair_needs_both_golds_as_the_pair() -> None:
    assert special(concealed="123456789m234p11567s", winning_tile="4p") == ("gold_pair", 50)
    assert special(concealed="1245789m23499p11567s") == ("ping_hu", 15)


def test_four_golds_are_three_golds() -> None:
    settlement = fuzhou(concealed="123456789m2399p1111s", winning_tile="1s", source="rob_gold")
    assert settlement.items == (("base", 1), ("golds", 4), ("doubled", 2), ("three_golds", 30))


def test_the_robbed_gold_is_not_one_of_the_three_live_ones() -> None:
    fields = {"concealed": "123456789m23999p111s", "winning_tile": "1s", "source": "rob_gold"}
    assert fuzhou(**fields).items == (("base", 1), ("golds", 3), ("doubled", 2), ("rob_gold", 30))
    assert fuzhou({"robbed_gold_counts": False}, **fields).items[1] == ("golds", 2)


def test_a_robbed_gold_that_does_not_count_leaves_no_empty_item() -> None:
    fields = {"concealed": "123456789m23499p156s", "winning_tile": "1s", "source": "rob_gold"}
    assert fuzhou({"robbed_gold_counts": False}, **fields).items == (("base", 1), ("doubled", 2), ("rob_gold", 30))


def test_any_gang_breaks_ping_hu() -> None:
    fields = {"concealed": "123456789m23499p", "melds": ("concealed_gang 2222s",)}
    assert fuzhou(**fields).items == (("base", 1), ("concealed_gangs", 2), ("doubled", 2))
    assert fuzhou({"concealed_gang_points": 4}, **fields).total == 10
    exposed = {**fields, "melds": ("gang 2222s",), "source": "discard", "from_seat": 2}
    assert fuzhou({"exposed_gang_points": 2}, **exposed).total == 3


def test_the_streak_is_a_line_of_the_dealer_only() -> None:
    fields = {"streak": 3, "bonus": "E"}
    assert ("dealer_streak", 3) in fuzhou(**fields, seat=0).items
    assert "dealer_streak" not in dict(fuzhou(**fields).items)
    assert "dealer_streak" not in dict(fuzhou({"streak_points": 0}, **fields, seat=0).items)


def test_a_hand_of_nothing_but_golds_is_complete() -> None:
    melds = ("chi 123m", "chi 456m", "peng 999p", "chi 234s", "chi 567s")
    assert special(concealed="11s", winning_tile="1s", melds=melds) == ("gold_pair", 50)


def test_fuzhou_refuses_what_cannot_be() -> None:
    def fails(**changes: Any) -> str:
        return error("fuzhou", **{**FUZHOU, **changes})

    assert "indicator" in fails(indicator=None)
    assert "indicator" in fails(indicator="E")
    assert "no F" in fails(concealed="123456789m23499p56sF")
    assert "no C" in fails(concealed="123456789m23499p", melds=("peng CCC",))
    assert "bonus" in fails(bonus="F")
    assert "bonus" in fails(bonus="EEEEE")
    assert "meld" in fails(concealed="123456789m23499p", melds=("peng 111s",))
    gold = {"concealed": "123456789m23499p156s", "winning_tile": "1s"}
    assert "discard" in fails(**gold, source="discard", from_seat=0)
    assert "1s" in fails(**{**gold, "winning_tile": "9p"}, source="rob_gold")
    assert "melds" in fails(concealed="123456789m99p156s", winning_tile="1s", melds=("peng 222p",), source="rob_gold")
    assert "copies" in fails(concealed="123456789m2399p1111s")
    assert "winning_tile" in fails(winning_tile=None)


# Hong Kong: seat 1 is South; f1 is not its own flower.

HONGKONG: dict[str, Any] = {"seat": 1, "bonus": "f1"}
FROM_DEALER: dict[str, Any] = {"source": "discard", "from_seat": 0}


def hongkong(options: dict[str, Any] | None = None, **changes: Any) -> Settlement:
    return settle("hongkong", options, **{**HONGKONG, **changes})


def test_all_concealed_triplets_may_have_the_eye_from_another() -> None:
    fields = {**FROM_DEALER, "concealed": "888m33555p222sNNN"}
    assert hongkong(**fields, winning_tile="3p").items == (("all_concealed_triplets", 8),)
    assert hongkong(**fields, winning_tile="8m").items == (("all_triplets", 3), ("concealed_hand", 1))


def test_mixed_terminals_are_worth_one_beside_all_concealed_triplets() -> None:
    settlement = hongkong(concealed="111m999p99sNNNWWW", winning_tile="9s")
    assert settlement.items == (("all_concealed_triplets", 8), ("mixed_terminals", 1), ("self_draw", 1))


def test_seven_pairs_stand_above_four_runs() -> None:
    fields = {**FROM_DEALER, "concealed": "112233m445566p77s", "winning_tile": "7s"}
    assert hongkong(**fields).items == (("seven_pairs", 4),)
    both = (("seven_pairs", 4), ("concealed_hand", 1))
    assert hongkong({"seven_pairs_concealed": True}, **fields).items == both


@pytest.mark.parametrize(("eye", "counts"), [("E", True), ("W", True), ("5m", True), ("S", False), ("C", False)])
def test_the_eye_of_a_common_hand_is_neither_a_dragon_nor_the_own_wind(eye: str, counts: bool) -> None:
    fields = {**FROM_DEALER, "concealed": f"123m456p234789s{eye}{eye}", "winning_tile": eye, "bonus": ""}
    if counts:
        assert hongkong(**fields).items == (("common_hand", 1), ("concealed_hand", 1), ("no_flowers", 1))
        return
    with pytest.raises(BelowMinimum) as caught:
        hongkong(**fields)
    assert caught.value.items == caught.value.settlement.items == (("concealed_hand", 1), ("no_flowers", 1))
    assert caught.value.total == 2


def test_the_dealers_east_triplet_counts_twice_in_the_east_round() -> None:
    fields = {"seat": 0, "bonus": "f2", "concealed": "123m456p88sEEE", "melds": ("chi 789s",), "winning_tile": "8s"}
    assert hongkong(**fields).items == (("seat_wind", 1), ("round_wind", 1), ("self_draw", 1))
    south = hongkong({"min_faan": 0}, **fields, round_wind="S")
    assert south.items == (("seat_wind", 1), ("self_draw", 1))


def test_limit_hands_come_first_in_their_order() -> None:
    def limit(**fields: Any) -> str:
        settlement = hongkong(**fields)
        assert (len(settlement.items), settlement.total) == (1, 10)
        return settlement.items[0][0]

    assert limit(concealed="EEESSSWWWNNNCC", winning_tile="C") == "great_four_winds"
    assert limit(concealed="EESSWWNNCCFFPP", winning_tile="C") == "all_honors"
    assert limit(concealed="111999m111999p11s", winning_tile="1s") == "all_terminals"
    assert limit(concealed="19m19p199sESWNCFP", winning_tile="C") == "thirteen_orphans"
    assert limit(concealed="11123455678999m", winning_tile="5m") == "nine_gates"
    gangs = ("gang 1111m", "gang 2222p", "concealed_gang 3333s", "concealed_gang EEEE")
    assert limit(concealed="55m", winning_tile="5m", melds=gangs) == "eighteen_arhats"
    plain = {"concealed": "22345m678p888sNNN", "winning_tile": "8p"}
    assert limit(**plain, seat=0, opening="dealt") == "heavenly_hand"
    assert limit(**plain, **FROM_DEALER, opening="first_discard") == "earthly_hand"
    assert limit(**plain, opening="first_draw") == "hand_of_man"


def test_pure_nine_gates_wait_on_all_nine_kinds() -> None:
    fields = {"concealed": "11123455678999m", "winning_tile": "1m"}
    assert hongkong(**fields).items == (("full_flush", 7), ("self_draw", 1))
    assert hongkong({"nine_gates_pure": False}, **fields).items == (("nine_gates", 10),)


def test_pao_makes_one_seat_pay_a_limit_hand_for_all_three() -> None:
    limit = {**FROM_DEALER, "concealed": "EEESSSWWWNNNCC", "winning_tile": "C"}
    assert hongkong(**limit).payments == (-128, 128, 0, 0)
    assert hongkong({"pao": True}, **limit).payments == (-384, 384, 0, 0)
    capped = {**FROM_DEALER, "concealed": "55m222sFFFPPP", "melds": ("peng CCC",), "winning_tile": "5m"}
    settlement = hongkong({"pao": True}, **capped)
    assert (settlement.total, settlement.payments) == (10, (-128, 128, 0, 0))


def test_the_payment_table() -> None:
    assert [faan_value(faan) for faan in range(11)] == [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128]
    assert [faan_value(faan) for faan in (11, 12, 13)] == [192, 256, 384]


def test_without_bonus_tiles_no_bonus_item_exists() -> None:
    fields = {"concealed": "345678s99sNNN", "melds": ("peng 222s",), "winning_tile": "9s", "bonus": ""}
    assert hongkong({"bonus_tiles": False}, **fields).items == (("half_flush", 3), ("self_draw", 1))
    assert ("no_flowers", 1) in hongkong(**fields).items
    assert "bonus" in error("hongkong", {"bonus_tiles": False}, **{**fields, "bonus": "f1"})


def test_a_chicken_hand_is_listed_alone() -> None:
    fields = {**FROM_DEALER, "concealed": "123m45688p", "melds": ("chi 789s", "peng 222m"), "winning_tile": "8p"}
    settlement = hongkong({"min_faan": 0}, **fields)
    assert (settlement.items, settlement.total, settlement.payments) == ((("chicken_hand", 0),), 0, (-1, 1, 0, 0))


def test_the_last_tile() -> None:
    fields = {"concealed": "345678s99sNNN", "melds": ("peng 222s",), "winning_tile": "9s", "last_tile": True}
    assert hongkong(**fields, **FROM_DEALER).items == (("half_flush", 3), ("last_discard", 1))
    assert "last_tile" in error(
        "hongkong", **{**HONGKONG, **fields, "source": "robbed_gang", "from_seat": 0, "winning_tile": "5s"}
    )


# Three-faan table


def threefaan(options: dict[str, Any] | None = None, **changes: Any) -> Settlement:
    return settle("threefaan", options, **{**HONGKONG, **changes})


def test_all_chows_have_a_suited_pair() -> None:
    fields = {"winning_tile": "1m", "bonus": ""}
    assert threefaan(**fields, concealed="123m456p234789s55s").items[0] == ("all_chows", 1)
    assert threefaan(**fields, concealed="123m456p234789sWW").items[0] == ("self_draw", 1)


def test_concealed_hand_counts_on_any_source_unless_the_option_says_otherwise() -> None:
    fields = {"concealed": "123m456p23478955s", "winning_tile": "1m", "bonus": ""}
    assert ("concealed_hand", 1) in threefaan(**fields).items
    assert ("concealed_hand", 1) in threefaan(**fields, **FROM_DEALER).items
    only = {"concealed_on_discard_only": True}
    assert ("concealed_hand", 1) not in threefaan(only, **fields).items
    assert ("concealed_hand", 1) in threefaan(only, **fields, **FROM_DEALER).items


def test_seven_pairs_may_be_kept_from_the_concealed_hand() -> None:
    fields = {**FROM_DEALER, "concealed": "1144m77p2299sEECC", "winning_tile": "C"}
    assert threefaan({"seven_pairs_concealed": False}, **fields).items == (("seven_pairs", 4),)


def test_little_four_winds_score_their_parts() -> None:
    fields = {"seat": 0, "bonus": "f2", "concealed": "123mSSSWWWNN", "melds": ("peng EEE",), "winning_tile": "N"}
    assert threefaan(**fields).items == (("half_flush", 3), ("seat_wind", 1), ("round_wind", 1), ("self_draw", 1))


def test_threefaan_limit_hands_in_their_order() -> None:
    def limit(options: dict[str, Any] | None = None, **fields: Any) -> str:
        settlement = threefaan(options, **fields)
        assert (len(settlement.items), settlement.total) == (1, 13)
        return settlement.items[0][0]

    assert limit(concealed="19m19p199sESWNCFP", winning_tile="C") == "thirteen_orphans"
    assert limit(concealed="CCCFFFPPPEEESS", winning_tile="C") == "all_honors"
    assert limit(concealed="111999m111999p11s", winning_tile="1s") == "all_terminals"
    assert limit(concealed="55mCCCFFFPPPEEE", winning_tile="C") == "big_three_dragons"
    assert limit(concealed="55mEEESSSWWWNNN", winning_tile="5m") == "big_four_winds"
    gangs = ("gang 1111m", "gang 2222p", "concealed_gang 3333s", "concealed_gang EEEE")
    assert limit(concealed="55m", winning_tile="5m", melds=gangs) == "four_gangs"
    assert limit(concealed="11123455678999m", winning_tile="1m") == "nine_gates"
    assert limit(concealed="888m33555p222sNNN", winning_tile="8m") == "four_concealed_pungs"
    assert threefaan({"cap_faan": 8}, concealed="55mCCCFFFPPPEEE", winning_tile="C").total == 8
    pure = threefaan({"nine_gates_pure": True}, concealed="11123455678999m", winning_tile="1m")
    assert pure.items == (("full_flush", 7), ("self_draw", 1), ("concealed_hand", 1))


def test_there_is_no_award_for_opening_wins() -> None:
    settlement = threefaan(concealed="22345m678p888sNNN", winning_tile="8p", seat=0, opening="dealt", bonus="")
    assert settlement.items == (("self_draw", 1), ("concealed_hand", 1), ("no_flowers", 1))


def test_threefaan_refuses_another_round_wind() -> None:
    assert "round wind" in error("threefaan", concealed="22345m678p888sNNN", winning_tile="8p", round_wind="S")


# Every variant

GOOD: dict[str, Any] = {"seat": 1, "bonus": "f1", "concealed": "345678s99sNNN", "melds": ("peng 222s",)}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"concealed": "345678s99sNNX"}, "cannot read"),
        ({"concealed": 5}, "concealed"),
        ({"melds": ("pung 222s",)}, "pung"),
        ({"melds": ("peng 223s",)}, "three tiles alike"),
        ({"melds": ("chi 124s",)}, "in a row"),
        ({"melds": ("chi 89s1p",)}, "in a row"),
        ({"melds": ("chi ESW",)}, "in a row"),
        ({"melds": ("gang 222s",)}, "four tiles alike"),
        ({"melds": "peng 222s"}, "list"),
        ({"melds": ("peng f1f1f1",)}, "no f1"),
        ({"concealed": "345678s99sNNf2"}, "no f2"),
        ({"bonus": "E"}, "no bonus tile"),
        ({"bonus": "f1f1"}, "1 times"),
        ({"concealed": "345678s99sNNNN"}, "use 14"),
        ({"winning_tile": None}, "winning_tile"),
        ({"winning_tile": "1s"}, "not among"),
        ({"winning_tile": "99s"}, "unknown tile"),
        ({"concealed": "22345s99sNNNN"}, "5 copies of 2s"),
        ({"seat": 4}, "seat"),
        ({"dealer": -1}, "dealer"),
        ({"dealer": 1.0}, "dealer"),
        ({"streak": -1}, "streak"),
        ({"round_wind": "C"}, "round_wind"),
        ({"source": "discard"}, "from_seat"),
        ({"source": "discard", "from_seat": 1}, "from_seat"),
        ({"source": "discard", "from_seat": 4}, "from_seat"),
        ({"from_seat": 0}, "from_seat"),
        ({"source": "rob_gold"}, "source"),
        ({"source": "stolen"}, "source"),
        ({"source": "replacement"}, "gang"),
        ({"source": "robbed_gang", "from_seat": 0}, "other three"),
        ({"opening": "second_draw"}, "opening"),
        ({"opening": "first_draw"}, "empty melds"),
    ],
)
def test_an_impossible_win_is_refused_with_a_reason(changes: dict[str, Any], says: str) -> None:
    assert says in error("hongkong", **{**GOOD, "winning_tile": "9s", **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"opening": "dealt"},
        {"opening": "dealt", "seat": 0, **FROM_DEALER, "from_seat": 1},
        {"opening": "first_discard"},
        {"opening": "first_discard", "source": "discard", "from_seat": 2},
        {"opening": "first_draw", "seat": 0},
        {"opening": "first_draw", **FROM_DEALER},
    ],
)
def test_an_opening_must_fit(changes: dict[str, Any]) -> None:
    fields = {"seat": 1, "concealed": "22345m678p888sNNN", "winning_tile": "8p", **changes}
    assert "opening" in error("hongkong", **fields)


def test_fields_that_a_variant_does_not_use_are_ignored() -> None:
    plain = {**GOOD, "winning_tile": "9s"}
    unused = {"indicator": "??", "thrown_wilds": "x", "gang_run": 9, "floats": -1, "others_hold_wild": True}
    assert settle("hongkong", **plain, **unused) == settle("hongkong", **plain)


def test_value_error_comes_before_not_a_win_and_that_before_below_minimum() -> None:
    assert not issubclass(NotAWin, ValueError) and not issubclass(BelowMinimum, ValueError)
    wrong = {**GOOD, "concealed": "345678s19sNNN", "winning_tile": "9s"}
    assert "from_seat" in error("hongkong", **wrong, source="discard")
    with pytest.raises(NotAWin, match="345678s19sNNN"):
        settle("hongkong", **wrong)
    with pytest.raises(NotAWin):
        settle("hongkong", **{**wrong, "concealed": "345m67p199sNNN"})


def test_the_minimum_is_named() -> None:
    fields = {"concealed": "55m567p234888s", "melds": ("chi 123m",), "winning_tile": "5m"}
    with pytest.raises(BelowMinimum, match=r"1 faan \(self_draw 1\), but the minimum is 3") as caught:
        hongkong(**fields)
    assert caught.value.settlement.payments == (-2, 6, -2, -2)
    assert pickle.loads(pickle.dumps(caught.value)).items == caught.value.items
    assert hongkong({"min_faan": 1}, **fields).total == 1


def test_results_are_plain_frozen_values() -> None:
    settlement = hongkong(concealed="345678s99sNNN", melds=["peng 222s"], winning_tile="9s")
    assert [type(value) for _, value in settlement.items] == [int] * len(settlement.items)
    assert type(settlement.total) is int and [type(points) for points in settlement.payments] == [int] * 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        settlement.total = 0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Win().seat = 2  # type: ignore[misc]


def test_rules_may_be_given_in_every_form() -> None:
    win = Win(**GOOD, winning_tile="9s")
    given = rules("hongkong", min_faan=0)
    assert score_win("hongkong", win, given) == score_win("hongkong", win, rules={"min_faan": 0})
    with pytest.raises(ValueError, match="variants are"):
        score_win("taipei", win)
    with pytest.raises(ValueError, match="hongkong"):
        score_win("threefaan", win, given)


def test_melds_are_written_as_win_reads_them() -> None:
    melds = ("chi 123m", "peng 222p", "gang 5555p", "concealed_gang EEEE")
    described = describe(
        BY_NAME["hongkong"], rules("hongkong").record, Win(concealed="55m", winning_tile="5m", melds=melds)
    )
    assert melds_text(described[0]) == melds
    described["meld_type"][0, 2] = MELD_ADDED
    assert melds_text(described[0]) == melds


def test_plain_python_settles_every_case_alike_and_without_warnings() -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [*command, str(here / "test_cases.py")], cwd=here.parents[1], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
