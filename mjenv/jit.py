"""The two decorators of compiled code, and a cache folder named by a digest of every compiled source."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent


ENGINE = (PACKAGE / "core", PACKAGE / "variants")


def sources(folder: Path = PACKAGE) -> list[Path]:
    """The files that shape what functions of `folder` compile to: the engine's, and those of the folder itself."""
    own = () if folder == PACKAGE or folder in ENGINE else (folder,)
    return [Path(__file__), *(path for place in (*ENGINE, *own) for path in sorted(place.glob("*.py")))]


@cache
def digest(folder: Path = PACKAGE) -> str:
    """Sixteen hex digits over `sources(folder)` and the versions that shape machine code."""
    hasher = hashlib.sha256(f"{platform.python_version()} {numba.__version__} {np.__version__}".encode())
    for path in sources(folder):
        hasher.update(path.name.encode())
        hasher.update(path.read_bytes())
    return hasher.hexdigest()[:16]


def cache_root() -> Path:
    """The folder of all caches: `MJENV_CACHE_DIR`, else the user's cache folder."""
    given = os.environ.get("MJENV_CACHE_DIR")
    return Path(given) if given else user_cache_path("mjenv")


def cache_dir(folder: Path = PACKAGE) -> Path:
    """The folder of compiled code for exactly these sources; players have one of their own beside the engine's."""
    return cache_root() / digest(folder)


def clear_cache() -> None:
    """Remove all compiled code and hand tables; the next use builds them again.

    Other files in the folder stay, for `MJENV_CACHE_DIR` may name any folder. Raises `OSError` for what cannot go.
    """
    for path in cache_root().glob("*"):
        if path.is_dir() and re.fullmatch("[0-9a-f]{16}", path.name):
            shutil.rmtree(path)
        elif path.is_file() and path.match("hands-*"):
            path.unlink()


@cache
def _is_writable() -> bool:
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(cache_dir(), os.W_OK)


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says once on stderr that something of ours is being compiled, so that the wait explains itself."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, start: Any) -> None:
        """A function begins to be compiled; what comes from the cache does not get here."""
        module = str(start.data["dispatcher"].py_func.__module__)
        ours = module.partition(".")[0] in ("mjenv", "agents")
        if self._said or not ours:
            return
        self._said = True
        if _is_writable():
            print("mjenv: compiling once for this installation; the engine takes about a minute ...", file=sys.stderr)
        else:
            print(f"mjenv: compiling in every process, for {cache_root()} is not writable ...", file=sys.stderr)

    def on_end(self, end: Any) -> None:
        """Nothing to say."""


event.register("numba:compile", _Announcer())


WIDE = {"int": numba.types.int64, "bool": numba.types.boolean, "float": numba.types.float64}


def _widen(dispatcher: Any) -> None:
    """Make the dispatcher compile once however wide the caller's numbers are.

    Numba compiles a function anew for every mix of uint8, int64 and literal arguments. A parameter annotated `int`,
    `bool` or `float` takes its one wide type instead, to which compiled callers convert.
    """
    function = dispatcher.py_func
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    wide = [WIDE.get(function.__annotations__.get(name)) for name in names]
    resolve = dispatcher.get_call_template

    def get_call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        args = tuple(to or given for to, given in zip(wide, args, strict=False))
        return resolve(args, kws)

    dispatcher.get_call_template = get_call_template


def _hide(dispatcher: Any) -> None:
    """Keep a function without a Python wrapper from being called from Python, which would end the process."""

    def add_overload(compiled: Any) -> None:
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*args: Any) -> None:
        name = dispatcher.py_func.__name__
        raise TypeError(f"{name} can be called by compiled code only: call `{name}.py_func`, or decorate it `kernel`")

    dispatcher.add_overload, dispatcher._compile_for_args = add_overload, refuse


def jit(function: F) -> F:
    """Compile `function` with Numba, for compiled callers: no Python objects, no global lock, compiled once (`_widen`).

    It has no wrapper for Python and no cache entry of its own, since those of the `kernel`s contain it: that saves a
    third of a cold start.
    """
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    _widen(dispatcher)
    _hide(dispatcher)
    return cast(F, dispatcher)


def kernel(function: F) -> F:
    """Compile `function` with Numba as `jit` does, for callers in Python; its machine code is cached by `digest`.

    Numba reads `CACHE_DIR` when it decorates, so it is set for that moment only.
    """
    if config.DISABLE_JIT:
        return function
    before = config.CACHE_DIR
    writable = _is_writable()
    if writable:
        config.CACHE_DIR = str(cache_dir(Path(function.__code__.co_filename).parent))
    try:
        dispatcher = numba.njit(cache=writable, nogil=True, no_cfunc_wrapper=True)(function)
    finally:
        config.CACHE_DIR = before
    _widen(dispatcher)
    return cast(F, dispatcher)
