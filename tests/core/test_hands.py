"""Win check, shanten, waits and look-ahead against brute force."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numba
import numpy as np
import pytest
from core import kernels, oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mjenv import hands
from mjenv.core import shapes, suits
from mjenv.core.tiles import ROW

Array = NDArray[Any]
Hand = tuple[list[int], int, int]
"""Counts of 34 kinds, wilds, melds."""

FORMS = shapes.FORM_NAMES
ORPHANS = list(oracle.ORPHANS)


# Hands


def deal(random: Random, deck: list[int], size: int) -> list[int]:
    counts = [0] * 34
    for kind in random.sample(deck, size):
        counts[kind] += 1
    return counts


def deal_any(random: Random, size: int) -> list[int]:
    return deal(random, list(range(34)) * 4, size)


def deal_one_suit(random: Random, size: int) -> list[int]:
    return deal(random, list(range(9)) * 4 + random.choice([[], [27, 28] * 4]), size)


def deal_honors(random: Random, size: int) -> list[int]:
    return deal(random, list(range(27, 34)) * 4, size)


def deal_near(random: Random, size: int) -> list[int]:
    """A complete hand with up to four tiles exchanged."""
    counts = [0] * 34
    while sum(counts) < size:
        low, run = random.randrange(34), random.random() < 0.6
        group = [low, low + 1, low + 2] if run and low < 27 and low % 9 < 7 else [low] * 3
        if size - sum(counts) < 3:
            group = [low] * (size - sum(counts))
        if all(counts[kind] + group.count(kind) <= 4 for kind in group):
            for kind in group:
                counts[kind] += 1
    return exchange(random, counts, random.randrange(5))


def deal_quads(random: Random, size: int) -> list[int]:
    """Mostly four of a kind, close together or far apart."""
    first = random.choice([0, 9, 18, 27])
    kinds = random.sample(range(34), 8) if random.random() < 0.5 else random.sample(range(first, min(first + 9, 34)), 7)
    counts = [0] * 34
    for kind in kinds:
        counts[kind] = min(4, size - sum(counts))
    return exchange(random, counts, random.randrange(4))


def deal_pairs(random: Random, size: int) -> list[int]:
    return deal(random, random.sample(range(34), 8) * random.choice([2, 3, 4]), size)


def deal_orphans(random: Random, size: int) -> list[int]:
    return exchange(random, deal(random, ORPHANS * random.choice([2, 4]), size), random.randrange(5))


def deal_scattered(random: Random, size: int) -> list[int]:
    deck = [9 * suit + rank for suit in range(3) for rank in random.choice([(0, 3, 6), (1, 4, 8), (2, 6), (2, 5, 8)])]
    deck += list(range(27, 34)) + random.sample(range(27), 4)
    return exchange(random, deal(random, deck, min(size, len(deck))), random.randrange(3))


def exchange(random: Random, counts: list[int], times: int) -> list[int]:
    for _ in range(times):
        out = random.choice([kind for kind in range(34) if counts[kind]] or [0])
        into = random.choice([kind for kind in range(34) if counts[kind] < 4])
        if counts[out]:
            counts[out] -= 1
            counts[into] += 1
    return counts


Deal = Callable[[Random, int], list[int]]
STANDARD_DEALS = (deal_any, deal_one_suit, deal_honors, deal_near, deal_quads)
ALL_DEALS = (*STANDARD_DEALS, deal_pairs, deal_orphans, deal_scattered)


def make_hand(random: Random, deal_tiles: Deal, sets: int, wilds: tuple[int, int], most_melds: int = 5) -> Hand:
    """A hand of 3n+1 or 3n+2 tiles; one in two has no melds."""
    melds = random.choice([0, random.randint(0, min(sets, most_melds))])
    size = 3 * (sets - melds) + random.choice([1, 2])
    wild = min(random.randint(*wilds), size)
    counts = deal_tiles(random, size - wild)
    return counts, size - sum(counts), melds


def make_hands(seed: str, number: int, deals: tuple[Deal, ...], sets: int, wilds: tuple[int, int]) -> list[Hand]:
    random = Random(seed)
    return [make_hand(random, deals[i % len(deals)], sets, wilds) for i in range(number)]


def as_batch(batch: list[Hand]) -> tuple[Array, Array, Array]:
    counts, wilds, melds = zip(*batch, strict=True)
    return np.array(counts, np.uint8), np.array(wilds), np.array(melds)


def assert_brute_force_agrees(batch: list[Hand], sets: int, forms: tuple[str, ...]) -> None:
    arrays = as_batch(batch)
    wins = hands.is_win(*arrays, sets=sets, forms=forms)
    distances = hands.shanten(*arrays, sets=sets, forms=forms)
    waits = hands.waits(*arrays, sets=sets, forms=forms)
    for i, (counts, wilds, melds) in enumerate(batch):
        hand = (counts, wilds, melds, sets, forms)
        distance = oracle.shanten(*hand)
        assert distances[i] == distance, hand
        assert wins[i] == oracle.is_win(*hand), hand
        assert wins[i] == (distance == -1), hand
        # A hand that is not one tile away has no waits by the meaning of the word; do not try 34 draws on it.
        expect = oracle.waits(*hand) if distance == 0 else []
        assert np.flatnonzero(waits[i]).tolist() == expect, hand


# Agreement


@pytest.mark.parametrize("sets", [4, 5])
@pytest.mark.parametrize("deal_tiles", STANDARD_DEALS)
def test_standard_form_agrees_with_brute_force(deal_tiles: Deal, sets: int) -> None:
    batch = make_hands(f"{deal_tiles.__name__} {sets}", 1400, (deal_tiles,), sets, (0, 4))
    assert_brute_force_agrees(batch, sets, ("standard",))


@pytest.mark.parametrize("sets", [4, 5])
def test_hands_of_many_wilds_agree_with_brute_force(sets: int) -> None:
    batch = make_hands(f"wilds {sets}", 600, (*STANDARD_DEALS, deal_quads), sets, (5, 7))
    assert_brute_force_agrees(batch, sets, ("standard",))


@pytest.mark.parametrize("form", FORMS[1:])
def test_each_other_form_agrees_with_brute_force(form: str) -> None:
    deals = {
        "seven_pairs": (deal_pairs, deal_quads, deal_any),
        "seven_pairs_any": (deal_pairs, deal_quads, deal_any),
        "nine_one": (deal_orphans, deal_honors, deal_quads),
        "thirteen_scattered": (deal_scattered, deal_any, deal_orphans),
        "thirteen_orphans": (deal_orphans, deal_any),
    }
    assert_brute_force_agrees(make_hands(form, 900, deals[form], 4, (0, 6)), 4, (form,))


@pytest.mark.parametrize("forms", [FORMS, FORMS[::2], ("standard", "nine_one", "thirteen_scattered")])
def test_several_forms_together_agree_with_brute_force(forms: tuple[str, ...]) -> None:
    assert_brute_force_agrees(make_hands(str(forms), 500, ALL_DEALS, 4, (0, 4)), 4, forms)


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(STANDARD_DEALS), st.sampled_from([4, 5]), st.integers(0, 7))
def test_any_single_hand_agrees_with_brute_force(random: Random, deal_tiles: Deal, sets: int, wilds: int) -> None:
    assert_brute_force_agrees([make_hand(random, deal_tiles, sets, (wilds, wilds))], sets, ("standard",))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_long_sweep_agrees_with_brute_force(part: int) -> None:
    for sets in (4, 5):
        batch = make_hands(f"long {part} {sets}", 10_000, STANDARD_DEALS, sets, (0, 7))
        assert_brute_force_agrees(batch, sets, ("standard",))
    assert_brute_force_agrees(make_hands(f"long {part}", 4_000, ALL_DEALS, 4, (0, 5)), 4, FORMS)


def test_shanten_counts_the_draws_a_player_needs() -> None:
    random = Random(1)
    for i in range(150):
        counts, wilds, melds = make_hand(random, STANDARD_DEALS[i % 5], 4, (0, 2))
        melds = 4 - (sum(counts) + wilds) // 3
        if melds >= 3:
            forms = ("standard", "nine_one")
            draws = oracle.draws_to_win(counts, wilds, melds, 4, forms, 2)
            assert min(oracle.shanten(counts, wilds, melds, 4, forms) + 1, 3) == draws


# Look-ahead


def load(counts: list[int]) -> tuple[Array, Array, Array]:
    row = np.zeros(ROW, np.uint8)
    row[:34] = counts
    key = np.zeros(4, np.int32)
    kernels.index_row(row, key)
    return row, row.view(np.uint64), key


def brute_useful(counts: list[int], wilds: int, melds: int, forms: tuple[str, ...], unseen: Array, wild: Array) -> Any:
    """Shanten, and the unseen tiles that lower it, by measuring the hand after every draw."""
    before = hands.shanten([counts], wilds, melds, forms=forms)[0]
    drawn = np.array(counts, np.uint8) + np.eye(34, dtype=np.uint8)
    possible = (drawn <= 4).all(axis=1) & ~wild[:34].astype(bool)
    drawn[~possible] = np.array(counts, np.uint8)
    lower = possible & (hands.shanten(drawn, wilds, melds, forms=forms) < before)
    return before, int(unseen[:34][lower | (wild[:34] > 0)].sum()) if before < 99 else 0


@pytest.mark.parametrize("forms", [("standard",), ("standard", "seven_pairs"), FORMS, ("seven_pairs",)])
def test_lookahead_is_the_distance_after_each_discard_and_draw(forms: tuple[str, ...]) -> None:
    random = Random(str(forms))
    mask = sum(1 << FORMS.index(form) for form in forms)
    shanten_out, useful_out = np.zeros(ROW, np.int8), np.zeros(ROW, np.uint8)
    drawn = np.zeros(ROW, np.uint16)
    for i in range(200):
        counts, wilds, melds = make_hand(random, ALL_DEALS[i % len(ALL_DEALS)], 4, (0, 4), most_melds=3)
        if (sum(counts) + wilds) % 3 == 1:
            wilds += 1
        wild = np.zeros(ROW, np.uint8)
        wild[random.choice([kind for kind in range(34) if not counts[kind]])] = 1
        unseen = np.zeros(ROW, np.uint8)
        unseen[:34] = [random.randint(0, 4 - count) for count in counts]
        row, words, key = load(counts)
        before = (row.copy(), key.copy())
        wild_kinds = 1 << int(np.flatnonzero(wild)[0])
        thrown = kernels.lookahead(
            row, words, key, wilds, melds, 4, mask, unseen, wild_kinds, drawn, suits.load(), shanten_out, useful_out
        )
        assert (row == before[0]).all() and (key == before[1]).all()
        for kind in range(34):
            expect = (99, 0)
            if counts[kind]:
                after = [count - (k == kind) for k, count in enumerate(counts)]
                expect = brute_useful(after, wilds, melds, forms, unseen, wild)
            assert (shanten_out[kind], useful_out[kind]) == expect, (counts, wilds, melds, kind)
        expect = brute_useful(counts, wilds - 1, melds, forms, unseen, wild) if wilds else (99, 0)
        assert thrown == expect
        assert (shanten_out[34:] == 99).all() and not useful_out[34:].any()


# Tables


def test_makes_counts_sets_and_pairs_apart() -> None:
    lut = suits.load()
    for text, sets, pairs, expect in (
        ((0, 0, 0), 1, 0, True),
        ((0, 0, 0), 1, 1, True),
        ((0, 0), 0, 1, True),
        ((0, 0), 0, 0, False),
        ((), 0, 0, True),
        ((27, 27, 27, 27, 28, 28, 28, 33, 33, 33, 33), 4, 1, True),
        ((30, 30, 31, 31, 31, 31, 33, 33, 33, 33), 4, 1, True),
        ((0, 4, 8), 1, 1, False),
    ):
        counts = [text.count(kind) for kind in range(34)]
        assert kernels.makes(load(counts)[2], sets, pairs, lut) == expect, text


@pytest.mark.parametrize("ranks", [9, 7])
def test_tables_agree_with_listing_every_target(ranks: int) -> None:
    lut, random = suits.load()[0], Random(ranks)
    for i in range(250):
        size = random.randint(0, 14)
        deck = random.sample(range(ranks), 4) if i % 2 else range(ranks)
        counts = tuple(np.bincount(random.sample([*deck] * 4, size), minlength=ranks).tolist())
        key = sum(count * 5**rank for rank, count in enumerate(counts))
        own = lut["classes"][key + (suits.HONOR_BASE if ranks == 7 else 0)]
        costs, uses = oracle.cost_suit(counts, 5), oracle.find_uses(counts)
        for sets, pairs in np.ndindex(6, 2):
            lane = 6 * pairs + sets
            for level in range(min(suits.LEVELS, 17 - size + 1)):
                expect = min(cost for (s, p, f), cost in costs.items() if (s, p) == (sets, pairs) and f <= level)
                assert lut["missing"][lut["near"][own, level]] >> 5 * lane & 31 == expect
            win = any(s <= sets and p <= pairs for s, p, _ in uses)
            assert bool(lut["win_bits"][lut["wins"][own]] >> lane & 1) == win


def test_tables_survive_a_broken_or_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = suits.build()
    assert tables == suits.load()
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    suits._write(tables)
    stored = suits._read()
    assert stored is not None and stored[0] == tables[0]
    assert numba.typeof(stored[0]) == numba.typeof(tables[0]), "compiled code would be cached twice"
    suits.cache_file().write_bytes(suits.cache_file().read_bytes()[:1000])
    assert suits._read() is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path / "file"))
    suits._write(tables)
    assert suits._read() is None


# Without the JIT

SCRIPT = """
import sys
import numpy as np
from mjenv import hands
from mjenv.core import shapes, suits
from core import kernels
with np.load(sys.argv[1]) as file:
    counts, wilds, melds = file["counts"], file["wilds"], file["melds"]
