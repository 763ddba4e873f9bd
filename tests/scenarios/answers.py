"""What a player does in a stated position of the real engine."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scenarios.table import Game

import mjenv
from agents import Agent, make


@cache
def player(name: str, rules: Any) -> Agent:
    """One player for all tests of those rules."""
    return make(name, rules.variant, rules)


def answer(game: Game, name: str) -> str:
    """The name of the action that player `name` takes for the seat to act."""
    seat = game.to_act()
    assert seat is not None
    seen = game.observe(seat)
    rows = (seen["observation"][None], seen["scalars"][None], seen["action_mask"][None].astype(np.bool_))
    return mjenv.action_name(int(player(name, game.rules).act(*rows, np.zeros(1, np.uint64))[0]))
