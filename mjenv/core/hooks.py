"""The two seams that a variant fills: what a win is worth, and who pays.

`core` imports no variant: the registry hands its functions in, and compiled callers see one if-chain over
`rules["variant"]`, which caches on disk and leaves the rules run-time data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
    """`functions[rules["variant"]](...)` as one function of `if`s, which Numba can see through."""
    names = {f"hook_{number}": function for number, function in enumerate(functions)}
    lines = [
        f"    if rules['variant'] == {number}: return {name}(rules, win, lut)" for number, name in enumerate(names)
    ]
    lines[-1] = f"    return {list(names)[-1]}(rules, win, lut)"
    exec("\n".join(["def chain(rules: Any, win: Any, lut: Any):", *lines]), names)
    return names["chain"]


@overload(worth)
def _worth_compiled(rules: Any, win: Any, lut: Any) -> Hook:
    return _chain(_worth)


@overload(settle)
def _settle_compiled(rules: Any, win: Any, lut: Any) -> Hook:
    return _chain(_settle)
