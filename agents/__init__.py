"""Players: one protocol that rule-based, learned and your own agents satisfy, a registry of names, and an arena."""

from agents.protocol import Agent
from agents.registry import make

__all__ = ["Agent", "make"]
