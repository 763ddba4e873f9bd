"""Hand-worked wins, one test for each rule sentence that decides between readings."""

from __future__ import annotations

from typing import Any

import pytest

from mjenv.core.tiles import NAMES
from mjenv.scoring import NotAWin, Settlement, Win, describe, score_win
from mjenv.variants import BY_NAME, rules


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
