"""The action mask and the decision of the seat to act."""

from __future__ import annotations

import numpy as np

from mjenv.core.actions import (
    CHI_LOW,
    GANG,
    HU,
    OFFER_CHI_LOW,
    OFFER_GANG,
    OFFER_HU,
    OFFER_PENG,
    OWN_GANG,
    PASS,
    PENG,
)
from mjenv.core.layout import Array, Record
from mjenv.core.table import (
    DECIDE_CLAIM,
    DECIDE_DISCARD,
    DECIDE_DRAW_ONLY,
    DECIDE_FLOAT,
    DECIDE_NONE,
    DECIDE_OPENING,
    DECIDE_ROB,
    PHASE_CALLED,
    PHASE_CLAIM,
    PHASE_DRAW_ONLY,
    PHASE_OPENING,
    PHASE_OWN,
    PHASE_ROB,
)
from mjenv.core.tiles import HAND_KINDS
from mjenv.core.turns import may_gang
from mjenv.jit import jit

BYTES = np.uint64(0x0101010101010101)
SEVEN = np.uint64(7)


@jit
def decision_of(table: Record) -> int:
    """DECIDE_...: what the seat to act decides, DECIDE_NONE if nobody is to act."""
    phase = int(table["phase"])
    if phase == PHASE_OWN:
        return DECIDE_FLOAT if table["float_open"] else DECIDE_DISCARD
    if phase == PHASE_CALLED:
        return DECIDE_DISCARD
    if phase == PHASE_CLAIM:
        return DECIDE_CLAIM
    if phase == PHASE_ROB:
        return DECIDE_ROB
    if phase == PHASE_OPENING:
        return DECIDE_OPENING
    return DECIDE_DRAW_ONLY if phase == PHASE_DRAW_ONLY else DECIDE_NONE


@jit
def _allow_discards(rules: Record, table: Record, seat: int, mask: Array, words: Array) -> None:
    hand = table["hand_words"][seat]
    for word in range(5):
        words[word] = ((hand[word] + np.uint64(127) * BYTES) >> SEVEN) & BYTES
    if table["barred"] >= 0:
        mask[int(table["barred"])] = 0
    if rules["wild_locked"]:
        mask[int(table["major"])] = 0


@jit
def _allow_own_gangs(rules: Record, table: Record, seat: int, mask: Array) -> None:
    hand, peng = table["hand"][seat], table["peng"][seat]
    quads = np.uint64(0)
    for word in range(5):
        quads |= (table["hand_words"][seat, word] + np.uint64(124) * BYTES) & (np.uint64(128) * BYTES)
        quads |= table["peng_words"][seat, word]
    if quads == 0:
        return
    for kind in range(HAND_KINDS):
        may_use = not (rules["wild_locked"] and table["is_wild"][kind])
        if may_use and (hand[kind] == 4 or (peng[kind] and hand[kind] > 0)):
            mask[OWN_GANG + kind] = 1


@jit
def _allow_offers(offers: int, mask: Array) -> None:
    mask[PASS] = 1
    mask[HU] = offers & OFFER_HU
    mask[GANG] = (offers & OFFER_GANG) // OFFER_GANG
    mask[PENG] = (offers & OFFER_PENG) // OFFER_PENG
    for position in range(3):
        mask[CHI_LOW + position] = (offers // (OFFER_CHI_LOW << position)) & 1


@jit
def write_mask(rules: Record, table: Record, mask: Array, words: Array) -> None:
    """Write the legal actions of the seat to act, all zero if nobody is to act.

    `mask` uint8 [80] and `words` uint64 [10] are the same memory.
    """
    for word in range(10):
        words[word] = 0
    phase, seat = int(table["phase"]), int(table["seat"])
    if seat < 0:
        return
    if phase == PHASE_OWN or phase == PHASE_CALLED:
        _allow_discards(rules, table, seat, mask, words)
        if phase == PHASE_CALLED:
            mask[HU] = table["kept_hu"]
        else:
            mask[HU] = int(table["offer"][seat]) & OFFER_HU
            if may_gang(rules, table):
                _allow_own_gangs(rules, table, seat, mask)
    else:
        _allow_offers(int(table["offer"][seat]), mask)
