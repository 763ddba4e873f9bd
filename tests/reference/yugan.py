"""Yugan Flying Treasure, scored by trying every shape, head and wild assignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from .arrange import Group, arrangements, is_scattered, pairs_of_kinds
from .hand import (
    Hand,
    NotAWin,
    check_opening,
    check_source,
    check_tiles,
    check_winning_tile,
    read_hand,
)
from .notation import HAND_KINDS, HONORS, OUTSIDE, Impossible, suit_of

SOURCES = ("self_draw", "discard", "replacement", "robbed_gang")
SHAPES = ("basic_win", "seven_pairs", "nine_one", "thirteen_orphans")
STATUS = ("none", "spirit", "bound")

Items = list[tuple[str, int]]


def minor_of(major: int) -> int:
    """The next kind: 9 is followed by 1, N by E, P by C."""
    if major < 27:
        return major // 9 * 9 + (major % 9 + 1) % 9
    if major < 31:
        return 27 + (major - 27 + 1) % 4
    return 31 + (major - 31 + 1) % 3


def check(hand: Hand, spirits: tuple[int, int]) -> None:
    """Everything that is a `ValueError`."""
    major = spirits[0]
    check_tiles(hand, kinds=HAND_KINDS, size=14, flipped=major)
    check_winning_tile(hand)
    check_source(hand, SOURCES)
    check_opening(hand)
    if len(hand.thrown) != 4 or any(count < 0 for count in hand.thrown):
        raise Impossible("thrown_wilds are four counts")
    spirit_taken = hand.from_another and hand.winning in spirits
    if hand.source == "discard" and spirit_taken and hand.thrown[hand.from_seat or 0] == 0:
        raise Impossible("the discarder has thrown that Spirit")
    if hand.source == "robbed_gang" and hand.winning == major:
        raise Impossible("there are only three live Majors")
    held = sum(kind in spirits for kind in hand.concealed)
    held += sum(kind in spirits for meld in hand.melds if meld.name == "concealed_gang" for kind in meld.kinds)
    if sum(hand.thrown) + held - spirit_taken > 7:
        raise Impossible("more than seven Spirits")


def is_bound(pair: Group, wilds: list[int], hand: Hand, major: int) -> bool:
    """Some placing of the physical wilds puts the winning tile and a Major into this pair."""
    real = [tile.kind for tile in pair.tiles if not tile.wild]
    for chosen in combinations(wilds, 2 - len(real)):
        both = real + list(chosen)
        may_be_winning = real if hand.from_another else both
        if hand.winning in may_be_winning and major in both:
            return True
    return False


def is_flush(groups: list[Group], hand: Hand) -> bool:
    """Every tile, as arranged, is of one and the same suit."""
    kinds = [tile.kind for group in groups for tile in group.tiles if tile.kind is not None]
    kinds += [kind for meld in hand.melds for kind in meld.kinds]
    suits = {suit_of(kind) for kind in kinds}
    return len(suits) == 1 and None not in suits


def readings(hand: Hand, spirits: tuple[int, int]) -> Iterator[tuple[str, str, bool, bool]]:
    """Every (shape, status, full flush, all honors) that the tiles can be arranged as."""
    major = spirits[0]
    drawn = hand.before_win if hand.from_another else hand.concealed
    fixed = [kind for kind in drawn if kind not in spirits]
    wilds = [kind for kind in drawn if kind in spirits]
    if hand.from_another:
        assert hand.winning is not None
        fixed.append(hand.winning)
    status = "spirit" if any(kind in spirits for kind in hand.all_kinds) else "none"

    for arrangement in arrangements(fixed, len(wilds), 4 - len(hand.melds)):
        groups = list(arrangement)
        head = next(group for group in groups if group.name == "pair")
        bound = is_bound(head, wilds, hand, major)
        yield "basic_win", "bound" if bound else status, is_flush(groups, hand), False

    if not hand.melds:
        pairs = pairs_of_kinds(fixed, len(wilds), 7)
        if pairs is not None:
            bound = any(is_bound(pair, wilds, hand, major) for pair in pairs)
            yield "seven_pairs", "bound" if bound else status, is_flush(pairs, hand), False

    every_honor = set(HONORS) <= set(hand.all_kinds)
    if set(fixed) <= OUTSIDE and all(kind in OUTSIDE for meld in hand.melds for kind in meld.kinds):
        yield "nine_one", status, False, every_honor
    if not hand.melds and is_scattered(fixed, len(wilds)):
        yield "thirteen_orphans", status, False, every_honor


def settle(
    reading: tuple[str, str, bool, bool], hand: Hand, spirits: tuple[int, int], options: Mapping[str, Any]
) -> tuple[Items, int]:
    """Items and total of one reading."""
    shape, status, flush, honors = reading
    fan = {
        "basic_win": options["basic_fan"],
        "seven_pairs": options["seven_pairs_fan"],
        "nine_one": options["nine_one_fan"],
        "thirteen_orphans": options["thirteen_orphans_fan"],
    }[shape][STATUS.index(status)]
    items = [(shape if status == "none" else f"{status}_{shape}", fan)]
    majors = 2 * hand.all_kinds.count(spirits[0])
    minors = hand.all_kinds.count(spirits[1])
    raw = majors + minors
    indomitable = 0 if hand.others_hold_wild else raw
    n = raw + indomitable
    oversoul = n * (n - 3) - n if n >= 5 else 0
    exposed = hand.gangs("gang") * options["exposed_gang_fan"]
    concealed = hand.gangs("concealed_gang") * options["concealed_gang_fan"]
    added = [
        ("major_spirits", majors),
        ("minor_spirits", minors),
        ("indomitable", indomitable),
        ("oversoul", oversoul),
        ("exposed_gangs", exposed),
        ("concealed_gangs", concealed),
    ]
    items += [(name, value) for name, value in added if value]
    total = sum(value for _, value in items)
    if flush:
        items.append(("full_flush", options["full_flush_factor"]))
        total *= options["full_flush_factor"]
    if honors:
        items.append(("all_honors", options["all_honors_factor"]))
        total *= options["all_honors_factor"]
    return items, total


def score(win: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Items, int, list[int]]:
    """The settlement of one win."""
    hand = read_hand(win, indicator=True)
    assert hand.indicator is not None
    if hand.indicator not in HAND_KINDS:
        raise Impossible("no such indicator")
    spirits = (hand.indicator, minor_of(hand.indicator))
    check(hand, spirits)
    found = set(readings(hand, spirits))
    if not found:
        raise NotAWin
    settled = []
    for reading in found:
        shape, status = reading[:2]
        items, total = settle(reading, hand, spirits, options)
        settled.append((-total, SHAPES.index(shape), -STATUS.index(status), items))
    negative, _, _, items = min(settled)
    total = -negative
    payments = [-total * 2 ** hand.thrown[seat] for seat in range(4)]
    payments[hand.seat] = 0
    payments[hand.seat] = -sum(payments)
    return items, total, payments
