"""Hangzhou with a flipped or fixed wild, scored in the sets family and in the pairs family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from .arrange import can_arrange, can_pair_up
from .hand import (
    Hand,
    NotAWin,
    check_opening,
    check_source,
    check_tiles,
    check_winning_tile,
    pay_all,
    read_hand,
)
from .notation import HAND_KINDS, WHITE, Impossible

SOURCES = ("self_draw", "replacement")
PAIRS = ("seven_pairs", "deluxe_seven_pairs", "double_deluxe_seven_pairs", "triple_deluxe_seven_pairs")
WILD_ROW = (("bao_tou", 2), ("float", 4), ("double_float", 8), ("triple_float", 16))
GANG_ROW = (("gang_flower", 2), ("double_gang", 4), ("triple_gang", 8), ("quadruple_gang", 16))

Items = list[tuple[str, int]]


def split(kinds: list[int], wild: int) -> tuple[list[int], int]:
    """The tiles that are themselves, and the number of wilds."""
    fixed = [kind for kind in kinds if kind != wild]
    return fixed, len(kinds) - len(fixed)


def is_bao_tou(hand: Hand, wild: int, family: str) -> bool:
    """Before the winning draw and without one wild, the rest is four sets, or six pairs."""
    if hand.opening == "dealt":
        return False
    fixed, wilds = split(hand.before_win, wild)
    if wilds == 0:
        return False
    if family == "sets":
        return can_arrange(fixed, wilds - 1, 4 - len(hand.melds), pair=False)
    return not hand.melds and can_pair_up(fixed, wilds - 1, 6)


def check(hand: Hand, wild: int, flipped: int | None) -> None:
    """Everything that is a `ValueError` and can be seen without looking at shapes."""
    check_tiles(hand, kinds=HAND_KINDS, size=14, flipped=flipped)
    check_winning_tile(hand)
    check_source(hand, SOURCES)
    check_opening(hand)
    if hand.source == "replacement" and not 1 <= hand.gang_run <= hand.gangs():
        raise Impossible("the run of gangs does not fit the gangs")
    if hand.source == "self_draw" and hand.gang_run != 0:
        raise Impossible("a run of gangs ends in a replacement")
    live = 4 if flipped is None else 3
    if not 0 <= hand.floats <= 3 or hand.floats + hand.all_kinds.count(wild) > live:
        raise Impossible("too many floats")
    if hand.opening is not None and (hand.floats or hand.gangs()):
        raise Impossible("an opening win has no floats and no gangs")


def deluxe(hand: Hand, wild: int) -> int:
    """How many kinds lie in the concealed hand in four real copies."""
    counts = Counter(hand.concealed)
    quads = sum(count == 4 for kind, count in counts.items() if kind != wild)
    rest, _ = split(hand.concealed, wild)
    if counts[wild] == 4 and can_pair_up(rest, 0, 5):
        quads += 1
    return quads


def families(hand: Hand, wild: int, bao_tou: Mapping[str, bool], options: Mapping[str, Any]) -> list[Items]:
    """Shape and wild row of each family in which the hand is complete, sets first."""
    fixed, wilds = split(hand.concealed, wild)
    found = []
    if can_arrange(fixed, wilds, 4 - len(hand.melds)):
        found.append(("sets", [("plain_win", 1)]))
    if not hand.melds and can_pair_up(fixed, wilds, 7):
        quads = deluxe(hand, wild)
        found.append(("pairs", [(PAIRS[quads], options["seven_pairs_factor"] * 2**quads)]))
    for family, items in found:
        if bao_tou[family]:
            items.append(WILD_ROW[hand.floats])
    return [items for _, items in found]


def product(items: Items) -> int:
    """All factors multiplied."""
    total = 1
    for _, factor in items:
        total *= factor
    return total


def score(win: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Items, int, list[int]]:
    """The settlement of one win."""
    flip = options["wild_mode"] == "flip"
    hand = read_hand(win, indicator=flip)
    wild = hand.indicator if flip else WHITE
    if wild is None or wild not in HAND_KINDS:
        raise Impossible("no such indicator")
    check(hand, wild, wild if flip else None)
    bao_tou = {
        "sets": is_bao_tou(hand, wild, "sets"),
        "pairs": options["pairs_bao_tou"] and is_bao_tou(hand, wild, "pairs"),
    }
    if hand.floats and not any(bao_tou.values()):
        raise Impossible("floats need a bao-tou hand")
    found = families(hand, wild, bao_tou, options)
    if not found:
        raise NotAWin
    items = max(found, key=product)
    if hand.gang_run:
        items.append(GANG_ROW[hand.gang_run - 1])
    is_dealer = hand.seat == hand.dealer
    factor = options["streak_factors"][min(hand.streak, 2)]
    if factor != 1 and (is_dealer or options["streak_for_non_dealer"]):
        items.append(("streak", factor))
    total = product(items)
    payments = pay_all(hand.seat, total)
    if not is_dealer:
        payments[hand.dealer] -= total
        payments[hand.seat] += total
    return items, total, payments
