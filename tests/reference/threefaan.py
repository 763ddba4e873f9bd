"""The three-faan table of 144 tiles, scored over every grouping."""

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
from .notation import DRAGONS, EAST, HAND_KINDS, PLANTS, SEASONS, TERMINALS, WINDS, Impossible
from .options import ITEMS

SOURCES = ("self_draw", "discard", "replacement", "robbed_gang")


def check(hand: Hand) -> None:
    """Everything that is a `ValueError`."""
    check_tiles(hand, kinds=HAND_KINDS, size=14)
    check_winning_tile(hand)
    check_bonus(hand, PLANTS + SEASONS, 1)
    check_source(hand, SOURCES)
    check_opening(hand)
    if hand.source == "robbed_gang" and hand.last_tile:
        raise Impossible("a gang needs a tile in the wall")
    if hand.round_wind != EAST:
        raise Impossible("the round wind is always East")


def limit_of(hand: Hand, found: list[Reading], options: Mapping[str, Any]) -> str | None:
    """The first limit hand that any reading shows."""
    kinds = set(hand.all_kinds)
    if any(reading.form == "thirteen_orphans" for reading in found):
        return "thirteen_orphans"
    if min(kinds) >= 27:
        return "all_honors"
    if kinds <= set(TERMINALS):
        return "all_terminals"
    if any(set(DRAGONS) <= set(reading.triplets) for reading in found):
        return "big_three_dragons"
    if any(set(WINDS) <= set(reading.triplets) for reading in found):
        return "big_four_winds"
    if hand.gangs() == 4:
        return "four_gangs"
    if is_nine_gates(hand, options["nine_gates_pure"]):
        return "nine_gates"
    if any(len(reading.triplets) == 4 for reading in found) and not hand.has_claimed and hand.own:
        return "four_concealed_pungs"
    return None


def count(hand: Hand, reading: Reading, options: Mapping[str, Any]) -> dict[str, int]:
    """The faan of one reading after exclusions."""
    faan: dict[str, int] = {}
    triplets, eye = reading.triplets, reading.eye
    pairs = reading.form == "seven_pairs"
    if eye is not None and len(reading.runs) == 4 and eye < 27:
        faan["all_chows"] = 1
    if len(triplets) == 4:
        faan["all_pungs"] = 3
    if pairs:
        faan["seven_pairs"] = 4

    suits, honor = suits_and_honors(hand)
    if suits == 1:
        faan.update({"half_flush": 3} if honor else {"full_flush": 7})

    dragons = sum(kind in DRAGONS for kind in triplets)
    if dragons == 2 and eye in DRAGONS:
        faan["little_three_dragons"] = 5
    elif dragons:
        faan["dragon_triplets"] = dragons
    if EAST + seat_number(hand) in triplets:
        faan["seat_wind"] = 1
    if EAST in triplets:
        faan["round_wind"] = 1

    faan.update(circumstances(hand))
    concealed = not hand.has_claimed
    if pairs and not options["seven_pairs_concealed"]:
        concealed = False
    if hand.own and options["concealed_on_discard_only"]:
        concealed = False
    if concealed:
        faan["concealed_hand"] = 1
    faan.update(flowers(hand, 2))
    return faan


def score(win: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Items, int, list[int]]:
    """The settlement of one win."""
    hand = read_hand(win, bonus=True)
    check(hand)
    found = readings(hand)
    if not found:
        raise NotAWin
    limit = limit_of(hand, found, options)
    if limit:
        items = [(limit, options["cap_faan"])]
    else:
        items = best(found, lambda reading: count(hand, reading, options), ITEMS["threefaan"])
    total = min(sum(value for _, value in items), options["cap_faan"])
    if total < options["min_faan"]:
        raise BelowMinimum
    if hand.own:
        return items, total, pay_all(hand.seat, 2**total)
    assert hand.from_seat is not None
    return items, total, pay_alone(hand.seat, hand.from_seat, 3 * 2**total)
