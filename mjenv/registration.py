"""Ids in PettingZoo's and Gymnasium's registries, as soon as either library is imported.

Importing both takes half a second, which `mjenv --help` and the hand arithmetic need not wait for. So ids are entered
at once where a library is loaded already, else right after it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

GYM_NAMES = {
    "yugan": "Yugan",
    "fuzhou": "Fuzhou",
    "hangzhou": "Hangzhou",
    "hongkong": "HongKong",
    "threefaan": "ThreeFaan",
}


def register_pettingzoo() -> None:
    """Enter `mjenv/<variant>-v0`; PettingZoo before 1.27 has no registry."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for variant in GYM_NAMES:
        name = f"mjenv/{variant}-v0"
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, f"mjenv.{variant}_v0:env")


def register_gymnasium() -> None:
    """Enter `mjenv/<Variant>-v0`, the one-seat environments."""
    import gymnasium

    for variant, name in GYM_NAMES.items():
        if f"mjenv/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"mjenv/{name}-v0", "mjenv.envs.seat:SeatEnv", kwargs={"variant": variant})


_REGISTER: dict[str, Callable[[], None]] = {"pettingzoo": register_pettingzoo, "gymnasium": register_gymnasium}


class _AfterImport(MetaPathFinder):
    """Registers our ids right after the first import of a library in `_REGISTER`."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _REGISTER:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _REGISTER[name]()

        loader.exec_module = exec_module
        return spec


def arrange() -> None:
    """Register with what is loaded, and with the rest when it is loaded."""
    for name, register in _REGISTER.items():
        if name in sys.modules:
            register()
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())
