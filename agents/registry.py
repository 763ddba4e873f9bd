"""Agents by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.protocol import OBSERVATIONS, Agent
from mjenv.core.rules import Rules
from mjenv.variants import BY_NAME, as_rules

RULE_BASED = {"greedy": "GreedyPlayer", "speed": "SpeedPlayer", "value": "ValuePlayer", "guard": "GuardPlayer"}
"""Rule-based players by name: the module in `agents.rulebased`, loaded when asked for, and its class."""
NAMES = ("random", *RULE_BASED, "checkpoint:VARIANT", "checkpoint:DIR", "rollout:AGENT", "package.module:Class")
SHIPPED = Path(__file__).parent / "checkpoints"
"""One folder for each variant that has a trained policy."""


def make(
    name: str, variant: str, rules: Rules | Mapping[str, Any] | None = None, seed: int = 0, device: str = "cpu"
) -> Agent:
    """The agent of that name for a table of `variant` under `rules`.

    `random` and the rule-based players; `checkpoint:hangzhou`, the shipped policy of that variant; `checkpoint:DIR`, a
    folder that training wrote; `rollout:AGENT`, which searches with that agent; `package.module:Class`, called as
    `Class(variant, rules, seed)`. `seed` is for agents that roll dice, `device` for networks. Raises `ValueError` for
    an unknown name, and for a checkpoint of another variant, other rules or another observation layout.
    """
    table = as_rules(variant, rules)
    if not isinstance(name, str):
        raise ValueError(f"an agent's name is a string such as {', '.join(NAMES)}, not {name!r}")
    if name == "random":
        from agents.random_player import RandomPlayer

        return RandomPlayer(seed)
    if name in RULE_BASED:
        return _load_rule_based(name, table)
    kind, colon, rest = name.partition(":")
    if kind == "checkpoint" and rest:
        return _load_checkpoint(rest, table, device)
    if kind == "rollout" and rest:
        from agents.rollout import RolloutPlayer

        return RolloutPlayer(table, make(rest, variant, table, seed, device))
    if colon and kind and rest:
        return _construct(name, kind, rest, table, seed)
    raise ValueError(f"unknown agent {name!r}: agents are {', '.join(NAMES)}")


def _load_rule_based(name: str, rules: Rules) -> Agent:
    module = importlib.import_module(f"agents.rulebased.{name}")
    player: Agent = getattr(module, RULE_BASED[name])(rules)
    return player


def find_checkpoint(name: str) -> Path:
    """The folder that `checkpoint:NAME` means: a variant's name stands for the shipped policy, all else is a path."""
    return SHIPPED / name if name in BY_NAME else Path(name)


def _load_checkpoint(name: str, rules: Rules, device: str) -> Agent:
    try:
        from agents.network import NetworkPlayer
    except ModuleNotFoundError as error:
        raise ValueError(f"checkpoints need {error.name}: pip install 'mjenv[torch]'") from error
    return NetworkPlayer.load(find_checkpoint(name), rules, device, f"checkpoint:{name}")


def _construct(name: str, module: str, attribute: str, rules: Rules, seed: int) -> Agent:
    try:
        factory = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"unknown agent {name!r}: {error}; agents are {', '.join(NAMES)}") from error
    try:
        agent = factory(rules.variant, rules, seed)
    except TypeError as error:
        raise ValueError(f"agent {name!r} must be made by Class(variant, rules, seed): {error}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"agent {name!r} lacks a name, an observation or act(observation, scalars, mask, keys)")
    if agent.observation not in OBSERVATIONS:
        raise ValueError(f"agent {name!r} reads {agent.observation!r}: use {' or '.join(map(repr, OBSERVATIONS))}")
    return agent
