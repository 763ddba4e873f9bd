"""Melds: laying them down, and taking a call back (rules: common, "Turn loop"; Fuzhou, "Turn flow")."""

from __future__ import annotations

from mjenv.core.actions import CHI_LOW
from mjenv.core.layout import Record
from mjenv.core.table import (
    EVENT_CHI,
    EVENT_GANG,
    EVENT_PENG,
    MELD_ADDED,
    MELD_CHI,
    MELD_CONCEALED,
    MELD_GANG,
    MELD_PENG,
)
from mjenv.core.wall import gain, lose, record_event
from mjenv.jit import jit


@jit
def _add_meld(table: Record, seat: int, meld: int, tile: int, claimed: int, from_seat: int) -> None:
    number = int(table["n_melds"][seat])
    table["meld_type"][seat, number] = meld
    table["meld_tile"][seat, number] = tile
    table["meld_claimed"][seat, number] = claimed
    table["meld_from"][seat, number] = from_seat
    table["n_melds"][seat] = number + 1


@jit
def mark_claimed(table: Record, discarder: int, tile: int) -> None:
    """Mark the last discard as claimed; it now counts as part of the meld."""
    copy = int(table["n_discarded"][discarder, tile]) - 1
    table["claimed"][discarder, tile] |= 1 << copy
    table["shown"][tile] -= 1


@jit
def lay_chi(table: Record, seat: int, action: int, tile: int, discarder: int) -> None:
    """Make a run of the claimed tile and two of the seat's own."""
    position = action - CHI_LOW
    lowest = tile - position
    for kind in range(lowest, lowest + 3):
        table["shown"][kind] += 1
        if kind != tile:
            lose(table, seat, kind)
    _add_meld(table, seat, MELD_CHI, lowest, tile, discarder)
    record_event(table, EVENT_CHI, seat, tile, position)


@jit
def lay_peng(table: Record, seat: int, tile: int, discarder: int) -> None:
    """Make a triplet of the claimed tile and two of the seat's own."""
    lose(table, seat, tile)
    lose(table, seat, tile)
    table["shown"][tile] += 3
    table["peng"][seat, tile] = 1
    _add_meld(table, seat, MELD_PENG, tile, tile, discarder)
    record_event(table, EVENT_PENG, seat, tile, discarder)


@jit
def lay_gang(table: Record, seat: int, tile: int, discarder: int) -> None:
    """Make a gang of the claimed tile and three of the seat's own."""
    for _ in range(3):
        lose(table, seat, tile)
    table["shown"][tile] += 4
    _add_meld(table, seat, MELD_GANG, tile, tile, discarder)
    record_event(table, EVENT_GANG, seat, tile, MELD_GANG)


@jit
def lay_concealed_gang(rules: Record, table: Record, seat: int, tile: int) -> None:
    """Make a gang of four own tiles; where the variant hides it, its face is not shown."""
    for _ in range(4):
        lose(table, seat, tile)
    if not rules["hidden_gangs"]:
        table["shown"][tile] += 4
    table["n_concealed"][seat] += 1
    _add_meld(table, seat, MELD_CONCEALED, tile, tile, seat)
    record_event(table, EVENT_GANG, seat, tile, MELD_CONCEALED)


@jit
def _find_meld(table: Record, seat: int, meld: int, tile: int) -> int:
    number = 0
    while table["meld_type"][seat, number] != meld or table["meld_tile"][seat, number] != tile:
        number += 1
    return number


@jit
def add_to_peng(table: Record, seat: int, tile: int) -> None:
    """Declare an added gang: the fourth tile goes to the open peng."""
    lose(table, seat, tile)
    table["shown"][tile] += 1
    table["peng"][seat, tile] = 0
    table["meld_type"][seat, _find_meld(table, seat, MELD_PENG, tile)] = MELD_ADDED
    record_event(table, EVENT_GANG, seat, tile, MELD_ADDED)


@jit
def take_from_gang(table: Record, seat: int, tile: int) -> None:
    """Undo a robbed added gang: the meld stays a peng, its fourth tile is the robber's."""
    table["shown"][tile] -= 1
    table["peng"][seat, tile] = 1
    table["meld_type"][seat, _find_meld(table, seat, MELD_ADDED, tile)] = MELD_PENG


@jit
def undo_call(table: Record, seat: int) -> None:
    """Take back the seat's last chi or peng: its tiles return to the hand and the discard lies unclaimed again."""
    number = int(table["n_melds"][seat]) - 1
    tile, claimed = int(table["meld_tile"][seat, number]), int(table["meld_claimed"][seat, number])
    discarder = int(table["meld_from"][seat, number])
    if table["meld_type"][seat, number] == MELD_CHI:
        for kind in range(tile, tile + 3):
            table["shown"][kind] -= 1
            if kind != claimed:
                gain(table, seat, kind)
    else:
        table["shown"][tile] -= 3
        table["peng"][seat, tile] = 0
        gain(table, seat, tile)
        gain(table, seat, tile)
    table["n_melds"][seat] = number
    table["meld_type"][seat, number] = 0
    table["meld_tile"][seat, number] = 0
    table["meld_claimed"][seat, number] = 0
    table["meld_from"][seat, number] = 0
    copy = int(table["n_discarded"][discarder, claimed]) - 1
    table["claimed"][discarder, claimed] &= 255 - (1 << copy)
    table["shown"][claimed] += 1
