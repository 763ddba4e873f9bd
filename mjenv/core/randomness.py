"""The generator inside a record: xoshiro128++ on 32-bit lanes, seeded from (seed, game, hand)."""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.jit import jit

MASK = 0xFFFFFFFF


@jit
def mix(word: int) -> int:
    """A 32-bit finaliser: every input bit changes about half of the output bits."""
    word = ((word ^ (word >> 16)) * 0x85EBCA6B) & MASK
    word = ((word ^ (word >> 13)) * 0xC2B2AE35) & MASK
    return word ^ (word >> 16)


@jit
def _rotate(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & MASK


@jit
def seed_generator(table: Record) -> None:
    """Start the hand's generator; it depends on the table's seed, game and hand number alone."""
    seed, game = int(table["seed"]), int(table["game"])
    for lane in range(4):
        state = mix(0x9E3779B9 + lane)
        for word in (seed & MASK, seed >> 32, game & MASK, game >> 32, int(table["hand_number"])):
            state = mix((state ^ word) + 0x632BE5AB * (lane + 1) & MASK)
        table["rng"][lane] = state | 1 if lane == 0 else state


@jit
def next_word(table: Record) -> int:
    """The next 32 random bits (xoshiro128++)."""
    rng = table["rng"]
    s0, s1, s2, s3 = int(rng[0]), int(rng[1]), int(rng[2]), int(rng[3])
    word = (_rotate((s0 + s3) & MASK, 7) + s0) & MASK
    shifted = (s1 << 9) & MASK
    s2 ^= s0
    s3 ^= s1
    rng[1] = s1 ^ s2
    rng[0] = s0 ^ s3
    rng[2] = s2 ^ shifted
    rng[3] = _rotate(s3, 11)
    return word


@jit
def below(table: Record, bound: int) -> int:
    """A number from 0 to `bound` - 1; the bias is below `bound` / 2**32."""
    return (next_word(table) * bound) >> 32
