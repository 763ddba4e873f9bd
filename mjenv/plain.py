"""The Python function behind a compiled one, for single calls that are not worth compiling for."""

from __future__ import annotations

from collections.abc import Callable


def plain(function: Callable[..., int]) -> Callable[..., int]:
    """The function as it was written, which takes a single table record; from Python the compiled one does not."""
    return getattr(function, "py_func", function)
