"""Fuzhou with a flipped gold, scored by trying every arrangement of five sets and a pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arrange import arrangements
from .hand import (
    Hand,
    NotAWin,
    check_bonus,
    check_opening,
    check_source,
    check_tiles,
    check_winning_tile,
    pay_all,
    read_hand,
)
from .notation import RED, SUITED, WINDS, Impossible

SOURCES = ("self_draw", "discard", "replacement", "rob_gold", "three_golds")
SPECIALS = ("three_golds", "full_flush", "gold_pair", "rob_gold", "ping_hu")


def check(hand: Hand, gold: int) -> None:
    """Everything that is a `ValueError`."""
    if gold not in SUITED:
        raise Impossible("the gold is suited")
    robbing = hand.source == "rob_gold"
    on_the_deal = hand.source == "three_golds" and hand.opening == "dealt" and hand.seat != hand.dealer
    check_tiles(hand, kinds=SUITED, size=16 if on_the_deal else 17, flipped=None if robbing else gold)
    check_bonus(hand, (*WINDS, RED), 4)
    check_source(hand, SOURCES)
    check_opening(hand, also_dealt=("rob_gold", "three_golds"))
    if hand.source != "three_golds":
        check_winning_tile(hand)
    if any(gold in meld.kinds for meld in hand.melds):
        raise Impossible("a gold is never in a meld")
    if hand.source == "discard" and hand.winning == gold:
        raise Impossible("a gold is never discarded")
    if robbing and (hand.winning != gold or hand.melds):
        raise Impossible("robbing wins on the flipped tile, before any meld")


def shapes(hand: Hand, gold: int) -> tuple[bool, bool]:
    """Whether the hand is complete, and whether two golds may be the pair."""
    fixed = [kind for kind in hand.concealed if kind != gold]
    golds = len(hand.concealed) - len(fixed)
    complete = gold_pair = False
    for arrangement in arrangements(fixed, golds, 5 - len(hand.melds), kinds=27):
        complete = True
        pair = next(group for group in arrangement if group.name == "pair")
        if golds != 2 or all(tile.wild for tile in pair.tiles):
            gold_pair = golds == 2
            break
    return complete, gold_pair


def special_of(hand: Hand, gold: int, gold_pair: bool, options: Mapping[str, Any]) -> tuple[str, int] | None:
    """The highest special; three golds exclude the others."""
    live_golds = hand.concealed.count(gold) - (hand.source == "rob_gold")
    if live_golds == 3:
        return "three_golds", 30
    others = [kind for kind in hand.all_kinds if kind != gold]
    points = {}
    if len({kind // 9 for kind in others}) == 1:
        points["full_flush"] = options["full_flush_points"]
    if gold_pair:
        points["gold_pair"] = options["gold_pair_points"]
    if hand.source == "rob_gold":
        points["rob_gold"] = 30
    if not hand.bonus and hand.gangs() == 0:
        points["ping_hu"] = 15
    if not points:
        return None
    name = min(points, key=lambda special: (-points[special], SPECIALS.index(special)))
    return name, points[name]


def score(win: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[list[tuple[str, int]], int, list[int]]:
    """The settlement of one win."""
    hand = read_hand(win, indicator=True, bonus=True, winning=win.get("source") != "three_golds")
    gold = hand.indicator
    assert gold is not None
    check(hand, gold)
    if hand.source == "three_golds":
        complete, gold_pair = hand.concealed.count(gold) == 3, False
    else:
        complete, gold_pair = shapes(hand, gold)
    if not complete:
        raise NotAWin
    special = special_of(hand, gold, gold_pair, options)
    if special == ("three_golds", 30) and options["three_golds_flat"]:
        return [special], 30, pay_all(hand.seat, 30)

    golds = hand.concealed.count(gold)
    if hand.source == "rob_gold" and not options["robbed_gold_counts"]:
        golds -= 1
    lines = [
        ("base", 1),
        ("dealer_streak", hand.streak * options["streak_points"] if hand.seat == hand.dealer else 0),
        ("bonus_tiles", len(hand.bonus)),
        ("golds", golds),
        ("exposed_gangs", hand.gangs("gang") * options["exposed_gang_points"]),
        ("concealed_gangs", hand.gangs("concealed_gang") * options["concealed_gang_points"]),
    ]
    items = [(name, value) for name, value in lines if value]
    total = sum(value for _, value in items)
    if hand.own or special:
        items.append(("doubled", 2))
        total *= 2
    if special:
        items.append(special)
        total += special[1]
    return items, total, pay_all(hand.seat, total)
