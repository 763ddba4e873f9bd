"""Per-suit tables of the hand arithmetic: every suit has one of a few hundred classes, and classes join by lookup.

A *key* is the base-5 number of the counts of one suit (rank 1 is the lowest digit); honors are a suit of seven ranks
without runs. For `k` sets (0-5) and `p` pairs (0 or 1) a suit misses at least so many tiles; these twelve numbers, five
bits each, are a *word*. Sharing sets out to two suits is a min-plus product of their words. Only a few hundred words
exist and they are closed under that product, so it is a table, and a hand costs four reads and three joins.

The four-copy limit of rules/common.md: a target that uses a kind more than four times forces a wild onto each copy
beyond the fourth. *Level* `f` allows at most `f` such fifth copies; no suit gains from more than five.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjenv.jit import cache_root

Array = NDArray[Any]

SUIT_RANKS, HONOR_RANKS = 9, 7
MAX_SETS = 5
MAX_TILES = 3 * MAX_SETS + 2
LEVELS = 6
HONOR_BASE = 5**SUIT_RANKS
LANES = 2 * (MAX_SETS + 1)
LANE_BITS = 5
FAR = 99


FIELDS = {
    "missing": "int64 [E]: the word itself; lane `6 * pairs + sets` holds the fewest missing tiles",
    "win_bits": "int64 [V]: the win set itself; bit `6 * pairs + sets`: all real tiles are used, wilds doing the rest",
    "scattered": "int64 [C]: for suits `kept3 + 4 * kept2` of `keep_scattered`, for honors how many kinds are held",
    "classes": "uint16 [5**9 + 5**7]: class of a suit's key, then from `HONOR_BASE` on class of the honors' key",
    "near": "uint16 [C, LEVELS]: which word the class has when so many forced fifth copies are allowed",
    "join": "uint16 [E, E]: which word two suits have together",
    "wins": "uint16 [C]: which win set the class has",
    "win_join": "uint16 [V, V]: which win set two suits have together; 0 is the empty one",
}
"""The tables, with C classes, E words and V win sets; the widest first, so that all are aligned without padding."""

Lut = np.void
"""One read-only record of all `FIELDS`. Compiled code gets it as a single pointer with the shapes in its type, which
compiles in three quarters of the time and runs twice as fast as a named tuple of arrays."""


def digits(ranks: int) -> Array:
    """uint8 [ranks, 5**ranks]: the count of each rank for every key."""
    keys = np.arange(5**ranks)
    return np.stack([keys // 5**rank % 5 for rank in range(ranks)]).astype(np.uint8)


def count_missing(ranks: int, runs: bool) -> Array:
    """uint8 [sets, pairs, LEVELS, 5**ranks]: the fewest tiles missing, by a walk over the ranks.

    The walk remembers how many runs started two ranks and one rank ago; three equal runs are three triplets, so two do.
    """
    now = np.full((1, 1, MAX_SETS + 1, 2, LEVELS, 1), FAR, np.uint8)
    now[0, 0, 0, 0] = 0
    for rank in range(ranks):
        starts = 3 if runs and rank < ranks - 2 else 1
        now = _add_rank(now, starts)
    missing: Array = now[0, 0]
    return missing


def _add_rank(now: Array, starts: int) -> Array:
    """Extend `[runs two ago, runs one ago, sets, pairs, level, key]` by a rank with 0 to `starts` - 1 new runs."""
    oldest, older, _, _, _, keys = now.shape
    later = np.full((older, starts, MAX_SETS + 1, 2, LEVELS, 5, keys), FAR, np.uint8)
    for two_ago, one_ago, start in np.ndindex(oldest, older, starts):
        for triplets, pair in np.ndindex(MAX_SETS + 1 - start, 2):
            used = two_ago + one_ago + start + 3 * triplets + 2 * pair
            forced = max(0, used - 4)
            if forced >= LEVELS:
                continue
            sets = start + triplets
            source = now[two_ago, one_ago, : MAX_SETS + 1 - sets, : 2 - pair, : LEVELS - forced]
            for held in range(5):
                target = later[one_ago, start, sets:, pair:, forced:, held]
                np.minimum(target, source + np.uint8(max(0, used - held)), out=target)
    return later.reshape(older, starts, MAX_SETS + 1, 2, LEVELS, 5 * keys)


def pack_words(missing: Array) -> Array:
    """int64 [N]: twelve lanes of five bits from uint8 `[sets, pairs, N]`."""
    words = np.zeros(missing.shape[2], np.int64)
    for sets, pairs in np.ndindex(MAX_SETS + 1, 2):
        words |= missing[sets, pairs].astype(np.int64) << (LANE_BITS * ((MAX_SETS + 1) * pairs + sets))
    return words


def unpack_words(words: Array) -> Array:
    """int64 `[2, 6, N]` (pairs, sets): the lanes of int64 [N] words."""
    lanes: Array = words >> (LANE_BITS * np.arange(LANES)[:, None]) & 31
    return lanes.reshape(2, MAX_SETS + 1, -1)


def find_win_sets(missing: Array, tiles: Array) -> Array:
    """int64 [N]: one bit for each lane in which `tiles` real tiles are all used, fifth copies being free.

    A target has 3 * sets + 2 * pairs tiles, so none is left over exactly when that many less `tiles` are missing.
    """
    bits = np.zeros(len(tiles), np.int64)
    for sets, pairs in np.ndindex(MAX_SETS + 1, 2):
        used_up = missing[sets, pairs] == 3 * sets + 2 * pairs - tiles
        bits |= used_up.astype(np.int64) << ((MAX_SETS + 1) * pairs + sets)
    return bits


def keep_scattered(counts: Array) -> Array:
    """int64 [N]: `kept3 + 4 * kept2` for counts `[9, N]`: how many held ranks a choice of three, or of two, can contain
    whose ranks are at least 3 apart."""
    held = (counts > 0).astype(np.int64)
    apart = [(low, high) for low in range(SUIT_RANKS) for high in range(low + 3, SUIT_RANKS)]
    kept2 = np.max([held[low] + held[high] for low, high in apart], axis=0)
    kept3 = np.max([held[a] + held[b] + held[c] for a, b in apart for c in range(b + 3, SUIT_RANKS)], axis=0)
    return np.asarray(kept3 + 4 * kept2)


def describe_suit(ranks: int, runs: bool) -> tuple[Array, Array]:
    """int64 `[LEVELS + 2, M]`, int64 [M]: words by level, win set and scattered state of all keys a hand can have,
    and those keys."""
    counts = digits(ranks)
    tiles = counts.sum(axis=0, dtype=np.int64)
    keys = np.flatnonzero(tiles <= MAX_TILES)
    counts, tiles = counts[:, keys], tiles[keys]
    missing = count_missing(ranks, runs)[:, :, :, keys]
    facts = np.empty((LEVELS + 2, len(keys)), np.int64)
    for level in range(LEVELS):
        words = pack_words(missing[:, :, level])
        # With more than 17 tiles, wilds included, there is no hand: do not let such keys make classes of their own.
        facts[level] = np.where(tiles + level <= MAX_TILES, words, facts[max(0, level - 1)])
    facts[LEVELS] = find_win_sets(missing[:, :, -1], tiles)
    facts[LEVELS + 1] = keep_scattered(counts) if runs else (counts > 0).sum(axis=0)
    return facts, keys


def number_columns(facts: Array) -> tuple[Array, Array]:
    """The position of one column of each sort, and for every column the number of its sort."""
    numbers = np.zeros(facts.shape[1], np.int64)
    for fact in facts:
        _, values = np.unique(fact, return_inverse=True)
        _, numbers = np.unique(numbers * (values.max() + 1) + values, return_inverse=True)
    _, first = np.unique(numbers, return_index=True)
    return first, numbers


def join_words(left: Array, right: Array) -> Array:
    """int64 [N, M]: the min-plus product of every word of `left` [N] with every one of `right` [M]."""
    a, b = unpack_words(left)[..., :, None], unpack_words(right)[..., None, :]
    joined = np.full((MAX_SETS + 1, 2, len(left), len(right)), FAR, np.int64)
    for i, j in np.ndindex(MAX_SETS + 1, MAX_SETS + 1):
        if i + j <= MAX_SETS:
            for p, q in ((0, 0), (0, 1), (1, 0)):
                target = joined[i + j, p + q]
                np.minimum(target, a[p, i] + b[q, j], out=target)
    return pack_words(joined.reshape(MAX_SETS + 1, 2, -1)).reshape(len(left), len(right))


def join_win_sets(left: Array, right: Array) -> Array:
    """int64 [N, M]: every (sets, pairs) that two suits reach together."""
    half = (1 << MAX_SETS + 1) - 1
    joined = np.zeros((len(left), len(right)), np.int64)
    for sets, pairs in np.ndindex(MAX_SETS + 1, 2):
        has = left[:, None] >> ((MAX_SETS + 1) * pairs + sets) & 1
        single, paired = right & half, right >> (MAX_SETS + 1)
        moved = (single << sets & half) << ((MAX_SETS + 1) * pairs)
        if not pairs:
            moved |= (paired << sets & half) << (MAX_SETS + 1)
        joined |= has * moved
    return joined


def close(values: Array, join: Any) -> tuple[Array, Array]:
    """All values that joins of `values` can give, ascending, and uint16 [E, E] with the number of each join."""
    known = np.unique(values)
    while True:
        joined = join(known, known)
        grown = np.union1d(known, joined)
        if len(grown) == len(known):
            return known, np.searchsorted(known, joined).astype(np.uint16)
        known = grown


def build() -> Array:
    """The tables as a structured array of length 1, in plain NumPy: a few seconds, half a gigabyte for a moment."""
    suits, suit_keys = describe_suit(SUIT_RANKS, True)
    honors, honor_keys = describe_suit(HONOR_RANKS, False)
    facts = np.concatenate([suits, honors], axis=1)
    first, numbers = number_columns(facts)
    facts = facts[:, first]
    words, join = close(facts[:LEVELS].ravel(), join_words)
    win_sets, win_join = close(np.append(facts[LEVELS], 0), join_win_sets)
    classes = np.zeros(HONOR_BASE + 5**HONOR_RANKS, np.uint16)
    classes[np.append(suit_keys, honor_keys + HONOR_BASE)] = numbers
    tables = {
        "classes": classes,
        "near": np.searchsorted(words, facts[:LEVELS].T).astype(np.uint16),
        "join": join,
        "missing": words,
        "wins": np.searchsorted(win_sets, facts[LEVELS]).astype(np.uint16),
        "win_join": win_join,
        "win_bits": win_sets,
        "scattered": facts[LEVELS + 1],
    }
    # Not `align=True`: a file does not keep that flag, and Numba would see another type than when the file is read.
    record = np.zeros(1, np.dtype([(name, tables[name].dtype, tables[name].shape) for name in FIELDS]))
    for name, table in tables.items():
        record[name][0] = table
    return record


def cache_file() -> Path:
    """Where the tables are kept; the name follows this source, so that another version builds its own."""
    return cache_root() / f"hands-{hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]}.npy"


def _read() -> Array | None:
    try:
        stored: Array = np.load(cache_file())
    except (OSError, ValueError, EOFError):
        return None
    return stored if stored.shape == (1,) and stored.dtype.names == tuple(FIELDS) else None


def _write(tables: Array) -> None:
    """Keep the tables for the next process; a folder that cannot be written costs only the time to build again."""
    path = cache_file()
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            np.save(file, tables)
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@cache
def load() -> Array:
    """The tables as an array of one record (`Lut`), from the cache file or built."""
    tables = _read()
    if tables is None:
        tables = build()
        _write(tables)
    tables.flags.writeable = False
    return tables
