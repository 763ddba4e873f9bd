"""Seeded constructed wins: complete hands of every pattern, near-misses and impossible inputs, and what they cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from . import SCORERS, score
from .build import Retry, trimmed
from .options import ITEMS, PRESETS, VALUES, full_options
from .recipes_faan import hongkong, threefaan
from .recipes_wild import fuzhou, hangzhou, yugan
from .spoil import spoil

RECIPES: dict[str, Callable[[Random, dict[str, Any]], dict[str, Any]]] = {
    "yugan": yugan,
    "fuzhou": fuzhou,
    "hangzhou": hangzhou,
    "hongkong": hongkong,
    "threefaan": threefaan,
}
SPOILED_SHARE = 0.12
assert set(RECIPES) == set(SCORERS)


def random_options(rng: Random, variant: str) -> dict[str, Any]:
    """None (half the time), a preset, or a few options at any of their listed values."""
    if rng.random() < 0.4:
        return {}
    options: dict[str, Any] = {}
    presets = list(PRESETS.get(variant, {}))
    if presets and rng.random() < 0.25:
        options["preset"] = rng.choice(presets)
    preset = PRESETS.get(variant, {}).get(options.get("preset", ""), {})
    for name, values in VALUES[variant].items():
        if name not in preset and rng.random() < 0.35:
            options[name] = rng.choice(values)
    return options


def one_win(rng: Random, variant: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """One win and its option overrides."""
    options = random_options(rng, variant)
    while True:
        try:
            win = RECIPES[variant](rng, full_options(variant, options))
        except Retry:
            continue
        if rng.random() < SPOILED_SHARE:
            spoil(rng, variant, win)
        return trimmed(rng, win), options


def constructed_wins(variant: str, seed: int, count: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """`count` pairs (fields of `Win`, option overrides); the same seed gives the same pairs."""
    rng = Random(f"{variant} {seed}")
    for _ in range(count):
        yield one_win(rng, variant)


class Coverage:
    """What a stream of wins has exercised."""

    def __init__(self, variant: str) -> None:
        self.variant = variant
        self.wins = 0
        self.items: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.sources: Counter[str] = Counter()
        self.openings: Counter[str] = Counter()
        self.melds: Counter[str] = Counter()
        self.options: Counter[tuple[str, Any]] = Counter()
        self.seats: Counter[tuple[int, int]] = Counter()

    def add(self, win: Mapping[str, Any], rules: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Count one win and its settlement; errors count by their name only."""
        self.wins += 1
        if "error" in result:
            self.errors[result["error"]] += 1
            return
        self.items.update(name for name, _ in result["items"])
        self.sources[win.get("source", "self_draw")] += 1
        self.openings[win.get("opening") or "none"] += 1
        self.melds.update(meld.split(" ")[0] for meld in win.get("melds", ()))
        self.options.update(full_options(self.variant, rules).items())
        self.options.update((name, value) for name, value in rules.items() if name == "preset")
        self.seats[win.get("seat", 0), win.get("dealer", 0)] += 1

    def missing(self, least: int = 1) -> list[str]:
        """Item names, option values and seats that occurred fewer than `least` times."""
        values = [(name, value) for name, listed in VALUES[self.variant].items() for value in listed]
        values += [("preset", preset) for preset in PRESETS.get(self.variant, {})]
        short = [name for name in ITEMS[self.variant] if self.items[name] < least]
        short += [f"{name}={value}" for name, value in values if self.options[name, value] < least]
        short += [f"{pair}" for pair in ((s, d) for s in range(4) for d in range(4)) if self.seats[pair] < least]
        return short


@cache
def settled_wins(variant: str, seed: int, count: int) -> list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Constructed wins, their option overrides, and what the reference makes of them."""
    return [(win, rules, score(variant, win, rules)) for win, rules in constructed_wins(variant, seed, count)]


def coverage(variant: str, seed: int, count: int) -> Coverage:
    """The coverage of `count` constructed wins as the reference settles them."""
    report = Coverage(variant)
    for win, rules, result in settled_wins(variant, seed, count):
        report.add(win, rules, result)
    return report
