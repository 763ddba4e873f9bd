"""PettingZoo's module of Fuzhou. Version history: v0, first release."""

from functools import partial

from mjenv.envs import aec

env = partial(aec.env, "fuzhou")
raw_env = partial(aec.raw_env, "fuzhou")
