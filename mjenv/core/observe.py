"""What one seat may see, written into given rows; `channels` names every entry."""

from __future__ import annotations

import numpy as np

from mjenv.core.channels import PLANE, PLANES, SCALAR, SCORE_LIMIT, SCORE_UNIT
from mjenv.core.layout import Array, Record
from mjenv.core.legal import BYTES, SEVEN, decision_of
from mjenv.core.table import (
    DRAWN_TAIL,
    MELD_CHI,
    MELD_CONCEALED,
    MELD_GANG,
    MELD_PENG,
    PHASE_CALLED,
    PHASE_CLAIM,
    PHASE_OWN,
    PHASE_ROB,
)
from mjenv.core.wall import tail_left
from mjenv.jit import jit

WORDS = 5
N_PLANES = len(PLANES)

_MAJOR, _MINOR, _INDICATOR = PLANE["major_wild"], PLANE["minor_wild"], PLANE["indicator"]
_TURNED_UP, _DRAWN, _PENDING = PLANE["turned_up"], PLANE["drawn"], PLANE["pending"]
_LAST, _BARRED, UNSEEN, _ONES = PLANE["last_discard"], PLANE["barred"], PLANE["unseen"], PLANE["ones"]
_MELDS, _DISCARDS = PLANE["own_chi_low"], PLANE["own_discard_1"]
_CLAIMED, _BONUS = PLANE["own_claimed"], PLANE["own_bonus"]
_PENG, _GANG, _ADDED, _CONCEALED, _FROM, MELD_PLANES = 3, 4, 5, 6, 7, 8

_LEFT, _REPLACEMENTS, _STREAK = SCALAR["left"], SCALAR["replacements"], SCALAR["streak"]
_GANG_RUN, _REPLACEMENT = SCALAR["gang_run"], SCALAR["replacement_turn"]
_SCORE, _HELD, _THROWN, _FLOATS = (SCALAR[f"own_{name}"] for name in ("score", "held", "thrown_wilds", "floats"))
_GANGS, _DEALER, _TURN = SCALAR["own_concealed_gangs"], SCALAR["own_is_dealer"], SCALAR["own_in_turn"]
_LAST_SEAT, _WIND, _DECIDES = SCALAR["own_last_discarder"], SCALAR["round_wind_E"], SCALAR["decides_discard"]
_FLOWERS = SCALAR["own_f1"]
N_SCALARS = len(SCALAR)

FOURS = np.uint64(0x0404040404040404)
LAST_WORD_KINDS = np.uint64(0xFFFF)


@jit
def write_thermometer(source: Array, words: Array, plane: int) -> None:
    """Four planes from a row of counts: at least 1, 2, 3, 4 of each kind."""
    for number in range(4):
        carry = np.uint64(127 - number) * BYTES
        for word in range(WORDS):
            words[(plane + number) * WORDS + word] = ((source[word] + carry) >> SEVEN) & BYTES


@jit
def _copy_plane(source: Array, words: Array, plane: int) -> None:
    for word in range(WORDS):
        words[plane * WORDS + word] = source[word]


@jit
def _write_unseen(table: Record, seat: int, row: Array, words: Array) -> None:
    """Four of each kind less what everybody sees and what this seat holds; bonus kinds that lie face up count too."""
    shown, hand = table["shown_words"], table["hand_words"][seat]
    for word in range(WORDS):
        words[UNSEEN * WORDS + word] = FOURS - shown[word] - hand[word]
        words[_ONES * WORDS + word] = BYTES
    words[UNSEEN * WORDS + WORDS - 1] &= LAST_WORD_KINDS
    words[_ONES * WORDS + WORDS - 1] &= LAST_WORD_KINDS
    for number in range(int(table["n_melds"][seat])):
        if table["meld_type"][seat, number] == MELD_CONCEALED:
            row[UNSEEN * 40 + int(table["meld_tile"][seat, number])] = 0


@jit
def _write_melds(rules: Record, table: Record, seat: int, place: int, row: Array) -> None:
    owner = (seat + place) & 3
    first = _MELDS + MELD_PLANES * place
    for number in range(int(table["n_melds"][owner])):
        meld, tile = int(table["meld_type"][owner, number]), int(table["meld_tile"][owner, number])
        if meld == MELD_CHI:
            row[(first + int(table["meld_claimed"][owner, number]) - tile) * 40 + tile] += 1
            continue
        if meld == MELD_CONCEALED:
            if place == 0 or not rules["hidden_gangs"]:
                row[(first + _CONCEALED) * 40 + tile] = 1
            continue
        plane = _PENG if meld == MELD_PENG else (_GANG if meld == MELD_GANG else _ADDED)
        row[(first + plane) * 40 + tile] = 1
        row[(first + _FROM) * 40 + tile] = (int(table["meld_from"][owner, number]) - owner) & 3


