"""Tile kinds and compact notation, read and written without the package under test."""

from __future__ import annotations

import re
from collections.abc import Iterable

EAST, SOUTH, WEST, NORTH, RED, GREEN, WHITE = range(27, 34)
WINDS = (EAST, SOUTH, WEST, NORTH)
DRAGONS = (RED, GREEN, WHITE)
HONORS = WINDS + DRAGONS
TERMINALS = (0, 8, 9, 17, 18, 26)
OUTSIDE = frozenset(TERMINALS + HONORS)
PLANTS = (34, 35, 36, 37)
SEASONS = (38, 39, 40, 41)
SUITED = range(27)
HAND_KINDS = range(34)

NAMES = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)]
NAMES += list("ESWNCFP") + [f"f{n}" for n in range(1, 5)] + [f"g{n}" for n in range(1, 5)]

_PIECE = re.compile(r"([1-9]+)([mps])|([ESWNCFP])|([fg][1-4])")


class Impossible(ValueError):
    """The input cannot happen at a table (the package must raise `ValueError`)."""


def read_tiles(text: object) -> list[int]:
    """Kinds in the order written."""
    if not isinstance(text, str):
        raise Impossible(f"not tile text: {text!r}")
    kinds: list[int] = []
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise Impossible(f"cannot read {text!r}")
        ranks, suit, honor, bonus = piece.groups()
        if ranks:
            kinds += [NAMES.index(rank + suit) for rank in ranks]
        else:
            kinds.append(NAMES.index(honor or bonus))
        position = piece.end()
    return kinds


def read_tile(text: object) -> int:
    """The kind of exactly one tile."""
    kinds = read_tiles(text)
    if len(kinds) != 1:
        raise Impossible(f"not one tile: {text!r}")
    return kinds[0]


def write_tiles(kinds: Iterable[int]) -> str:
    """Compact notation in ascending order of kinds."""
    ordered = sorted(kinds)
    text = ""
    for suit in range(3):
        ranks = "".join(str(kind % 9 + 1) for kind in ordered if kind < 27 and kind // 9 == suit)
        text += ranks + "mps"[suit] if ranks else ""
    return text + "".join(NAMES[kind] for kind in ordered if kind >= 27)


def suit_of(kind: int) -> int | None:
    """0, 1 or 2 for a suited tile, None for an honor."""
    return kind // 9 if kind < 27 else None
