"""The planes beyond the facts: a look one move ahead, and everybody's hidden tiles."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import CHI_LOW, GANG, OFFER_CHI_LOW, OFFER_GANG, OFFER_PENG, PENG
from mjenv.core.layout import Array, Record
from mjenv.core.observe import N_PLANES, N_SCALARS, UNSEEN, WORDS, write_thermometer
from mjenv.core.shanten import distance, lookahead
from mjenv.core.table import MELD_CONCEALED, PHASE_CALLED, PHASE_CLAIM, PHASE_OWN
from mjenv.core.tiles import HAND_KINDS
from mjenv.core.wall import gain, lose
from mjenv.core.winning import forms_open
from mjenv.jit import jit

_SHANTEN, _USEFUL, _FLOATS, N_FEATURES = 0, 1, 2, 3
NOT_HELD = 15
NOT_OFFERED = 2.0


@jit
def hand_distance(rules: Record, table: Record, seat: int, melds: int, lut: Any) -> int:
    """Shanten of a seat's concealed tiles with `melds` sets on the table."""
    return distance(
        table["real"][seat],
        table["real_words"][seat],
        table["key"][seat],
        int(table["wilds"][seat]),
        melds,
        int(rules["sets"]),
        forms_open(rules, table, seat),
        lut,
    )


@jit
def _distance_without(rules: Record, table: Record, seat: int, first: int, second: int, third: int, lut: Any) -> int:
    """Shanten after a call that takes own tiles `first`, `second` and, if not -1, `third`."""
    lose(table, seat, first)
    lose(table, seat, second)
    if third >= 0:
        lose(table, seat, third)
    after = hand_distance(rules, table, seat, int(table["n_melds"][seat]) + 1, lut)
    gain(table, seat, first)
    gain(table, seat, second)
    if third >= 0:
        gain(table, seat, third)
    return after


@jit
def _scale(shanten: int) -> float:
    return (shanten + 1) / 8.0


@jit
def _write_claims(rules: Record, table: Record, seat: int, scalars: Array, lut: Any) -> None:
    """What shanten each offered claim leads to."""
    offers, tile = int(table["offer"][seat]), int(table["tile"])
    for position in range(3):
        if offers & (OFFER_CHI_LOW << position):
            lowest = tile - position
            first = lowest + 1 if position == 0 else lowest
            second = lowest + 1 if position == 2 else lowest + 2
            after = _distance_without(rules, table, seat, first, second, -1, lut)
            scalars[N_SCALARS + 1 + position] = _scale(after)
    if offers & OFFER_PENG:
        scalars[N_SCALARS + 1 + PENG - CHI_LOW] = _scale(_distance_without(rules, table, seat, tile, tile, -1, lut))
    if offers & OFFER_GANG:
        scalars[N_SCALARS + 1 + GANG - CHI_LOW] = _scale(_distance_without(rules, table, seat, tile, tile, tile, lut))


@jit
def wild_set(table: Record) -> int:
    """A bit for each kind that is wild now."""
    kinds = 0
    for kind in (int(table["major"]), int(table["minor"])):
        if kind >= 0:
            kinds |= 1 << kind
    return kinds


@jit
def _write_discards(rules: Record, table: Record, seat: int, row: Array, unseen: Array, lut: Any) -> None:
    """For each discard, the shanten and the useful tiles after it, and whether it floats."""
    shanten = table["shanten"]
    useful = row[(N_PLANES + _USEFUL) * 40 : (N_PLANES + _USEFUL + 1) * 40]
    wild_shanten, wild_useful = lookahead(
        table["real"][seat],
        table["real_words"][seat],
        table["key"][seat],
        int(table["wilds"][seat]),
        int(table["n_melds"][seat]),
        int(rules["sets"]),
        forms_open(rules, table, seat),
        unseen,
        wild_set(table),
        table["after_draw"],
        lut,
        shanten,
        useful,
    )
    for kind in range(HAND_KINDS):
        if table["hand"][seat, kind] == 0:
            continue
        after = int(shanten[kind])
        if table["is_wild"][kind]:
            after = wild_shanten
            useful[kind] = wild_useful
            row[(N_PLANES + _FLOATS) * 40 + kind] = table["float_open"]
        row[(N_PLANES + _SHANTEN) * 40 + kind] = min(after + 1, NOT_HELD)


@jit
def add_features(rules: Record, table: Record, seat: int, row: Array, words: Array, scalars: Array, lut: Any) -> None:
    """Append the look-ahead planes and scalars of a seat; they follow from its own view alone."""
    for word in range(N_PLANES * WORDS, (N_PLANES + N_FEATURES) * WORDS):
        words[word] = 0
    for kind in range(HAND_KINDS):
        row[(N_PLANES + _SHANTEN) * 40 + kind] = NOT_HELD
    scalars[N_SCALARS] = _scale(hand_distance(rules, table, seat, int(table["n_melds"][seat]), lut))
    for claim in range(5):
        scalars[N_SCALARS + 1 + claim] = NOT_OFFERED
    if int(table["seat"]) != seat:
        return
    phase = int(table["phase"])
    if phase == PHASE_OWN or phase == PHASE_CALLED:
        _write_discards(rules, table, seat, row, row[UNSEEN * 40 : (UNSEEN + 1) * 40], lut)
    elif phase == PHASE_CLAIM:
        _write_claims(rules, table, seat, scalars, lut)


@jit
def add_oracle(rules: Record, table: Record, seat: int, row: Array, words: Array) -> None:
    """Append what nobody sees: the other hands, their concealed gangs, and the tiles left in the wall."""
    first = N_PLANES
    for word in range(first * WORDS, (first + 16) * WORDS):
        words[word] = 0
    for place in range(1, 4):
        owner = (seat + place) & 3
        write_thermometer(table["hand_words"][owner], words, first + 4 * (place - 1))
        for number in range(int(table["n_melds"][owner])):
            if table["meld_type"][owner, number] == MELD_CONCEALED:
                row[(first + 12 + place - 1) * 40 + int(table["meld_tile"][owner, number])] = 1
    for index in range(int(table["head"]), int(rules["wall_size"])):
        kind = int(table["wall"][index])
        is_left = index <= int(table["tail"]) or index >= int(rules["live_end"])
        if kind < HAND_KINDS and is_left and index != int(table["flip"]):
            row[(first + 15) * 40 + kind] += 1