results = []
for forms in (("standard",), shapes.FORM_NAMES):
    for function in (hands.is_win, hands.shanten, hands.waits):
        results.append(function(counts, wilds, melds, forms=forms))
row, drawn, near = np.zeros(40, np.uint8), np.zeros(40, np.uint16), np.zeros((8, 2, 40), np.int16)
out, count, key = np.zeros(40, np.int8), np.zeros(40, np.uint8), np.zeros(4, np.int32)
for hand in range(8):
    row[:34] = counts[hand]
    kernels.index_row(row, key)
    kernels.lookahead(row, row.view(np.uint64), key, int(wilds[hand]), int(melds[hand]), 4, 63,
                      np.uint8(4) - row, 0, drawn, suits.load(), out, count)
    near[hand] = out, count
np.savez(sys.argv[2], *results, near)
"""


def test_plain_python_gives_the_same_results_without_warnings(tmp_path: Path) -> None:
    counts, wilds, melds = as_batch(make_hands("plain", 160, ALL_DEALS, 4, (0, 4)))
    np.savez(tmp_path / "hands.npz", counts=counts, wilds=wilds, melds=melds)
    (tmp_path / "script.py").write_text(SCRIPT)
    for disable in ("0", "1"):
        subprocess.run(
            [sys.executable, "-W", "error", "script.py", "hands.npz", f"{disable}.npz"],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_DISABLE_JIT": disable, "PYTHONPATH": str(Path(__file__).parents[1])},
            check=True,
        )
    with np.load(tmp_path / "0.npz") as compiled, np.load(tmp_path / "1.npz") as plain:
        for name in compiled.files:
            assert compiled[name].dtype == plain[name].dtype
            assert (compiled[name] == plain[name]).all(), name


# Arguments


def test_scalars_hold_for_every_hand_and_batches_may_mix_sizes() -> None:
    counts = np.zeros((3, 34), np.int64)
    counts[0, [0, 0, 1]] = 2, 2, 2
    counts[:, 0], counts[:, 1] = (1, 1, 2), (0, 1, 1)
    assert hands.is_win(counts[:2], 1 - np.arange(2), 4).tolist() == [True, False]
    assert hands.shanten(counts[:2], 0, 4).tolist() == [0, 0]
    assert hands.waits(counts[:2], 0, np.array(4)).sum(axis=1).tolist() == [1, 0]
    assert hands.shanten(np.zeros((0, 34), np.uint8)).shape == (0,)
    assert hands.waits(np.zeros((0, 34), np.uint8)).shape == (0, 34)


def test_melds_rule_out_forms() -> None:
    counts = np.zeros((1, 34), np.uint8)
    counts[0, [0, 8]] = 2
    arguments: dict[str, Any] = {"melds": 3, "forms": ("seven_pairs", "thirteen_orphans")}
    assert hands.shanten(counts, **arguments).tolist() == [99]
    assert hands.is_win(counts, 1, **arguments).tolist() == [False]
    assert not hands.waits(counts, **arguments).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [[5, 1] + [0] * 32]}, "counts? must be 0 to 4|every count must be 0 to 4, but that of 1m"),
        ({"counts": [[-1, 2] + [0] * 32]}, "that of 1m is not"),
        ({"counts": [[300, 2] + [0] * 32]}, "that of 1m is not"),
        ({"counts": [[1] * 3 + [0] * 31]}, "must be 1 or 2, not 3"),
        ({"counts": [[0] * 34]}, "must be 1 or 2, not 0"),
        ({"counts": [1] + [0] * 33}, "shape"),
        ({"counts": [[1] + [0] * 32]}, "shape"),
        ({"counts": [[1.0] + [0] * 33]}, "whole numbers"),
        ({"wilds": -1}, "wilds must not be negative"),
        ({"wilds": 0.0}, "wilds must be whole numbers"),
        ({"wilds": [0, 0]}, "wilds must be one number"),
        ({"melds": -1}, "melds must be 0 to 4"),
        ({"melds": 5}, "melds must be 0 to 4"),
        ({"melds": [[4]]}, "melds must be one number"),
        ({"sets": 3}, "sets must be 4 or 5"),
        ({"forms": ("chiitoi",)}, "unknown form 'chiitoi'"),
        ({"forms": ("standard", "nine_one"), "sets": 5}, "sets=5"),
    ],
)
@pytest.mark.parametrize("function", [hands.is_win, hands.shanten, hands.waits])
def test_impossible_input_is_refused(function: Any, change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"counts": [[1] + [0] * 33], "wilds": 0, "melds": 4, "sets": 4, "forms": ("standard",)}
    arguments |= change
    counts, wilds, melds = (arguments.pop(name) for name in ("counts", "wilds", "melds"))
    with pytest.raises(ValueError, match=message):
        function(counts, wilds, melds, **arguments)


def test_the_impossible_hand_of_a_batch_is_named_by_its_number() -> None:
    counts = [[1] + [0] * 33, [3] + [0] * 33]
    with pytest.raises(ValueError, match=r"^hand 1: with 4 of 4 sets on the table"):
        hands.shanten(counts, melds=4)
