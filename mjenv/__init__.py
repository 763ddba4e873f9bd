"""Five Chinese mahjong variants behind one engine, for reinforcement learning.

Everything here is imported when first used, so that `import mjenv` and the command line start at once.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mjenv import registration

if TYPE_CHECKING:
    from mjenv import (
        fuzhou_v0,
        hands,
        hangzhou_v0,
        hongkong_v0,
        threefaan_v0,
        yugan_v0,
    )
    from mjenv.core.actions import action_name
    from mjenv.core.channels import observation_layout
    from mjenv.core.rules import Rules
    from mjenv.core.table import DECISIONS
    from mjenv.envs.aec import env, raw_env
    from mjenv.envs.vector import VectorEnv, vector
    from mjenv.scoring import BelowMinimum, NotAWin, Settlement, Win, score_win
    from mjenv.variants import rules

__version__ = version("mjenv")

_HOME = {
    "action_name": "mjenv.core.actions",
    "observation_layout": "mjenv.core.channels",
    "Rules": "mjenv.core.rules",
    "DECISIONS": "mjenv.core.table",
    "env": "mjenv.envs.aec",
    "raw_env": "mjenv.envs.aec",
    "VectorEnv": "mjenv.envs.vector",
    "vector": "mjenv.envs.vector",
    "BelowMinimum": "mjenv.scoring",
    "NotAWin": "mjenv.scoring",
    "Settlement": "mjenv.scoring",
    "Win": "mjenv.scoring",
    "score_win": "mjenv.scoring",
    "rules": "mjenv.variants",
}
_MODULES = ("fuzhou_v0", "hands", "hangzhou_v0", "hongkong_v0", "threefaan_v0", "yugan_v0")

__all__ = [
    "DECISIONS",
    "BelowMinimum",
    "NotAWin",
    "Rules",
    "Settlement",
    "VectorEnv",
    "Win",
    "__version__",
    "action_name",
    "env",
    "fuzhou_v0",
    "hands",
    "hangzhou_v0",
    "hongkong_v0",
    "observation_layout",
    "raw_env",
    "rules",
    "score_win",
    "threefaan_v0",
    "vector",
    "yugan_v0",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"mjenv.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'mjenv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


registration.arrange()
