"""Who pays: every other seat, one seat alone, or every other seat by its own count of doublings."""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.jit import jit


@jit
def pay_all(win: Record, amount: int) -> None:
    """Each of the three other seats pays `amount` to the winner."""
    for seat in range(4):
        win["payments"][seat] = -amount
    win["payments"][int(win["seat"])] = 3 * amount


@jit
def pay_alone(win: Record, amount: int) -> None:
    """The discarder, or the seat that was robbed, pays `amount` to the winner."""
    for seat in range(4):
        win["payments"][seat] = 0
    win["payments"][int(win["from_seat"])] = -amount
    win["payments"][int(win["seat"])] = amount


@jit
def pay_dealer_double(win: Record, amount: int) -> None:
    """Each other seat pays `amount` to the winner, the dealer twice as much."""
    winner, dealer = int(win["seat"]), int(win["dealer"])
    received = 0
    for seat in range(4):
        share = 2 * amount if seat == dealer else amount
        if seat != winner:
            win["payments"][seat] = -share
            received += share
    win["payments"][winner] = received


@jit
def pay_by_throws(win: Record, amount: int) -> None:
    """Each other seat pays `amount`, doubled once for every wild that it has thrown."""
    winner = int(win["seat"])
    received = 0
    for seat in range(4):
        share = amount << int(win["thrown"][seat])
        if seat != winner:
            win["payments"][seat] = -share
            received += share
    win["payments"][winner] = received
