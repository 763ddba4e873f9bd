"""PettingZoo's module of Yugan Flying Treasure. Version history: v0, first release."""

from functools import partial

from mjenv.envs import aec

env = partial(aec.env, "yugan")
raw_env = partial(aec.raw_env, "yugan")
