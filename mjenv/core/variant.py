"""What a variant is: options, the numbers they become, item names, and two compiled hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mjenv.core.hooks import Hook
from mjenv.core.layout import Record
from mjenv.core.rules import Option, Rules, fill_record


@dataclass(frozen=True)
class Variant:
    """One game.

    `numbers` turns option values into `RULES` fields; `worth` and `settle` fill the seams of `core.hooks`;
    `items` names the entries that `worth` writes; `sources` are the sources of a win that the variant has;
    `check` raises `ValueError` for a `WIN` record that cannot be (the variant file's own list).
    """

    name: str
    title: str
    summary: str
    gym_name: str
    options: tuple[Option, ...]
    items: tuple[str, ...]
    sources: tuple[str, ...]
    numbers: Callable[[Mapping[str, Any]], dict[str, Any]]
    worth: Hook
    settle: Hook
    check: Callable[[Record, Record], None]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def rules(self, number: int, preset: str | None, options: Mapping[str, Any]) -> Rules:
        """Validated rules; `ValueError` names an unknown option or preset, or a bad value, and what is allowed."""
        if preset is not None and (not isinstance(preset, str) or preset not in self.presets):
            known = ", ".join(repr(name) for name in self.presets) or "none"
            raise ValueError(f"unknown preset {preset!r} of {self.name}: presets are {known}")
        known_options = {option.name: option for option in self.options}
        for name in options:
            if name not in known_options:
                raise ValueError(
                    f"unknown rules option {name!r} of {self.name}: options are {', '.join(known_options)}"
                )
        chosen = {**(self.presets[preset] if preset is not None else {}), **options}
        values = {name: option.check(chosen.get(name, option.default)) for name, option in known_options.items()}
        return Rules(self.name, values, fill_record({"variant": number, **self.numbers(values)}))


def copies(honors: str = "ESWNCFP", bonus: bool = False) -> np.ndarray[Any, Any]:
    """Copies of each of the 42 kinds: four of each suited kind and named honor, one of each flower and season."""
    counts = np.zeros(42, np.uint8)
    counts[:27] = 4
    for position, name in enumerate("ESWNCFP"):
        counts[27 + position] = 4 if name in honors else 0
    counts[34:] = 1 if bonus else 0
    return counts
