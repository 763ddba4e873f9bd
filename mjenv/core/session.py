"""Between hands: payments into scores, the next dealer, and when an episode ends (rules: "Session")."""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.core.rules import DEAL_FIXED, DEAL_KEPT, DEAL_ROTATES, DEAL_TO_WINNER
from mjenv.core.table import (
    EPISODE_GAME,
    EPISODE_HAND,
    EVENT_END,
    GOING,
    MAX_STREAK,
    PHASE_HAND_OVER,
    PHASE_OVER,
    REASON_HU,
    TERMINATED,
    TRUNCATED,
)
from mjenv.core.wall import record_event
from mjenv.jit import jit


@jit
def _is_kept(rules: Record, table: Record, winner: int) -> bool:
    """Whether the dealer keeps the deal; `winner` is -1 after a drawn hand."""
    if rules["deal_moves"] == DEAL_FIXED or rules["deal_moves"] == DEAL_ROTATES:
        return False
    limit = int(rules["max_continuations"])
    if limit > 0 and int(table["streak"]) >= limit:
        return False
    return rules["keeps_on_draw"] != 0 if winner < 0 else winner == int(table["dealer"])


@jit
def _pass_deal(rules: Record, table: Record, winner: int) -> None:
    dealer = int(table["dealer"])
    if _is_kept(rules, table, winner):
        table["next_dealer"] = dealer
        table["next_streak"] = min(int(table["streak"]) + 1, MAX_STREAK)
        return
    table["next_streak"] = 0
    table["passes"] += 1
    if rules["deal_moves"] == DEAL_KEPT or rules["deal_moves"] == DEAL_ROTATES:
        table["next_dealer"] = (dealer + 1) & 3
    elif rules["deal_moves"] == DEAL_TO_WINNER:
        table["next_dealer"] = winner
    else:
        table["next_dealer"] = dealer


@jit
def _is_complete(rules: Record, table: Record, hands: int) -> bool:
    """Whether the episode has run its course after `hands` hands."""
    if table["episode"] == EPISODE_HAND:
        return True
    rounds = 1
    if table["episode"] == EPISODE_GAME:
        if rules["game_hands"] > 0:
            return hands >= int(rules["game_hands"])
        rounds = int(rules["game_rounds"])
    if rules["round_hands"] > 0:
        return hands >= rounds * int(rules["round_hands"])
    return int(table["passes"]) >= 4 * rounds


@jit
def end_hand(rules: Record, table: Record, reason: int) -> None:
    """Close the hand: pay, decide the next dealer, and whether the episode is over."""
    won = reason == REASON_HU
    for seat in range(4):
        points = int(table["win"]["payments"][seat]) if won else 0
        table["points"][seat] = points
        table["scores"][seat] += points
    _pass_deal(rules, table, int(table["win"]["seat"]) if won else -1)
    table["reason"] = reason
    record_event(table, EVENT_END, 0, 0, reason)
    hands = int(table["hand_number"]) + 1
    if _is_complete(rules, table, hands):
        table["done"] = TERMINATED
    elif table["max_hands"] > 0 and hands >= int(table["max_hands"]):
        table["done"] = TRUNCATED
    table["phase"] = PHASE_HAND_OVER if table["done"] == GOING else PHASE_OVER
    table["seat"] = -1


@jit
def enter_next_hand(rules: Record, table: Record) -> None:
    """Move dealer, streak, hand number and, after the fourth dealer, the round wind."""
    if rules["wind_moves"] and table["next_streak"] == 0 and table["passes"] % 4 == 0:
        table["round_wind"] = (int(table["round_wind"]) + 1) % 4
    table["dealer"] = table["next_dealer"]
    table["streak"] = table["next_streak"]
    table["hand_number"] += 1
    table["wall_given"] = 0
    table["roll_given"] = 0


@jit
def new_episode(rules: Record, table: Record, game: int) -> None:
    """Set a table to the start of game `game` with default scores and dealer."""
    table["game"] = game
    table["hand_number"] = 0
    table["decisions"] = 0
    table["passes"] = 0
    table["done"] = GOING
    table["dealer"] = 0
    table["streak"] = 0
    table["round_wind"] = 0
    table["random_dealer"] = 0
    table["wall_given"] = 0
    table["roll_given"] = 0
    for seat in range(4):
        table["scores"][seat] = rules["start_score"]
