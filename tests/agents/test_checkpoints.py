"""The shipped policies: small, fit for this engine and these rules, refused elsewhere, as strong as their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest

import mjenv
from agents import make
from agents.registry import SHIPPED, find_checkpoint

pytest.importorskip("torch")
pytest.importorskip("scipy")

from agents.network import CARD_FILE, WEIGHTS_FILE, check_card, read_card
from experiments import evaluate
from experiments.blocks import fingerprint

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
STRONGEST = {
    "yugan": ("value",),
    "fuzhou": ("value",),
    "hangzhou": ("value", "guard"),
    "hongkong": ("value", "guard"),
    "threefaan": ("value", "guard"),
}
"""Whom a policy is shown to beat. `guard` is `value` in Fuzhou and Hangzhou, and nearly so in Yugan."""


def test_every_variant_has_a_policy_and_nothing_else_is_shipped() -> None:
    assert {path.name for path in SHIPPED.iterdir()} == set(VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_shipped_policy_is_small_and_its_card_is_whole(variant: str) -> None:
    folder = SHIPPED / variant
    assert {path.name for path in folder.iterdir()} == {CARD_FILE, WEIGHTS_FILE}
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 3_000_000
    card, rules = read_card(folder), mjenv.rules(variant)
    check_card(card, rules, folder)
    assert card["rules_digest"] == rules.digest
    assert card["training"]["command"].startswith(f"mjenv train {variant} --decisions ")
    assert len(card["training"]["commit"]) == 40
    assert card["training"]["minutes"] <= 90
    for rival in STRONGEST[variant]:
        told = card["evaluation"][rival]
        assert told["blocks"] >= 5000
        assert min(told["low"], told["points_per_hand"]) > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_shipped_policy_plays_from_its_variants_name(variant: str) -> None:
    player = make(f"checkpoint:{variant}", variant)
    assert player.name == f"checkpoint:{variant}"
    result = evaluate.run(variant, player, "random", 40, seed=11)
    assert result["win_rate"] > 2 * result["rival_win_rate"]  # points of 40 deals say little where a win brings 8,000
    assert evaluate.run(variant, f"checkpoint:{variant}", "random", 40, seed=11) == result


@pytest.mark.slow
def test_a_shipped_policy_beats_value_on_the_deals_of_its_card() -> None:
    told = read_card(SHIPPED / "hongkong")["evaluation"]["value"]
    found = evaluate.run("hongkong", "checkpoint:hongkong", "value", told["blocks"], told["seed"], workers=None)
    assert found["points_per_hand"] == pytest.approx(told["points_per_hand"], rel=0.02)
    assert found["low"] > 0


def test_a_shipped_policy_is_refused_under_other_rules() -> None:
    with pytest.raises(ValueError, match="stop_at: checkpoint 20, table 30"):
        make("checkpoint:hangzhou", "hangzhou", {"stop_at": 30})
    with pytest.raises(ValueError, match="plays hangzhou, not yugan"):
        make("checkpoint:hangzhou", "yugan")


def test_a_variants_name_means_the_shipped_policy_and_all_else_a_folder() -> None:
    assert find_checkpoint("hangzhou") == SHIPPED / "hangzhou"
    assert find_checkpoint("./hangzhou") == Path("hangzhou")
    names = [fingerprint(make(f"checkpoint:{name}", name)) for name in ("hangzhou", "yugan")]
    assert names[0] != names[1]
