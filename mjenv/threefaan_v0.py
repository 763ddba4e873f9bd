"""PettingZoo's module of the three-faan table. Version history: v0, first release."""

from functools import partial

from mjenv.envs import aec

env = partial(aec.env, "threefaan")
raw_env = partial(aec.raw_env, "threefaan")
