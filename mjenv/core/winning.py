"""Who may win, and the `WIN` record of a win at the table."""

from __future__ import annotations

from typing import Any

from mjenv.core import hooks
from mjenv.core.forms import count_other_missing, join_levels
from mjenv.core.layout import Record
from mjenv.core.shapes import NINE_ONE, POWER, STANDARD, SUIT_OF, is_complete, is_seven_pairs_any, makes
from mjenv.core.suits import FAR, LEVELS
from mjenv.core.table import (
    DISCARDED,
    DRAWN_DEAL,
    DRAWN_TAIL,
    EVENT_HU,
    MELD_CHI,
    OPENING_DEALT,
    OPENING_FIRST_DISCARD,
    OPENING_FIRST_DRAW,
    OPENING_NONE,
    OUTLOOK_FAR,
    OUTLOOK_NEAR,
    OUTLOOK_UNKNOWN,
    REPLACEMENT,
    ROB_GOLD,
    ROBBED_GANG,
    SELF_DRAW,
    THREE_GOLDS,
)
from mjenv.core.tiles import HONORS
from mjenv.core.wall import record_event
from mjenv.core.wins import prepare
from mjenv.jit import jit


@jit
def forms_open(rules: Record, table: Record, seat: int) -> int:
    """The win forms that the seat's melds still allow; `nine_one` wants terminals and honors in them too."""
    forms = int(rules["forms"])
    if forms & NINE_ONE:
        for number in range(int(table["n_melds"][seat])):
            tile = int(table["meld_tile"][seat, number])
            inner = tile < HONORS and 0 < tile % 9 < 8
            if inner or table["meld_type"][seat, number] == MELD_CHI:
                return forms & ~NINE_ONE
    return forms


@jit
def is_hand_complete(rules: Record, table: Record, seat: int, lut: Any) -> bool:
    """Whether the concealed tiles of a seat, 3n+2 of them, complete its hand."""
    return is_complete(
        table["real"][seat],
        table["real_words"][seat],
        table["key"][seat],
        int(table["wilds"][seat]),
        int(table["n_melds"][seat]),
        int(rules["sets"]),
        forms_open(rules, table, seat),
        lut,
    )


@jit
def is_complete_with(rules: Record, table: Record, seat: int, tile: int, lut: Any) -> bool:
    """Whether a tile from another seat, which stands for itself, completes the seat's hand."""
    table["real"][seat, tile] += 1
    table["key"][seat, SUIT_OF[tile]] += POWER[tile]
    complete = is_hand_complete(rules, table, seat, lut)
    table["real"][seat, tile] -= 1
    table["key"][seat, SUIT_OF[tile]] -= POWER[tile]
    return complete


