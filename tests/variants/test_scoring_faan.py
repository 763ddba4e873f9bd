"""Hand-worked scores of the two faan games, one test per deciding rule sentence."""

from __future__ import annotations

from typing import Any

import pytest
from variants.test_scoring import error, settle

from mjenv.plain import plain
from mjenv.scoring import BelowMinimum, Settlement
from mjenv.variants.hongkong import faan_value

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
    value = plain(faan_value)
    assert [value(faan) for faan in range(11)] == [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128]
    assert [value(faan) for faan in (11, 12, 13)] == [192, 256, 384]


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
