"""Claims and robbed gangs: ask every seat that has an option, keep the answers hidden, resolve once."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import (
    GANG,
    HU,
    OFFER_CHI_LOW,
    OFFER_GANG,
    OFFER_HU,
    OFFER_PENG,
    PASS,
    PENG,
)
from mjenv.core.layout import Record
from mjenv.core.melds import lay_chi, lay_gang, lay_peng, mark_claimed, take_from_gang
from mjenv.core.table import (
    DISCARDED,
    EVENT_OUTRANKED,
    EVENT_PASS,
    PHASE_CALLED,
    PHASE_ROB,
    ROBBED_GANG,
    TODO_ASK,
    TODO_DRAW,
    TODO_DRAW_ONLY,
    TODO_REPLACE,
    TODO_WIN,
)
from mjenv.core.tiles import HONORS
from mjenv.core.turns import may_gang, plan
from mjenv.core.wall import record_event
from mjenv.core.winning import fill_win, may_win_on
from mjenv.jit import jit


@jit
def _has(rules: Record, table: Record, seat: int, kind: int) -> bool:
    """Whether the seat holds a tile of that kind that it may use in a call."""
    held = table["real"] if rules["wild_locked"] else table["hand"]
    return bool(held[seat, kind] > 0)


@jit
def _may_discard_after(rules: Record, table: Record, seat: int, own_copies: int) -> bool:
    """Whether a call that takes `own_copies` of the called kind out of the hand leaves a legal discard."""
    tile = int(table["tile"])
    left = int(table["held"][seat]) - 2
    if rules["wild_locked"]:
        left -= int(table["wilds"][seat])
    if rules["bar_called"]:
        left -= int(table["hand"][seat, tile]) - own_copies
    return left > 0


@jit
def _chi_offers(rules: Record, table: Record, seat: int) -> int:
    tile = int(table["tile"])
    if tile >= HONORS or not _may_discard_after(rules, table, seat, 0):
        return 0
    rank = tile % 9
    offers = 0
    for position in range(3):
        lowest = tile - position
        if rank - position < 0 or rank - position > 6:
            continue
        first = lowest + 1 if position == 0 else lowest
        second = lowest + 1 if position == 2 else lowest + 2
        if _has(rules, table, seat, first) and _has(rules, table, seat, second):
            offers |= OFFER_CHI_LOW << position
    return offers


@jit
def _call_offers(rules: Record, table: Record, seat: int) -> int:
    """OFFER_... bits of the melds that the seat may make with the pending discard."""
    tile = int(table["tile"])
    is_wild = table["is_wild"][tile] != 0
    offers = 0
    if not (is_wild and rules["wild_locked"]):
        count = int(table["hand"][seat, tile])
        if count >= 2 and _may_discard_after(rules, table, seat, 2):
            offers |= OFFER_PENG
        if count >= 3 and may_gang(rules, table):
            offers |= OFFER_GANG
        if seat == (int(table["turn"]) + 1) & 3 and (rules["chi_wild"] or not is_wild):
            offers |= _chi_offers(rules, table, seat)
    return offers


@jit
def open_window(rules: Record, table: Record, phase: int, lut: Any) -> None:
    """Work out what the three other seats may do with the pending tile; nobody is asked yet."""
    is_rob = phase == PHASE_ROB
    may_hu = is_rob or rules["hu_on_discard"] != 0
    may_claim = rules["claims_on_last"] != 0 or table["left"] > 0
    table["offer"][int(table["turn"])] = 0
    for step in range(1, 4):
        seat = (int(table["turn"]) + step) & 3
        offers = 0
        if may_claim:
            offers = 0 if is_rob else _call_offers(rules, table, seat)
            if may_hu and may_win_on(rules, table, seat, ROBBED_GANG if is_rob else DISCARDED, lut):
                offers |= OFFER_HU
        table["offer"][seat] = offers
        table["answer"][seat] = PASS
    table["phase"] = phase
    table["asked"] = 0
    table["todo"] = TODO_ASK


@jit
def _is_unasked(table: Record, seat: int) -> bool:
    return table["offer"][seat] != 0 and not (int(table["asked"]) >> seat) & 1


@jit
def _next_unasked(table: Record) -> int:
    """The next seat with an option that was not asked yet, or -1."""
    first = int(table["ask_first"]) - 1
    if first >= 0 and _is_unasked(table, first):
        return first
    for step in range(1, 4):
        seat = (int(table["turn"]) + step) & 3
        if _is_unasked(table, seat):
            return seat
    return -1


@jit
def ask_next(rules: Record, table: Record) -> None:
    """Ask the next seat that has an option, or resolve the window when all have answered."""
    seat = _next_unasked(table)
    if seat >= 0:
        table["asked"] = int(table["asked"]) | 1 << seat
        table["seat"] = seat
        return
    winner = _strongest(table)
    _record_answers(table, winner)
    if table["phase"] == PHASE_ROB:
        _resolve_rob(table, winner)
    else:
        _resolve_claim(rules, table, winner)


@jit
def _rank(action: int) -> int:
    if action == HU:
        return 3
    if action == PENG or action == GANG:
        return 2
    return 0 if action == PASS else 1


@jit
def _strongest(table: Record) -> int:
    """The seat whose answer takes the tile, or -1: hu, then gang and peng, then chi; the nearest among equals."""
    best, winner = 0, -1
    for step in range(1, 4):
        seat = (int(table["turn"]) + step) & 3
        if table["offer"][seat] and _rank(int(table["answer"][seat])) > best:
            best, winner = _rank(int(table["answer"][seat])), seat
    return winner


@jit
def _record_answers(table: Record, winner: int) -> None:
    for step in range(1, 4):
        seat = (int(table["turn"]) + step) & 3
        if not table["offer"][seat] or seat == winner:
            continue
        if table["answer"][seat] == PASS:
            record_event(table, EVENT_PASS, seat, int(table["tile"]), int(table["offer"][seat]))
        else:
            record_event(table, EVENT_OUTRANKED, seat, int(table["tile"]), int(table["answer"][seat]))


@jit
def _resolve_claim(rules: Record, table: Record, winner: int) -> None:
    discarder, tile = int(table["turn"]), int(table["tile"])
    if winner < 0:
        draws_only = int(table["left"]) <= int(rules["draw_only_at"])
        plan(table, TODO_DRAW_ONLY if draws_only else TODO_DRAW, (discarder + 1) & 3)
        return
    action = int(table["answer"][winner])
    if action == HU:
        fill_win(table, winner, DISCARDED, tile, discarder, -1)
        table["todo"] = TODO_WIN
        return
    mark_claimed(table, discarder, tile)
    table["gang_run"] = 0
    if action == GANG:
        lay_gang(table, winner, tile, discarder)
        plan(table, TODO_REPLACE, winner)
        return
    if action == PENG:
        lay_peng(table, winner, tile, discarder)
    else:
        lay_chi(table, winner, action, tile, discarder)
    _begin_called_turn(rules, table, winner)


@jit
def _begin_called_turn(rules: Record, table: Record, seat: int) -> None:
    """After chi or peng: a discard and nothing else, save a hu that Fuzhou keeps open."""
    table["phase"] = PHASE_CALLED
    table["kept_hu"] = 1 if rules["keep_hu"] and int(table["offer"][seat]) & OFFER_HU else 0
    table["seat"] = seat
    table["turn"] = seat
    table["barred"] = table["tile"] if rules["bar_called"] else -1
    table["tile"] = -1
    table["drawn"] = -1
    table["float_open"] = 0


@jit
def _resolve_rob(table: Record, winner: int) -> None:
    declarer, tile = int(table["turn"]), int(table["tile"])
    if winner < 0:
        table["todo"] = TODO_REPLACE
        return
    take_from_gang(table, declarer, tile)
    fill_win(table, winner, ROBBED_GANG, tile, declarer, -1)
    table["todo"] = TODO_WIN