@jit
def _write_planes(rules: Record, table: Record, seat: int, row: Array, words: Array) -> None:
    for word in range(_MAJOR * WORDS, UNSEEN * WORDS):
        words[word] = 0
    for word in range(_MELDS * WORDS, _DISCARDS * WORDS):
        words[word] = 0
    write_thermometer(table["hand_words"][seat], words, 0)
    _write_unseen(table, seat, row, words)
    _copy_plane(table["turned_up_words"], words, _TURNED_UP)
    for place in range(4):
        owner = (seat + place) & 3
        _write_melds(rules, table, seat, place, row)
        for number in range(4):
            _copy_plane(table["order_words"][owner, number], words, _DISCARDS + 4 * place + number)
        _copy_plane(table["claimed_words"][owner], words, _CLAIMED + place)
        _copy_plane(table["bonus_words"][owner], words, _BONUS + place)
        words[(_BONUS + place) * WORDS + WORDS - 1] &= LAST_WORD_KINDS


@jit
def _mark(row: Array, plane: int, kind: int) -> None:
    if kind >= 0:
        row[plane * 40 + kind] = 1


@jit
def _write_marks(table: Record, seat: int, row: Array) -> None:
    """Single tiles: wilds, the flipped one, and what only the seat to act learns."""
    _mark(row, _MAJOR, int(table["major"]))
    _mark(row, _MINOR, int(table["minor"]))
    _mark(row, _INDICATOR, int(table["indicator"]))
    _mark(row, _LAST, int(table["last_discard"]))
    if int(table["seat"]) != seat:
        return
    phase = int(table["phase"])
    if phase == PHASE_OWN or phase == PHASE_CALLED:
        _mark(row, _BARRED, int(table["barred"]))
    elif phase == PHASE_CLAIM or phase == PHASE_ROB:
        _mark(row, _PENDING, int(table["tile"]))


@jit
def _write_scalars(rules: Record, table: Record, seat: int, scalars: Array) -> None:
    for index in range(N_SCALARS):
        scalars[index] = 0.0
    scalars[_LEFT] = int(table["left"]) / 128.0
    scalars[_REPLACEMENTS] = tail_left(rules, table) / 128.0
    scalars[_STREAK] = int(table["streak"]) / 16.0
    scalars[_GANG_RUN] = int(table["gang_run"]) / 4.0
    for place in range(4):
        owner = (seat + place) & 3
        score = min(max(float(table["scores"][owner]), -SCORE_LIMIT), SCORE_LIMIT)
        scalars[_SCORE + place] = score / SCORE_UNIT
        scalars[_HELD + place] = int(table["held"][owner]) / 16.0
        scalars[_THROWN + place] = int(table["thrown"][owner]) / 4.0
        scalars[_FLOATS + place] = int(table["floats"][owner]) / 4.0
        scalars[_GANGS + place] = int(table["n_concealed"][owner]) / 4.0
        for flower in range(8):
            scalars[_FLOWERS + 8 * place + flower] = float(table["bonus"][owner, 34 + flower])
    scalars[_DEALER + ((int(table["dealer"]) - seat) & 3)] = 1.0
    scalars[_TURN + ((int(table["turn"]) - seat) & 3)] = 1.0
    if table["last_discard"] >= 0:
        scalars[_LAST_SEAT + ((int(table["last_discarder"]) - seat) & 3)] = 1.0
    scalars[_WIND + int(table["round_wind"])] = 1.0
    if int(table["seat"]) == seat:
        scalars[_DECIDES + decision_of(table)] = 1.0


@jit
def _write_draw(table: Record, seat: int, row: Array, scalars: Array) -> None:
    """The tile a seat just drew and how: on its own turn, and in a draw-only turn that it is asked about."""
    if int(table["turn"]) == seat and table["drawn"] >= 0:
        _mark(row, _DRAWN, int(table["drawn"]))
        scalars[_REPLACEMENT] = 1.0 if table["drawn_from"] == DRAWN_TAIL else 0.0


@jit
def observe(rules: Record, table: Record, seat: int, row: Array, words: Array, scalars: Array) -> None:
    """Write the facts that `seat` may know.

    `row` uint8 [>= 40 C] and `words` uint64 [>= 5 C] are the same memory, a plane every 40 bytes; `scalars` is
    float32 [>= K].
    """
    _write_planes(rules, table, seat, row, words)
    _write_marks(table, seat, row)
    _write_scalars(rules, table, seat, scalars)
    _write_draw(table, seat, row, scalars)
