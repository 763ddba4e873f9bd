"""What the two faan-counting variants have in common: no wilds, three win forms, the best sum of faan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .arrange import arrangements, is_thirteen_orphans, pairs_of_kinds
from .hand import Hand, seat_number
from .notation import PLANTS, SEASONS

Items = list[tuple[str, int]]


@dataclass
class Reading:
    """One way to see the hand: `runs` and `triplets` by kind (melds included) and the eye, or another form."""

    form: str
    runs: list[int]
    triplets: list[int]
    eye: int | None


def readings(hand: Hand) -> list[Reading]:
    """Every form and grouping in which the hand is complete."""
    found = []
    for arrangement in arrangements(hand.concealed, 0, 4 - len(hand.melds)):
        groups = [(group.name, min(tile.kind for tile in group.tiles)) for group in arrangement]  # type: ignore[type-var]
        groups += [("run" if meld.name == "chi" else "triplet", min(meld.kinds)) for meld in hand.melds]
        runs = [kind for name, kind in groups if name == "run"]
        triplets = [kind for name, kind in groups if name == "triplet"]
        eye = next(kind for name, kind in groups if name == "pair")
        found.append(Reading("standard", runs, triplets, eye))  # type: ignore[arg-type]
    if not hand.melds and pairs_of_kinds(hand.concealed, 0, 7):
        found.append(Reading("seven_pairs", [], [], None))
    if not hand.melds and is_thirteen_orphans(hand.concealed):
        found.append(Reading("thirteen_orphans", [], [], None))
    return found


def is_nine_gates(hand: Hand, pure: bool) -> bool:
    """1112345678999 of one suit and any tile of it; pure: that tile is the winning one."""
    suit = hand.concealed[0] // 9
    if hand.melds or any(kind >= 27 or kind // 9 != suit for kind in hand.concealed):
        return False
    gates = [suit * 9 + rank for rank in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8)]
    if pure:
        return sorted(hand.before_win) == gates
    return all(hand.concealed.count(kind) >= gates.count(kind) for kind in gates)


def suits_and_honors(hand: Hand) -> tuple[int, bool]:
    """How many suits occur, and whether an honor does."""
    kinds = hand.all_kinds
    return len({kind // 9 for kind in kinds if kind < 27}), any(kind >= 27 for kind in kinds)


def circumstances(hand: Hand) -> dict[str, int]:
    """The items of the way of winning, one faan each, apart from the concealed hand."""
    when = {
        "self_draw": hand.own,
        "gang_replacement": hand.source == "replacement",
        "robbed_gang": hand.source == "robbed_gang",
        "last_draw": hand.own and hand.last_tile,
        "last_discard": hand.source == "discard" and hand.last_tile,
    }
    return {name: 1 for name, holds in when.items() if holds}


def flowers(hand: Hand, whole_group: int) -> dict[str, int]:
    """The items of the bonus tiles; a whole group replaces the own number of it."""
    found = {}
    number = seat_number(hand)
    for tiles, single, whole in ((PLANTS, "seat_flower", "all_flowers"), (SEASONS, "seat_season", "all_seasons")):
        if set(tiles) <= set(hand.bonus):
            found[whole] = whole_group
        elif tiles[number] in hand.bonus:
            found[single] = 1
    if not hand.bonus:
        found["no_flowers"] = 1
    return found


def best(found: Sequence[Reading], count: Callable[[Reading], dict[str, int]], table: Sequence[str]) -> Items:
    """The items of the reading with the most faan; on a tie the first differing item stands earlier in the table."""
    lists = []
    for reading in found:
        faan = count(reading)
        assert set(faan) <= set(table), faan
        lists.append([(name, faan[name]) for name in table if name in faan])
    items = min(lists, key=lambda entry: (-sum(v for _, v in entry), [table.index(name) for name, _ in entry]))
    return items or [("chicken_hand", 0)]
