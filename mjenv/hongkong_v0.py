"""PettingZoo's module of Hong Kong Old Style. Version history: v0, first release."""

from functools import partial

from mjenv.envs import aec

env = partial(aec.env, "hongkong")
raw_env = partial(aec.raw_env, "hongkong")
