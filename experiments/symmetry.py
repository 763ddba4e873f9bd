"""Suits may change names: what a decision looks like when they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from mjenv.core.actions import N_ACTIONS, OWN_GANG
from mjenv.core.tiles import HAND_KINDS

SUITED = 27


def permute_suits(batch: dict[str, Tensor], order: np.ndarray[Any, Any]) -> None:
    """Rename the suits in a batch of decisions, in place: the suit now called i was `order[i]` (a permutation of 3).

    All five variants treat their suits alike, but for the hands of one colour that a faan table may know. Every entry
    of the batch that has a column or a number for each kind is renamed: planes, mask, hidden tiles, actions and advice.
    """
    kinds = np.arange(HAND_KINDS)
    kinds[:SUITED] = (9 * order[:, None] + np.arange(9)).ravel()
    actions = np.arange(N_ACTIONS)
    actions[:HAND_KINDS] = kinds
    actions[OWN_GANG : OWN_GANG + HAND_KINDS] = OWN_GANG + kinds
    before, columns = torch.from_numpy(kinds), torch.from_numpy(actions)
    now = torch.empty_like(columns)
    now[columns] = torch.arange(N_ACTIONS)
    batch["planes"] = batch["planes"][:, before]
    batch["mask"] = batch["mask"][:, columns]
    batch["actions"], batch["advice"] = now[batch["actions"]], now[batch["advice"]]
    if batch["hidden"].shape[1]:
        hidden = batch["hidden"].clone()
        tiles = hidden[:, : 3 * HAND_KINDS].reshape(-1, 3, HAND_KINDS)
        hidden[:, : 3 * HAND_KINDS] = tiles[:, :, before].flatten(1)
        batch["hidden"] = hidden
