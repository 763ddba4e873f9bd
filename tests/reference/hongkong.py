"""Hong Kong Old Style, scored over every grouping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .faan import Items, Reading, best, circumstances, flowers, is_nine_gates, readings, suits_and_honors
from .hand import (
    BelowMinimum,
    Hand,
    NotAWin,
    check_bonus,
    check_opening,
    check_source,
    check_tiles,
    check_winning_tile,
    pay_all,
    pay_alone,
    read_hand,
    seat_number,
)
from .notation import DRAGONS, EAST, HAND_KINDS, OUTSIDE, PLANTS, SEASONS, TERMINALS, WINDS, Impossible
from .options import ITEMS

SOURCES = ("self_draw", "discard", "replacement", "robbed_gang")


def check(hand: Hand, options: Mapping[str, Any]) -> None:
    """Everything that is a `ValueError`."""
    check_tiles(hand, kinds=HAND_KINDS, size=14)
    check_winning_tile(hand)
    check_bonus(hand, PLANTS + SEASONS, 1)
    check_source(hand, SOURCES)
    check_opening(hand)
    if hand.source == "robbed_gang" and hand.last_tile:
        raise Impossible("a gang needs a tile in the wall")
    if hand.bonus and not options["bonus_tiles"]:
        raise Impossible("played without bonus tiles")


def limit_of(hand: Hand, found: list[Reading], options: Mapping[str, Any]) -> str | None:
    """The first limit hand that any reading shows."""
    kinds = set(hand.all_kinds)
    opening = {"dealt": "heavenly_hand", "first_discard": "earthly_hand", "first_draw": "hand_of_man"}
    if any(set(WINDS) <= set(reading.triplets) for reading in found):
        return "great_four_winds"
    if min(kinds) >= 27:
        return "all_honors"
    if kinds <= set(TERMINALS):
        return "all_terminals"
    if any(reading.form == "thirteen_orphans" for reading in found):
        return "thirteen_orphans"
    if is_nine_gates(hand, options["nine_gates_pure"]):
        return "nine_gates"
    if hand.gangs() == 4:
        return "eighteen_arhats"
    return opening[hand.opening] if hand.opening else None


def count(hand: Hand, reading: Reading, options: Mapping[str, Any]) -> dict[str, int]:
    """The faan of one reading after exclusions."""
    faan: dict[str, int] = {}
    own_wind = EAST + seat_number(hand)
    triplets, eye = reading.triplets, reading.eye
    pairs = reading.form == "seven_pairs"

    if len(reading.runs) == 4 and eye not in DRAGONS and eye != own_wind:
        faan["common_hand"] = 1
    if len(triplets) == 4:
        taken = hand.from_another and hand.winning != eye
        if not hand.has_claimed and not taken:
            faan["all_concealed_triplets"] = 8
        if set(hand.all_kinds) <= OUTSIDE:
            faan["mixed_terminals"] = 1 if "all_concealed_triplets" in faan else 4
        if not faan:
            faan["all_triplets"] = 3
    if pairs:
        faan["seven_pairs"] = 4

    suits, honor = suits_and_honors(hand)
    if suits == 1:
        faan.update({"half_flush": 3} if honor else {"full_flush": 7})

    dragons = sum(kind in DRAGONS for kind in triplets)
    if dragons == 3:
        faan["great_three_dragons"] = 8
    elif dragons == 2 and eye in DRAGONS:
        faan["small_three_dragons"] = 5
    elif dragons:
        faan["dragon_triplets"] = dragons

    if sum(kind in WINDS for kind in triplets) == 3 and eye in WINDS:
        faan["small_four_winds"] = 6
    else:
        faan.update({"seat_wind": 1} if own_wind in triplets else {})
        faan.update({"round_wind": 1} if hand.round_wind in triplets else {})

    faan.update(circumstances(hand))
    removed = "all_concealed_triplets" in faan or (pairs and not options["seven_pairs_concealed"])
    if hand.from_another and not hand.has_claimed and not removed:
        faan["concealed_hand"] = 1
    if options["bonus_tiles"]:
        faan.update(flowers(hand, 3))
    return faan


def units(faan: int) -> int:
    """What a hand of so many faan is worth."""
    if faan <= 4:
        return 1 << faan
    if faan % 2 == 0:
        return 1 << (faan // 2 + 2)
    return (units(faan - 1) + units(faan + 1)) // 2


def score(win: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Items, int, list[int]]:
    """The settlement of one win."""
    hand = read_hand(win, bonus=True)
    check(hand, options)
    found = readings(hand)
    if not found:
        raise NotAWin
    limit = limit_of(hand, found, options)
    if limit:
        items = [(limit, options["limit_faan"])]
    else:
        items = best(found, lambda reading: count(hand, reading, options), ITEMS["hongkong"])
    total = min(sum(value for _, value in items), options["limit_faan"])
    if total < options["min_faan"] and not limit:
        raise BelowMinimum
    value = units(total)
    if hand.own:
        return items, total, pay_all(hand.seat, value)
    if limit and options["pao"]:
        value *= 3
    assert hand.from_seat is not None
    return items, total, pay_alone(hand.seat, hand.from_seat, value)
