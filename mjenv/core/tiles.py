"""The 42 tile kinds, their names, and compact notation such as `123m456p789sEEECC` or `f1g3`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

KINDS = 42
HAND_KINDS = 34
ROW = 40
"""A row of 34 kinds is padded to 40 bytes, so that it can be read as five 64-bit words."""

HONORS = 27
EAST, SOUTH, WEST, NORTH, RED, GREEN, WHITE = range(27, 34)
PLANTS, SEASONS = 34, 38

NAMES: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *"ESWNCFP",
    *(f"{group}{number}" for group in "fg" for number in range(1, 5)),
)
_KIND_OF = {name: kind for kind, name in enumerate(NAMES)}
WINDS = "ESWN"


def kind_of(name: str) -> int:
    """The kind of one tile name; `ValueError` if there is no such tile."""
    try:
        return _KIND_OF[name]
    except KeyError:
        raise ValueError(f"unknown tile {name!r}: use 1m-9m, 1p-9p, 1s-9s, E S W N C F P, f1-f4 or g1-g4") from None


def parse_tiles(text: str) -> list[int]:
    """Kinds in the order written; `ValueError` on anything that is not tile notation."""
    kinds: list[int] = []
    ranks = ""
    position = 0
    while position < len(text):
        symbol = text[position]
        position += 1
        if symbol in "123456789":
            ranks += symbol
        elif symbol in "mps" and ranks:
            kinds += [_KIND_OF[rank + symbol] for rank in ranks]
            ranks = ""
        elif symbol in "ESWNCFP" and not ranks:
            kinds.append(_KIND_OF[symbol])
        elif symbol in "fg" and not ranks and text[position : position + 1] in tuple("1234"):
            kinds.append(_KIND_OF[symbol + text[position]])
            position += 1
        else:
            raise ValueError(f"cannot read {text!r} at {symbol!r} (position {position}): write tiles like 123m456pEEf1")
    if ranks:
        raise ValueError(f"cannot read {text!r}: the digits {ranks!r} need a suit letter m, p or s after them")
    return kinds


def format_tiles(kinds: Iterable[int]) -> str:
    """Compact notation of the kinds in ascending order."""
    text = ""
    pending = ""
    for kind in sorted(kinds):
        name = NAMES[kind]
        if kind >= HONORS:
            text, pending = text + pending + name, ""
        elif pending and pending[-1] == name[1]:
            pending = pending[:-1] + name
        else:
            text, pending = text + pending, name
    return text + pending


def counts_of(kinds: Iterable[int], size: int = ROW) -> list[int]:
    """How often each kind occurs, as `size` numbers."""
    counts = [0] * size
    for kind in kinds:
        counts[kind] += 1
    return counts


def kinds_of(counts: Sequence[int]) -> list[int]:
    """The kinds in ascending order, each as often as counted."""
    return [kind for kind, count in enumerate(counts) for _ in range(int(count))]
