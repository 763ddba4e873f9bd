"""Fuzhou: what lines and specials a hand can still bring."""

from __future__ import annotations

from agents.rulebased.chance import ANY
from agents.rulebased.routes import EVERYWHERE, SETS, add_route, is_made, kinds_in
from mjenv.core.layout import Array, Record
from mjenv.core.suits import Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit
from mjenv.variants.fuzhou import CONCEALED_POINTS, EXPOSED_POINTS, SPECIAL_POINTS, STREAK_POINTS

_FLUSH, _GOLD_PAIR, _PING_HU = SPECIAL_POINTS + 1, SPECIAL_POINTS + 2, SPECIAL_POINTS + 4
OWN_SHARE = 0.3
"""How often the last tile is drawn: that doubles the lines."""
PAYERS = 3.0


@jit
def count_lines(rules: Record, view: Record) -> int:
    """The lines of a win: base, streak, bonus tiles, golds and gangs."""
    option = rules["option"]
    lines = 1 + int(view["bonus"]) + int(view["wilds"])
    lines += int(view["open_gangs"]) * int(option[EXPOSED_POINTS])
    lines += int(view["closed_gangs"]) * int(option[CONCEALED_POINTS])
    if view["seat_wind"] == 0:
        lines += int(view["streak"]) * int(option[STREAK_POINTS])
    return lines


@jit
def is_plain(view: Record) -> bool:
    """Whether the hand has neither bonus tiles nor gangs."""
    return int(view["bonus"]) + int(view["open_gangs"]) + int(view["closed_gangs"]) == 0


@jit
def list_fuzhou_routes(rules: Record, view: Record, routes: Array) -> int:
    """Any five sets; one suit; and with two golds, the golds as the pair."""
    lines, option = count_lines(rules, view), rules["option"]
    ping = int(option[_PING_HU]) if is_plain(view) else 0
    pay = 2.0 * lines + ping if ping else (1.0 + OWN_SHARE) * lines
    number = add_route(routes, 0, SETS, EVERYWHERE, 0, 1, 0, ANY, 1, PAYERS * pay)
    for suit in range(3):
        if not int(view["meld_kinds"]) & ~kinds_in(1 << suit):
            pay = 2.0 * lines + int(option[_FLUSH])
            number = add_route(routes, number, SETS, 1 << suit, 0, 1, 0, ANY, 1, PAYERS * pay)
    if view["wilds"] == 2:
        pay = 2.0 * lines + int(option[_GOLD_PAIR])
        number = add_route(routes, number, SETS, EVERYWHERE, 0, 0, 2, ANY, 1, PAYERS * pay)
    return number


@jit
def pay_fuzhou(rules: Record, view: Record, routes: Array, own: bool, sets: int, lut: Lut) -> float:
    """What the complete hand in `view`, of at most two golds, pays now: all three together."""
    lines, option, special = count_lines(rules, view), rules["option"], 0
    kinds = int(view["meld_kinds"])
    for kind in range(HAND_KINDS):
        if view["row"][kind]:
            kinds |= 1 << kind
    for suit in range(3):
        if not kinds & ~kinds_in(1 << suit):
            special = max(special, int(option[_FLUSH]))
    if view["wilds"] == 2 and is_made(view, routes, SETS, EVERYWHERE, 0, 2, sets, lut):
        special = max(special, int(option[_GOLD_PAIR]))
    if is_plain(view):
        special = max(special, int(option[_PING_HU]))
    return PAYERS * ((2.0 if own or special else 1.0) * lines + special)
