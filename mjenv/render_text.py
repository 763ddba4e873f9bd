"""The table as text: all hands open, or what one seat may see."""

from __future__ import annotations

from collections.abc import Iterable

from mjenv.core.layout import Record
from mjenv.core.legal import decision_of
from mjenv.core.rules import Rules
from mjenv.core.table import (
    DECISIONS,
    MELD_ADDED,
    MELD_CHI,
    MELD_CONCEALED,
    MELD_GANG,
    MELD_PENG,
    PHASE_HAND_OVER,
    PHASE_OVER,
    PHASE_ROB,
    REASON_HU,
    SOURCES,
)
from mjenv.core.tiles import HAND_KINDS, NAMES, WINDS, kinds_of
from mjenv.plain import plain
from mjenv.scoring import settlement_of
from mjenv.variants import find

MELD_NAMES = {
    MELD_CHI: "chi",
    MELD_PENG: "peng",
    MELD_GANG: "gang",
    MELD_ADDED: "added gang",
    MELD_CONCEALED: "concealed gang",
}
QUESTIONS = {
    "discard": "to discard",
    "float": "to discard: throwing a wild floats",
    "claim": "may claim",
    "rob": "may rob the gang of",
    "opening": "may win before the first turn",
    "draw_only": "may win with the tile drawn",
}


def show_tiles(table: Record, kinds: Iterable[int]) -> str:
    """Names in order with a star after every wild."""
    return " ".join(NAMES[kind] + ("*" if kind < HAND_KINDS and table["is_wild"][kind] else "") for kind in kinds)


def meld_kinds(table: Record, seat: int, number: int) -> list[int]:
    """The tiles of a meld in ascending order."""
    sort, tile = int(table["meld_type"][seat, number]), int(table["meld_tile"][seat, number])
    if sort == MELD_CHI:
        return [tile, tile + 1, tile + 2]
    return [tile] * (3 if sort == MELD_PENG else 4)


def is_over(table: Record) -> bool:
    """Whether the hand on the table has ended."""
    return int(table["phase"]) in (PHASE_HAND_OVER, PHASE_OVER)


def is_face_down(rules: Rules, table: Record, seat: int, number: int, viewer: int | None) -> bool:
    """Whether `viewer` (None: everybody's tiles are open) may not see the face of a meld."""
    hides = rules.record[0]["hidden_gangs"] and table["meld_type"][seat, number] == MELD_CONCEALED
    return bool(hides) and viewer is not None and viewer != seat and not is_over(table)


def list_discards(table: Record, seat: int) -> list[tuple[int, bool]]:
    """A seat's discards in the order made: kind, and whether it was claimed."""
    found: list[tuple[int, int, bool]] = []
    for kind in range(HAND_KINDS):
        for copy in range(int(table["n_discarded"][seat, kind])):
            claimed = bool(int(table["claimed"][seat, kind]) >> copy & 1)
            found.append((int(table["order"][seat, copy, kind]), kind, claimed))
    return [(kind, claimed) for _, kind, claimed in sorted(found)]


def hand_kinds(table: Record, seat: int) -> tuple[list[int], int | None]:
    """A seat's concealed tiles in ascending order, and the one just drawn or won with set apart (None if none was)."""
    win = table["win"]
    if is_over(table) and table["reason"] == REASON_HU and win["seat"] == seat:
        kinds, apart, is_last = kinds_of(win["hand"].tolist()), int(win["tile"]), True
    else:
        kinds, apart = kinds_of(table["hand"][seat].tolist()), int(table["drawn"])
        is_last = int(table["seat"]) == seat == int(table["turn"])
    if not is_last or apart not in kinds:
        return kinds, None
    kinds.remove(apart)
    return kinds, apart


def _show_melds(rules: Rules, table: Record, seat: int, viewer: int | None) -> str:
    shown = []
    for number in range(int(table["n_melds"][seat])):
        sort = int(table["meld_type"][seat, number])
        hidden = is_face_down(rules, table, seat, number, viewer)
        tiles = "## ## ## ##" if hidden else show_tiles(table, meld_kinds(table, seat, number))
        giver = int(table["meld_from"][seat, number])
        source = "" if giver == seat else f" from {giver}"
        shown.append(f"[{MELD_NAMES[sort]} {tiles}{source}]")
    return " ".join(shown)


