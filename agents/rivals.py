"""Rivals' hands that are as far on as hands are by then: a uniform re-deal leaves them as poor as on the first turn."""

from __future__ import annotations

from typing import Any

from agents.protocol import Array
from mjenv.core.layout import Record
from mjenv.core.randomness import below
from mjenv.core.shanten import distance
from mjenv.core.shapes import POWER, SUIT_OF
from mjenv.core.suits import FAR
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit, kernel


@jit
def _shift(table: Record, seat: int, kind: int, by: int) -> None:
    """Give the seat `by` tiles of that kind."""
    table["hand"][seat, kind] += by
    if table["is_wild"][kind]:
        table["wilds"][seat] += by
    else:
        table["real"][seat, kind] += by
        table["key"][seat, int(SUIT_OF[kind])] += by * int(POWER[kind])


@jit
def _shanten(rules: Record, table: Record, seat: int, lut: Any) -> int:
    real, words, key = table["real"][seat], table["real_words"][seat], table["key"][seat]
    wilds, melds = int(table["wilds"][seat]), int(table["n_melds"][seat])
    return distance(real, words, key, wilds, melds, int(rules["sets"]), int(rules["forms"]), lut)


@jit
def _draw_and_throw(rules: Record, table: Record, seat: int, slot: int, lut: Any) -> None:
    """Swap the tile in that place of the wall for the one that leaves the lowest shanten, wilds and wins apart."""
    drawn = int(table["wall"][slot])
    _shift(table, seat, drawn, 1)
    thrown, lowest, first = drawn, FAR, below(table, HAND_KINDS)
    if _shanten(rules, table, seat, lut) >= 0:
        for step in range(HAND_KINDS):
            kind = (first + step) % HAND_KINDS
            if table["real"][seat, kind]:
                _shift(table, seat, kind, -1)
                after = _shanten(rules, table, seat, lut)
                _shift(table, seat, kind, 1)
                if after < lowest:
                    thrown, lowest = kind, after
    _shift(table, seat, thrown, -1)
    table["wall"][slot] = thrown


@kernel
def advance_rivals(rules: Array, tables: Array, slots: Array, lut: Array) -> None:
    """Let every rival of the seat to act improve its hand once for each tile that it has drawn in this hand.

    It swaps with the hidden places of the wall, `slots` int64 [m], the same at all tables; tables roll their own dice.
    Hands of seats that have just floated stay: they are bao-tou already.
    """
    for row in range(len(tables)):
        table = tables[row]
        for step in range(1, 4):
            rival = (int(table["seat"]) + step) & 3
            stays = table["floats"][rival] > 0 or len(slots) == 0
            for _ in range(0 if stays else int(table["draws"][rival])):
                slot = int(slots[below(table, len(slots))])
                if rules[0]["bonus"][int(table["wall"][slot])] == 0:
                    _draw_and_throw(rules[0], table, rival, slot, lut[0])
