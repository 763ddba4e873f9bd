"""MahJax on the CPU: 1024 games in one compiled call, the random choice inside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import mahjax
from mahjax.wrappers import auto_reset

LANGUAGE = "JAX"
PACKAGES = ("mahjax", "jax", "numpy")
GAMES_AT_ONCE = 1024


def play(observe: bool) -> Iterator[tuple[int, int]]:
    """Single hands without red fives; a game that ends is followed by the next one in the same call."""
    env = mahjax.make("no_red_mahjong", round_mode="single", observe_type="dict")
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def advance(state, key):  # type: ignore[no-untyped-def]
        key, chance, deal = jax.random.split(key, 3)
        mask = state.legal_action_mask
        actions = jnp.argmax(mask * jax.random.uniform(chance, mask.shape, minval=0.5), axis=1)
        asked = mask.any(axis=1).sum()
        state = step(state, actions, jax.random.split(deal, GAMES_AT_ONCE))
        seen = jax.vmap(env.observe)(state) if observe else ()
        return state, key, asked, seen

    keys = jax.random.split(jax.random.PRNGKey(0), GAMES_AT_ONCE)
    state, key = jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1)
    while True:
        state, key, asked, seen = advance(state, key)
        jax.block_until_ready(seen)
        yield int(asked), 0


GAMES = {
    "batch of 1024, mask": ("bool mask; the random choice is part of the compiled call", partial(play, observe=False)),
    "batch of 1024, mask + observe()": (
        "the same and a dict of 25 arrays, among them the shanten after each discard",
        partial(play, observe=True),
    ),
}