def _show_hand(table: Record, seat: int, viewer: int | None) -> str:
    if viewer is not None and viewer != seat and not is_over(table):
        return f"{int(table['held'][seat])} tiles"
    kinds, drawn = hand_kinds(table, seat)
    text = show_tiles(table, kinds)
    return text if drawn is None else f"{text}  + {show_tiles(table, [drawn])}"


def _show_seat(rules: Rules, table: Record, seat: int, viewer: int | None) -> list[str]:
    wind = WINDS[(seat - int(table["dealer"])) & 3]
    marks = [f"seat {seat} {wind}", f"{int(table['scores'][seat])} points"]
    if viewer == seat:
        marks.append("you")
    if seat == int(table["dealer"]):
        marks.append("dealer")
    if table["thrown"][seat]:
        marks.append(f"threw {int(table['thrown'][seat])} wild")
    if table["floats"][seat]:
        marks.append(f"floated {int(table['floats'][seat])}")
    arrow = ">" if seat == int(table["seat"]) and viewer in (None, seat) else " "
    lines = [f"{arrow} " + ", ".join(marks), f"    hand      {_show_hand(table, seat, viewer)}"]
    melds = _show_melds(rules, table, seat, viewer)
    if melds:
        lines.append(f"    melds     {melds}")
    bonus = kinds_of(table["bonus"][seat].tolist())
    if bonus:
        lines.append(f"    bonus     {' '.join(NAMES[kind] for kind in bonus)}")
    discards = [
        f"({show_tiles(table, [kind])})" if claimed else show_tiles(table, [kind])
        for kind, claimed in list_discards(table, seat)
    ]
    lines.append("    discards  " + (" ".join(discards) or "-"))
    return lines


def _show_head(rules: Rules, table: Record) -> str:
    parts = [
        find(rules.variant).title,
        f"round {WINDS[int(table['round_wind'])]}",
        f"hand {int(table['hand_number']) + 1}",
        f"streak {int(table['streak'])}",
        f"{int(table['left'])} tiles left",
    ]
    if table["indicator"] >= 0:
        parts.append(f"flipped {NAMES[int(table['indicator'])]}")
    turned = kinds_of(table["turned_up"].tolist())
    if turned:
        parts.append("turned up " + " ".join(NAMES[kind] for kind in turned))
    wilds = [int(table[name]) for name in ("major", "minor") if table[name] >= 0]
    if wilds:
        parts.append("wild " + show_tiles(table, wilds))
    return " | ".join(parts)


def settlement_lines(rules: Rules, table: Record) -> list[str]:
    """How the hand ended: who won with what, what for, and what everybody pays or gets."""
    points = "points " + " ".join(f"{int(points):+d}" for points in table["points"])
    if table["reason"] != REASON_HU:
        return ["Drawn hand", points]
    win = table["win"]
    settlement = settlement_of(find(rules.variant), win)
    tile = int(win["tile"])
    source = SOURCES[int(win["source"])].replace("_", " ")
    giver = f" of seat {int(win['from_seat'])}" if win["from_seat"] >= 0 else ""
    with_tile = f" with {NAMES[tile]}" if tile >= 0 else ""
    items = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settlement.items)
    return [f"Seat {int(win['seat'])} wins{with_tile} ({source}{giver})", f"{items}; total {settlement.total}", points]


def show_decision(table: Record, viewer: int | None) -> str:
    """Who decides what, as far as `viewer` (None: everybody) may know."""
    seat = int(table["seat"])
    if viewer is not None and viewer != seat:
        return "Waiting for the others"
    decision = DECISIONS[plain(decision_of)(table)]
    tile = int(table["tile"])
    pending = ""
    if decision in ("claim", "rob"):
        pending = f" {show_tiles(table, [tile])}"
        pending += "" if int(table["phase"]) == PHASE_ROB else f" of seat {int(table['turn'])}"
    return f"Seat {seat} {QUESTIONS[decision]}{pending}"


def table_text(rules: Rules, table: Record, seat: int | None = None) -> str:
    """The table of one record as lines of text; with `seat` only what that seat may see.

    Wilds carry a star, claimed discards stand in brackets, the tile just drawn or won with after a plus sign.
    """
    lines = [_show_head(rules, table)]
    for other in range(4):
        lines += _show_seat(rules, table, other, seat)
    lines += settlement_lines(rules, table) if is_over(table) else [show_decision(table, seat)]
    return "\n".join(lines)
