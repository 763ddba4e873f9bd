"""The two seams that a variant fills: what a win is worth, and who pays.

`core` imports no variant: the registry hands its functions in, and compiled callers see one if-chain over
`rules["variant"]`, which caches on disk and leaves the rules run-time data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
from numba.extending import overload

from mjenv.core.layout import Record

Hook = Callable[[Any, Any, Any], Any]

_worth: list[Hook] = []
_settle: list[Hook] = []


def worth(rules: Record, win: Record, lut: Any) -> int:
    """Write the best arrangement's items into `win`; their total, or -1 if the tiles complete nothing."""
    return int(_worth[int(rules["variant"])](rules, win, lut))


def settle(rules: Record, win: Record, lut: Any) -> None:
    """Write the four payments into `win` from its `total`."""
    _settle[int(rules["variant"])](rules, win, lut)


def register(worths: Sequence[Hook], settles: Sequence[Hook]) -> None:
    """Fill both seams, one function per variant in registry order."""
    _worth[:] = worths
    _settle[:] = settles


def _chain(functions: Sequence[Hook]) -> Hook:
    """`functions[rules["variant"]](...)` as an if-chain, linked from the last function forward."""
    chain = functions[-1]
    for number in range(len(functions) - 2, -1, -1):
        chain = _link(number, functions[number], chain)
    return chain


def _link(number: int, function: Hook, rest: Hook) -> Hook:
    def call(rules: Any, win: Any, lut: Any) -> Any:
        if rules["variant"] == number:
            return function(rules, win, lut)
        return rest(rules, win, lut)

    return numba.njit(call)  # type: ignore[no-any-return]


def _entry(functions: Sequence[Hook]) -> Hook:
    chain = _chain(functions)

    def enter(rules: Any, win: Any, lut: Any) -> Any:
        return chain(rules, win, lut)

    return enter


@overload(worth)
def _worth_compiled(rules: Any, win: Any, lut: Any) -> Hook:
    return _entry(_worth)


@overload(settle)
def _settle_compiled(rules: Any, win: Any, lut: Any) -> Hook:
    return _entry(_settle)