@jit
def find_outlook(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """Note whether a single tile may complete the 3n+1 concealed tiles of a seat.

    The tile may be a wild or a fifth copy, so the distance is taken without the four-copy limit.
    """
    forms, n_melds = forms_open(rules, table, seat), int(table["n_melds"][seat])
    missing = FAR
    if forms & STANDARD:
        top = LEVELS - 1
        missing = join_levels(table["key"][seat], int(rules["sets"]) - n_melds, top, top, top, top, lut)
    if forms & ~STANDARD:
        missing = min(missing, count_other_missing(table["real_words"][seat], table["key"][seat], n_melds, forms, lut))
    table["outlook"][seat] = OUTLOOK_NEAR if missing <= int(table["wilds"][seat]) + 1 else OUTLOOK_FAR


@jit
def is_far(rules: Record, table: Record, seat: int, lut: Any) -> bool:
    """Whether no single tile can complete the 3n+1 concealed tiles of a seat; found once for every hand it holds."""
    if table["outlook"][seat] == OUTLOOK_UNKNOWN:
        find_outlook(rules, table, seat, lut)
    return bool(table["outlook"][seat] == OUTLOOK_FAR)


@jit
def spares_wilds(rules: Record, table: Record, seat: int, spared: int, lut: Any) -> bool:
    """Whether the hand without `spared` wilds is all sets (or all pairs): bao-tou for one, a float for two."""
    wilds = int(table["wilds"][seat])
    if wilds < spared:
        return False
    n_melds = int(table["n_melds"][seat])
    if makes(table["key"][seat], int(rules["sets"]) - n_melds, 0, lut):
        return True
    if not rules["pairs_float"] or n_melds > 0:
        return False
    return is_seven_pairs_any(table["real"][seat], table["real_words"][seat], wilds - spared)


@jit
def _opening(table: Record, seat: int, source: int) -> int:
    if table["n_melds"][seat] > 0:
        return OPENING_NONE
    if seat == int(table["dealer"]):
        dealt = source == SELF_DRAW and table["drawn_from"] == DRAWN_DEAL and table["discards"] == 0
        return OPENING_DEALT if dealt else OPENING_NONE
    if source == DISCARDED and table["discards"] == 1:
        return OPENING_FIRST_DISCARD
    if source == SELF_DRAW and table["draws"][seat] == 1:
        return OPENING_FIRST_DRAW
    return OPENING_NONE


@jit
def _others_hold_wild(table: Record, seat: int) -> bool:
    for step in range(1, 4):
        other = (seat + step) & 3
        if table["wilds"][other] > 0:
            return True
        for number in range(int(table["n_melds"][other])):
            tile = int(table["meld_tile"][other, number])
            length = 3 if table["meld_type"][other, number] == MELD_CHI else 1
            for kind in range(tile, tile + length):
                if table["is_wild"][kind]:
                    return True
    return False


@jit
def fill_win(table: Record, seat: int, source: int, tile: int, from_seat: int, given_up: int) -> None:
    """Describe a win at the table in its `win` record.

    `tile` is the winning tile, -1 for three golds before the first turn; a tile that is not yet in the hand (from
    another seat, or the robbed gold) is added, one that a robbing dealer gives up is taken out.
    """
    win = table["win"]
    for word in range(5):
        win["hand_words"][word] = table["hand_words"][seat, word]
    if source == DISCARDED or source == ROBBED_GANG or source == ROB_GOLD:
        win["hand"][tile] += 1
    if given_up >= 0:
        win["hand"][given_up] -= 1
    for number in range(5):
        win["meld_type"][number] = table["meld_type"][seat, number]
        win["meld_tile"][number] = table["meld_tile"][seat, number]
    win["n_melds"] = table["n_melds"][seat]
    win["seat"], win["source"], win["from_seat"] = seat, source, from_seat
    win["tile"], win["given_up"] = tile, given_up
    win["dealer"], win["streak"], win["round_wind"] = table["dealer"], table["streak"], table["round_wind"]
    win["indicator"], win["major"], win["minor"] = table["indicator"], table["major"], table["minor"]
    for kind in range(len(win["bonus"])):
        win["bonus"][kind] = table["bonus"][seat, kind]
    for other in range(4):
        win["thrown"][other] = table["thrown"][other]
    win["others_hold_wild"] = 1 if _others_hold_wild(table, seat) else 0
    win["gang_run"] = table["gang_run"] if source == REPLACEMENT else 0
    win["floats"] = table["floats"][seat]
    win["last_tile"] = 1 if table["left"] == 0 else 0
    win["opening"] = _opening(table, seat, source)
    prepare(win)


@jit
def fill_own_win(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """Describe the win that is open on a seat's own turn."""
    source = REPLACEMENT if table["drawn_from"] == DRAWN_TAIL else SELF_DRAW
    if rules["three_wilds_win"] and not is_hand_complete(rules, table, seat, lut):
        source = THREE_GOLDS
    fill_win(table, seat, source, int(table["drawn"]), -1, -1)


@jit
def reaches_minimum(rules: Record, table: Record, lut: Any) -> bool:
    """Whether the described win reaches the variant's minimum."""
    return hooks.worth(rules, table["win"], lut) >= int(rules["minimum"])


@jit
def may_win_own(rules: Record, table: Record, seat: int, lut: Any) -> bool:
    """Whether the seat may declare a win with the tile it just drew or was dealt."""
    if rules["three_wilds_win"] and table["wilds"][seat] >= 3:
        return True
    if table["outlook"][seat] == OUTLOOK_FAR or not is_hand_complete(rules, table, seat, lut):
        return False
    if rules["minimum"] <= 0:
        return True
    fill_own_win(rules, table, seat, lut)
    return reaches_minimum(rules, table, lut)


@jit
def may_win_on(rules: Record, table: Record, seat: int, source: int, lut: Any) -> bool:
    """Whether the seat may win on the pending tile of another seat."""
    tile = int(table["tile"])
    if is_far(rules, table, seat, lut) or not is_complete_with(rules, table, seat, tile, lut):
        return False
    if rules["minimum"] <= 0:
        return True
    fill_win(table, seat, source, tile, int(table["turn"]), -1)
    return reaches_minimum(rules, table, lut)


@jit
def declare(rules: Record, table: Record, lut: Any) -> None:
    """Score and settle the described win."""
    hooks.worth(rules, table["win"], lut)
    hooks.settle(rules, table["win"], lut)
    record_event(table, EVENT_HU, int(table["win"]["seat"]), max(0, int(table["win"]["tile"])), 0)
