"""How an agent is asked: shown the observation that it reads, or the tables if it searches."""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, Array, SearchAgent
from mjenv.core.channels import observation_layout
from mjenv.core.engine import Engine

_PLANES = observation_layout("planes")


def ask(agent: Agent, engine: Engine, rows: Array, keys: Array) -> Array:
    """What the agent answers for the decisions open on `rows` (int64 [n]) of an engine; unchecked.

    The engine shows what the agent reads: its view is the agent's, or `"features"`, which begins with the planes.
    """
    if isinstance(agent, SearchAgent):
        return np.asarray(agent.search(engine.tables[rows], keys))
    planes = len(_PLANES.planes) if agent.observation == "planes" else None
    scalars = len(_PLANES.scalars) if agent.observation == "planes" else None
    mask = engine.mask[rows].astype(np.bool_)
    return np.asarray(agent.act(engine.observation[rows, :planes], engine.out.scalars[rows, :scalars], mask, keys))
