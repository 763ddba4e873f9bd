"""PettingZoo's module of Hangzhou with a flipped wildcard. Version history: v0, first release."""

from functools import partial

from mjenv.envs import aec

env = partial(aec.env, "hangzhou")
raw_env = partial(aec.raw_env, "hangzhou")
