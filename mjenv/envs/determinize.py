"""Re-deal what one seat cannot see (CONTRACTS: `determinize`; rules: common, "What every player knows")."""

from __future__ import annotations

import numpy as np

from mjenv.core.engine import Engine
from mjenv.core.layout import Array, Record
from mjenv.core.table import MELD_CHI, MELD_CONCEALED, PHASE_CALLED
from mjenv.core.tiles import HAND_KINDS, KINDS
from mjenv.envs.bao_tou import draw_bao_tou


def hidden_slots(rules: Record, table: Record) -> Array:
    """Wall indices whose tiles nobody has seen: undrawn ones and those set aside, without the flipped tile."""
    indices = np.arange(int(rules["wall_size"]))
    undrawn = (indices >= int(table["head"])) & (indices <= int(table["tail"]))
    aside = indices >= int(rules["live_end"])
    slots: Array = np.flatnonzero((undrawn | aside) & (indices != int(table["flip"])))
    return slots


def unseen_counts(rules: Record, table: Record, seat: int) -> Array:
    """int64 [42]: copies of each kind that `seat` cannot see."""
    unseen: Array = rules["copies"].astype(np.int64)
    unseen[:HAND_KINDS] = 4 - table["shown"][:HAND_KINDS].astype(np.int64) - table["hand"][seat, :HAND_KINDS]
    unseen[HAND_KINDS:] -= table["bonus"][:, HAND_KINDS:KINDS].sum(axis=0, dtype=np.int64)
    if rules["hidden_gangs"]:
        for number in range(int(table["n_melds"][seat])):
            if table["meld_type"][seat, number] == MELD_CONCEALED:
                unseen[int(table["meld_tile"][seat, number])] -= 4
    return unseen


def _redeal_gangs(rules: Record, table: Record, seat: int, unseen: Array, rng: np.random.Generator) -> None:
    """Face-down gangs of other seats become any kind of which `seat` sees no copy."""
    if not rules["hidden_gangs"]:
        return
    for other in range(4):
        for number in range(int(table["n_melds"][other])):
            if other != seat and table["meld_type"][other, number] == MELD_CONCEALED:
                kind = int(rng.choice(np.flatnonzero(unseen[:HAND_KINDS] == 4)))
                table["meld_tile"][other, number] = kind
                table["meld_claimed"][other, number] = kind
                unseen[kind] -= 4


def redeal(engine: Engine, seat: int, seed: int) -> None:
    """Deal the tiles that `seat` cannot see anew, in place, and re-open the window it is in.

    Every deal that fits what the seat knows is equally likely, but for the hands of seats that have just floated: they
    are bao-tou by construction. A deal that leaves the seat to act without a legal action (Fuzhou: nothing to discard
    but golds and the called kind) cannot have been, and is dealt again.
    """
    rng = np.random.default_rng(seed)
    record = engine.tables.view(np.uint8)  # numpy copies structured records field by field
    before = record.copy()
    while True:
        _deal_hidden(engine.rules.record[0], engine.tables[0], seat, rng)
        engine.reopen(seat)
        if engine.out.seat[0] < 0 or engine.mask[0].any():
            return
        record[:] = before


def _called_tiles(table: Record, seat: int) -> Array:
    """int64 [34]: the seat's own tiles in the meld that it has just claimed."""
    number = int(table["n_melds"][seat]) - 1
    tile = int(table["meld_tile"][seat, number])
    run = table["meld_type"][seat, number] == MELD_CHI
    tiles = np.bincount([tile, tile + 1, tile + 2] if run else [tile] * 3, minlength=HAND_KINDS)
    tiles[int(table["meld_claimed"][seat, number])] -= 1
    return tiles


def _deal_bao_tou(
    rules: Record, table: Record, seat: int, unseen: Array, waiting: int, rng: np.random.Generator
) -> None:
    """Deal a seat whose last discard was a float, out of `unseen`; each of `waiting` more such seats needs a wild too.

    The hand was bao-tou after that discard: since then the seat may have drawn one tile, or used two in a call.
    """
    wild, n_melds = int(table["major"]), int(table["n_melds"][seat])
    used = np.zeros(HAND_KINDS, np.int64)
    if table["phase"] == PHASE_CALLED and int(table["turn"]) == seat:
        used, n_melds = _called_tiles(table, seat), n_melds - 1
    most_wilds = int(unseen[wild] + used[wild]) - waiting
    hand = draw_bao_tou(rules, n_melds, unseen + used, wild, most_wilds, used, rng) - used
    unseen -= hand
    if hand.sum() < int(table["held"][seat]):
        free = unseen.copy()
        free[wild] -= waiting
        drawn = int(rng.choice(np.repeat(np.arange(HAND_KINDS), free)))
        hand[drawn] += 1
        unseen[drawn] -= 1
        table["drawn"] = drawn
    table["hand"][seat, :HAND_KINDS] = hand


def _deal_hidden(rules: Record, table: Record, seat: int, rng: np.random.Generator) -> None:
    unseen = unseen_counts(rules, table, seat)
    _redeal_gangs(rules, table, seat, unseen, rng)
    others = [other for other in range(4) if other != seat]
    floated = [other for other in others if table["floats"][other] > 0]
    for number, other in enumerate(floated):
        _deal_bao_tou(rules, table, other, unseen[:HAND_KINDS], len(floated) - 1 - number, rng)
    is_bonus = rules["bonus"] != 0
    pool = rng.permutation(np.repeat(np.arange(KINDS), unseen * ~is_bonus))
    dealt = 0
    for other in others:
        if table["floats"][other] == 0:
            size = int(table["held"][other])
            table["hand"][other, :HAND_KINDS] = np.bincount(pool[dealt : dealt + size], minlength=HAND_KINDS)
            dealt += size
    rest = np.concatenate([pool[dealt:], np.repeat(np.arange(KINDS), unseen * is_bonus)])
    table["wall"][hidden_slots(rules, table)] = rng.permutation(rest)
    turn = int(table["turn"])
    if turn != seat and turn not in floated and table["drawn"] >= 0:
        table["drawn"] = rng.choice(np.repeat(np.arange(HAND_KINDS), table["hand"][turn, :HAND_KINDS]))
