"""Yugan: Spirits held pay by themselves, a Major beside the last tile pays double the base, one suit doubles all."""

from __future__ import annotations

from agents.rulebased.chance import ANY, EVERY
from agents.rulebased.routes import EVERYWHERE, PAIRS, SCATTERED, SETS, TERMINALS, add_route, is_made, kinds_in
from agents.rulebased.spirits import spirit_bonus
from agents.rulebased.view import take
from mjenv.core.layout import Array, Record
from mjenv.core.shapes import NINE_ONE, POWER, SUIT_OF
from mjenv.core.suits import Lut
from mjenv.jit import jit
from mjenv.variants.yugan import BASIC, CONCEALED_FAN, EXPOSED_FAN, FLUSH_FACTOR, NINE, ORPHANS
from mjenv.variants.yugan import PAIRS as PAIRS_ITEM


@jit
def gang_bonus(rules: Record, view: Record) -> float:
    """What the gangs laid down add."""
    option = rules["option"]
    opened, closed = int(view["open_gangs"]), int(view["closed_gangs"])
    return float(opened * int(option[EXPOSED_FAN]) + closed * int(option[CONCEALED_FAN]))


@jit
def has_major(view: Record) -> bool:
    """Whether a Major Spirit is in hand."""
    return int(view["major"]) >= 0 and int(view["hand"][int(view["major"])]) > 0


@jit
def list_yugan_routes(rules: Record, view: Record, routes: Array) -> int:
    """Every shape, in one suit or not; and with a Major, sets or pairs complete beside it, which any tile wins."""
    option, status, payers = rules["option"], 1 if view["spirits"] else 0, int(view["payers"])
    extra = spirit_bonus(view) + gang_bonus(rules, view)
    bound = has_major(view)
    pay = payers * (int(option[BASIC + status]) + extra)
    pay_bound = payers * (int(option[BASIC + 2]) + extra)
    number = add_route(routes, 0, SETS, EVERYWHERE, 0, 1, 0, ANY, 1, pay)
    if bound:
        number = add_route(routes, number, SETS, EVERYWHERE, 0, 0, 1, EVERY, 1, pay_bound)
    flush = int(option[FLUSH_FACTOR])
    for suit in range(3):
        if not int(view["meld_kinds"]) & ~kinds_in(1 << suit):
            number = add_route(routes, number, SETS, 1 << suit, 0, 1, 0, ANY, 1, flush * pay)
            if bound:
                number = add_route(routes, number, SETS, 1 << suit, 0, 0, 1, EVERY, 1, flush * pay_bound)
    if int(view["forms"]) & NINE_ONE:
        pay = payers * (int(option[NINE + status]) + extra)
        number = add_route(routes, number, TERMINALS, EVERYWHERE, 0, 1, 0, ANY, 1, pay)
    if view["melds"] == 0:
        pay = payers * (int(option[ORPHANS + status]) + extra)
        number = add_route(routes, number, SCATTERED, EVERYWHERE, 0, 1, 0, ANY, 0, pay)
        pay = payers * (int(option[PAIRS_ITEM + status]) + extra)
        number = add_route(routes, number, PAIRS, EVERYWHERE, 0, 7, 0, ANY, 0, pay)
        if bound:
            pay = payers * (int(option[PAIRS_ITEM + 2]) + extra)
            number = add_route(routes, number, PAIRS, EVERYWHERE, 0, 6, 1, EVERY, 0, pay)
    return number


@jit
def take_last(view: Record, last: int, own: bool, copies: int) -> None:
    """Take the winning tile out, or with `copies` -1 put it back: one from another seat stands for itself."""
    if own:
        take(view, last, copies)
    else:
        view["row"][last] = int(view["row"][last]) - copies
        view["key"][SUIT_OF[last]] -= copies * POWER[last]


@jit
def pay_yugan(rules: Record, view: Record, routes: Array, last: int, own: bool, sets: int, lut: Lut) -> float:
    """What the complete hand in `view` pays now, its `last` tile included, from all three together.

    Bound is judged before that tile: with a Major spared the rest is sets or pairs, so the tile joins it in a pair; a
    Major drawn may join any tile that is left over.
    """
    option, status, bound = rules["option"], 1 if view["spirits"] else 0, has_major(view)
    base, factor = 0, 1
    if is_made(view, routes, SETS, EVERYWHERE, 1, 0, sets, lut):
        base = int(option[BASIC + status])
        for suit in range(3):
            inside = not int(view["meld_kinds"]) & ~kinds_in(1 << suit)
            if inside and is_suit_only(view, suit):
                factor = int(option[FLUSH_FACTOR])
    if int(view["forms"]) & NINE_ONE and is_made(view, routes, TERMINALS, EVERYWHERE, 1, 0, sets, lut):
        base = max(base, int(option[NINE + status]))
    if view["melds"] == 0:
        if is_made(view, routes, SCATTERED, EVERYWHERE, 1, 0, sets, lut):
            base = max(base, int(option[ORPHANS + status]))
        if is_made(view, routes, PAIRS, EVERYWHERE, 7, 0, sets, lut):
            base = max(base, int(option[PAIRS_ITEM + status]))
    if bound and last >= 0:
        spared = 0 if last == view["major"] and own else 1
        take_last(view, last, own, 1)
        if is_made(view, routes, SETS, EVERYWHERE, 0, spared, sets, lut):
            base = max(base, int(option[BASIC + 2]))
        if view["melds"] == 0 and is_made(view, routes, PAIRS, EVERYWHERE, 6, spared, sets, lut):
            base = max(base, int(option[PAIRS_ITEM + 2]))
        take_last(view, last, own, -1)
    return int(view["payers"]) * factor * (base + spirit_bonus(view) + gang_bonus(rules, view))


@jit
def is_suit_only(view: Record, suit: int) -> bool:
    """Whether all real tiles in hand are of one suit."""
    for other in range(4):
        if other != suit and view["key"][other]:
            return False
    return True
