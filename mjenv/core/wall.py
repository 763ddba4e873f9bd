"""The wall: shuffle, deal, draw, replacement, bonus tiles, the flipped tile (rules: common, "The wall")."""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.core.randomness import below
from mjenv.core.rules import FLIP_STACK, FLIP_TAIL
from mjenv.core.shapes import POWER, SUIT_OF
from mjenv.core.table import EVENT_BONUS, EVENT_DRAW, EVENT_INDICATOR, OUTLOOK_UNKNOWN
from mjenv.core.tiles import HAND_KINDS, HONORS, KINDS, RED
from mjenv.jit import jit


@jit
def record_event(table: Record, event: int, seat: int, tile: int, detail: int) -> None:
    """Append one event of this step; the log and the viewers read them."""
    number = int(table["n_events"])
    row = table["event"][number]
    row[0], row[1], row[2], row[3] = event, seat, tile, detail
    table["n_events"] = number + 1


@jit
def gain(table: Record, seat: int, kind: int) -> None:
    """Put one tile into a concealed hand."""
    table["hand"][seat, kind] += 1
    table["held"][seat] += 1
    if table["is_wild"][kind]:
        table["wilds"][seat] += 1
    else:
        table["real"][seat, kind] += 1
        table["key"][seat, SUIT_OF[kind]] += POWER[kind]


@jit
def lose(table: Record, seat: int, kind: int) -> None:
    """Take one tile out of a concealed hand."""
    table["hand"][seat, kind] -= 1
    table["held"][seat] -= 1
    table["outlook"][seat] = OUTLOOK_UNKNOWN
    if table["is_wild"][kind]:
        table["wilds"][seat] -= 1
    else:
        table["real"][seat, kind] -= 1
        table["key"][seat, SUIT_OF[kind]] -= POWER[kind]


@jit
def shuffle(rules: Record, table: Record) -> None:
    """Shuffle the wall; a given wall stays, but the generator moves on as if it had been shuffled."""
    size = int(rules["wall_size"])
    wall = table["wall"]
    given = int(table["wall_given"])
    if not given:
        index = 0
        for kind in range(KINDS):
            for _ in range(int(rules["copies"][kind])):
                wall[index] = kind
                index += 1
    for last in range(size - 1, 0, -1):
        other = below(table, last + 1)
        if not given:
            swapped = int(wall[last])
            wall[last] = wall[other]
            wall[other] = swapped


@jit
def roll_dice(rules: Record, table: Record) -> None:
    """Roll the variant's dice; a given roll replaces only their sum."""
    total = 0
    for _ in range(int(rules["dice"])):
        total += 1 + below(table, 6)
    table["roll"] = table["roll_given"] if table["roll_given"] else total


@jit
def tail_left(rules: Record, table: Record) -> int:
    """How many replacement tiles are left."""
    return int(table["spare"]) if rules["dead_wall"] else int(table["left"])


@jit
def take_head(table: Record) -> int:
    """The next tile from the head."""
    head = int(table["head"])
    table["head"] = head + 1
    table["left"] -= 1
    return int(table["wall"][head])


@jit
def take_tail(rules: Record, table: Record) -> int:
    """The next tile from the tail, stepping over the flipped one."""
    tail = int(table["tail"])
    if tail == int(table["flip"]):
        tail -= 1
    table["tail"] = tail - 1
    if rules["dead_wall"]:
        table["spare"] -= 1
    else:
        table["left"] -= 1
    return int(table["wall"][tail])


@jit
def expose(table: Record, seat: int, kind: int) -> None:
    """Lay a bonus tile face up."""
    table["bonus"][seat, kind] += 1
    if kind < HAND_KINDS:
        table["shown"][kind] += 1
    record_event(table, EVENT_BONUS, seat, kind, 0)


@jit
def settle_bonus(rules: Record, table: Record, seat: int, tile: int) -> int:
    """Expose and replace bonus tiles until `tile` is one to keep; -1 if no replacement is left."""
    while rules["bonus"][tile]:
        expose(table, seat, tile)
        if tail_left(rules, table) == 0:
            return -1
        tile = take_tail(rules, table)
        record_event(table, EVENT_DRAW, seat, tile, 1)
    return tile


@jit
def draw_tile(rules: Record, table: Record, seat: int, from_tail: bool) -> bool:
    """Draw a tile to keep into the hand and `drawn`; false if none is left, which ends the hand."""
    left = tail_left(rules, table) if from_tail else int(table["left"])
    if left == 0:
        return False
    tile = take_tail(rules, table) if from_tail else take_head(table)
    record_event(table, EVENT_DRAW, seat, tile, 1 if from_tail else 0)
    tile = settle_bonus(rules, table, seat, tile)
    if tile < 0:
        return False
    gain(table, seat, tile)
    table["drawn"] = tile
    return True


