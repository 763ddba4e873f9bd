"""One observation row taken apart: what a rule-based player knows, in the shape the hand arithmetic wants."""

from __future__ import annotations

import numpy as np

from mjenv.core.channels import observation_layout
from mjenv.core.layout import Array, Field, Record, record_dtype
from mjenv.core.shapes import NINE_ONE, POWER, SUIT_OF
from mjenv.core.tiles import HAND_KINDS, HONORS, ROW
from mjenv.jit import jit

LAYOUT = observation_layout("planes")
_HAND, _MAJOR, _MINOR = LAYOUT.plane("own_hand_1"), LAYOUT.plane("major_wild"), LAYOUT.plane("minor_wild")
_PENDING, _UNSEEN = LAYOUT.plane("pending"), LAYOUT.plane("unseen")
_CHI, _PENG, _CONCEALED = (LAYOUT.plane(f"own_{name}") for name in ("chi_low", "peng", "concealed_gang"))

FLOAT, CLAIM = LAYOUT.scalar("decides_float"), LAYOUT.scalar("decides_claim")

VIEW = record_dtype(
    (
        Field("hand", "u1", (ROW,), "concealed tiles by kind, wilds included"),
        Field("row", "u1", (ROW,), "the same without wilds"),
        Field("unseen", "u1", (ROW,), "copies of each kind that this seat cannot see"),
        Field("is_wild", "u1", (ROW,), "1 for wild kinds"),
        Field("peng", "u1", (ROW,), "1 where an own peng lies open"),
        Field("after", "i1", (ROW,), "scratch: shanten after each discard"),
        Field("width", "u2", (ROW,), "scratch: useful unseen tiles after each discard"),
        Field("drawn_words", "u2", (ROW,), "scratch: suit words after each draw"),
        Field("key", "i4", (4,), "suit keys of `row`"),
        Field("wilds", "u1", (), "wilds in hand"),
        Field("melds", "u1", (), "own melds"),
        Field("runs", "u1", (), "own melds that are runs"),
        Field("meld_kinds", "i8", (), "bit per kind that lies in an own meld"),
        Field("forms", "u1", (), "win forms that the own melds allow"),
        Field("tile", "i1", (), "the tile that may be claimed or robbed, or -1"),
        Field("best", "f8", (ROW,), "scratch: worth of the best route after each discard"),
        Field("danger", "f8", (ROW,), "points that each discard may cost"),
        Field("rival_total", "f8", (), "total of a rival's win (Yugan)"),
        Field("weights", "f8", (4,), "scratch: where a rival collects"),
        Field("rest", "f8", (ROW,), "scratch: summed worth of all routes after each discard"),
        Field("triplets", "i8", (), "bit per kind of an own peng or gang"),
        Field("claimed", "i8", (), "own melds that were claimed from others"),
        Field("open_gangs", "i8", (), "own gangs that were claimed or added"),
        Field("closed_gangs", "i8", (), "own concealed gangs"),
        Field("turns", "i8", (), "own draws still to come if nobody calls"),
        Field("hidden", "i8", (), "tiles that this seat cannot see"),
        Field("flowers", "i8", (), "bit per exposed f1-f4 g1-g4"),
        Field("bonus", "i8", (), "own exposed bonus tiles"),
        Field("seat_wind", "i8", (), "0-3 for E S W N"),
        Field("round_wind", "i8", (), "0-3 for E S W N"),
        Field("streak", "i8", (), "hands in a row that the dealer has kept the deal"),
        Field("gang_run", "i8", (), "gangs in a row of the seat in turn"),
        Field("replaced", "i8", (), "1: the turn began with a gang replacement"),
        Field("floats", "i8", (), "own float count"),
        Field("drawn", "i8", (), "the tile just drawn, or -1"),
        Field("major", "i8", (), "the wild kind, or -1"),
        Field("minor", "i8", (), "the second wild kind, or -1"),
        Field("thrown", "i8", (), "wilds that this seat has thrown"),
        Field("spirits", "i8", (), "raw spirit bonus of the own hand and melds (Yugan)"),
        Field("rival_shows", "i8", (), "1: a rival's meld shows a Spirit (Yugan)"),
        Field("payers", "i8", (), "usual payments that a win brings, throws of the others included (Yugan)"),
    ),
    {"words": "row"},
)
"""One decision as its seat sees it: a record, since Numba counts references to plain arrays at every call."""


@jit
def _read_melds(planes: Array, view: Record) -> None:
    runs, melds, kinds = 0, 0, 0
    for kind in range(HAND_KINDS):
        chis = int(planes[_CHI, kind]) + int(planes[_CHI + 1, kind]) + int(planes[_CHI + 2, kind])
        alike = 0
        for plane in range(_PENG, _CONCEALED + 1):
            alike += int(planes[plane, kind])
        view["peng"][kind] = planes[_PENG, kind]
        if chis:
            kinds |= 7 << kind
        if alike:
            kinds |= 1 << kind
        runs += chis
        melds += chis + alike
    view["runs"], view["melds"], view["meld_kinds"] = runs, melds, kinds


@jit
def _open_forms(forms: int, runs: int, meld_kinds: int) -> int:
    """The win forms that melds allow: `nine_one` wants terminals and honors in them."""
    if forms & NINE_ONE:
        for kind in range(HONORS):
            if meld_kinds >> kind & 1 and 0 < kind % 9 < 8:
                return forms & ~NINE_ONE
        if runs:
            return forms & ~NINE_ONE
    return forms


@jit
def read_view(planes: Array, rules: Record, view: Record) -> None:
    """Fill `view` from `planes` uint8 [C, 34]."""
    for suit in range(4):
        view["key"][suit] = 0
    wilds, tile = 0, -1
    for kind in range(HAND_KINDS):
        held = 0
        for plane in range(_HAND, _HAND + 4):
            held += int(planes[plane, kind])
        wild = int(planes[_MAJOR, kind]) | int(planes[_MINOR, kind])
        real = 0 if wild else held
        wilds += held - real
        view["hand"][kind] = held
        view["row"][kind] = real
        view["is_wild"][kind] = wild
        view["unseen"][kind] = planes[_UNSEEN, kind]
        view["key"][SUIT_OF[kind]] += real * POWER[kind]
        if planes[_PENDING, kind]:
            tile = kind
    view["wilds"], view["tile"] = wilds, tile
    _read_melds(planes, view)
    view["forms"] = _open_forms(int(rules["forms"]), int(view["runs"]), int(view["meld_kinds"]))


@jit
def take(view: Record, kind: int, copies: int) -> None:
    """Take tiles of a kind out of the hand; a negative number puts them back.

    Rows change by words, since bytes just stored cannot be read again at another width without a long wait.
    """
    view["hand"][kind] = int(view["hand"][kind]) - copies
    if view["is_wild"][kind]:
        view["wilds"] = int(view["wilds"]) - copies
    else:
        view["words"][kind >> 3] = np.uint64(int(view["words"][kind >> 3]) - (copies << 8 * (kind & 7)))
        view["key"][SUIT_OF[kind]] -= copies * POWER[kind]
