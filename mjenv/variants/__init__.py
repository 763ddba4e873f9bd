"""The registry: one line a variant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjenv.core import hooks
from mjenv.core.rules import Rules
from mjenv.core.variant import Variant
from mjenv.variants import fuzhou, hangzhou, hongkong, threefaan, yugan

REGISTRY: tuple[Variant, ...] = (
    yugan.VARIANT,
    fuzhou.VARIANT,
    hangzhou.VARIANT,
    hongkong.VARIANT,
    threefaan.VARIANT,
)
BY_NAME = {variant.name: variant for variant in REGISTRY}

hooks.register([variant.worth for variant in REGISTRY], [variant.settle for variant in REGISTRY])


def find(name: str) -> Variant:
    """The variant of that name; `ValueError` lists the names there are."""
    try:
        return BY_NAME[name]
    except (KeyError, TypeError):
        raise ValueError(f"unknown variant {name!r}: variants are {', '.join(BY_NAME)}") from None


def rules(variant: str, preset: str | None = None, **options: Any) -> Rules:
    """The rules of a table: the defaults of `variant`, changed by a preset and then by single options.

    Raises `ValueError` for an unknown variant, preset or option, or a value that the option does not allow.
    """
    return make_rules(variant, preset, options)


def make_rules(variant: str, preset: str | None, options: Mapping[str, Any]) -> Rules:
    """As `rules`, with the options in a mapping."""
    chosen = find(variant)
    return chosen.rules(REGISTRY.index(chosen), preset, options)


def as_rules(variant: str, given: Rules | Mapping[str, Any] | None) -> Rules:
    """`given` as rules of that variant: None for the defaults, a mapping of options, or rules made before."""
    find(variant)
    if given is None:
        return rules(variant)
    if isinstance(given, Rules):
        if given.variant != variant:
            raise ValueError(f"these are rules of {given.variant}, not of {variant}")
        return given
    if not isinstance(given, Mapping):
        raise ValueError(
            f"rules must come from mjenv.rules({variant!r}, ...) or be a mapping of options, not {given!r}"
        )
    return make_rules(variant, None, given)