@jit
def dealt_count(rules: Record, place: int) -> int:
    """Tiles dealt to the seat `place` steps after the dealer."""
    return 4 * int(rules["deal_rounds"]) + int(rules["singles"]) + (1 if place == 0 else 0)


@jit
def dealt_index(rules: Record, place: int, number: int) -> int:
    """Wall index of tile `number` dealt to the seat `place` steps after the dealer."""
    rounds = int(rules["deal_rounds"])
    if number < 4 * rounds:
        return 16 * (number >> 2) + 4 * place + (number & 3)
    base = 16 * rounds
    if place > 0:
        return base + place + int(rules["dealer_takes_two"])
    if number == 4 * rounds:
        return base
    return base + (1 if rules["dealer_takes_two"] else 4)


@jit
def deal(rules: Record, table: Record) -> None:
    """Deal all hands, then replace the dealt bonus tiles from the dealer in seat order."""
    dealer = int(table["dealer"])
    wall, bonus = table["wall"], rules["bonus"]
    for place in range(4):
        for number in range(dealt_count(rules, place)):
            tile = int(wall[dealt_index(rules, place, number)])
            if not bonus[tile]:
                gain(table, (dealer + place) & 3, tile)
            if place == 0:
                table["drawn"] = tile
    for place in range(4):
        seat = (dealer + place) & 3
        count = dealt_count(rules, place)
        for number in range(count):
            tile = int(wall[dealt_index(rules, place, number)])
            if bonus[tile]:
                tile = settle_bonus(rules, table, seat, tile)
                gain(table, seat, tile)
                if place == 0 and number == count - 1:
                    table["drawn"] = tile


@jit
def next_kind(kind: int) -> int:
    """The kind after `kind` in its suit, its winds or its dragons, round in a ring."""
    if kind < HONORS:
        return kind // 9 * 9 + (kind % 9 + 1) % 9
    if kind < RED:
        return HONORS + (kind - HONORS + 1) % 4
    return RED + (kind - RED + 1) % 3


@jit
def make_wild(table: Record, kind: int) -> None:
    """Turn a kind wild, also where it is already in hand."""
    table["is_wild"][kind] = 1
    for seat in range(4):
        count = int(table["hand"][seat, kind])
        table["wilds"][seat] += count
        table["real"][seat, kind] = 0
        table["key"][seat, SUIT_OF[kind]] -= count * POWER[kind]


@jit
def set_wilds(rules: Record, table: Record) -> None:
    """Decide what is wild from the flipped tile or the variant's fixed wild."""
    table["major"] = table["indicator"] if rules["flip_is_wild"] else rules["fixed_wild"]
    if table["major"] >= 0:
        make_wild(table, int(table["major"]))
    if rules["next_is_wild"]:
        table["minor"] = next_kind(int(table["major"]))
        make_wild(table, int(table["minor"]))


@jit
def flip(rules: Record, table: Record) -> None:
    """Turn up the tile that decides the wilds, as the variant says."""
    if rules["flip"] == FLIP_STACK:
        table["flip"] = int(rules["wall_size"]) - 2 * int(table["roll"])
        table["indicator"] = table["wall"][int(table["flip"])]
    elif rules["flip"] == FLIP_TAIL:
        tile = take_tail(rules, table)
        while rules["bonus"][tile]:
            table["turned_up"][tile] += 1
            table["shown"][tile] += 1
            record_event(table, EVENT_INDICATOR, 0, tile, 0)
            tile = take_tail(rules, table)
        table["indicator"] = tile
        table["flip"] = int(table["tail"]) + 1
    if table["indicator"] >= 0:
        table["shown"][int(table["indicator"])] += 1
        record_event(table, EVENT_INDICATOR, 0, int(table["indicator"]), 1)


@jit
def build_wall(rules: Record, table: Record) -> None:
    """Shuffle, deal, replace bonus tiles, roll, flip: everything before the first decision of a hand."""
    table["flip"] = -1
    table["indicator"] = -1
    table["major"] = -1
    table["minor"] = -1
    for kind in range(HAND_KINDS):
        table["shown"][kind] = 4 - int(rules["copies"][kind])
    shuffle(rules, table)
    roll_dice(rules, table)
    live_end = int(rules["live_end"])
    dealt = 16 * int(rules["deal_rounds"]) + 4 * int(rules["singles"]) + 1
    table["head"] = dealt
    table["tail"] = live_end - 1
    table["left"] = live_end - dealt - int(rules["stop_at"])
    if rules["dead_wall"]:
        dead = 2 * int(table["roll"])
        table["left"] = live_end - dead - dealt
        table["spare"] = dead - 1
    deal(rules, table)
    flip(rules, table)
    set_wilds(rules, table)
