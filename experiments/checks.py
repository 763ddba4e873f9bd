"""What every training script checks before it begins."""

from __future__ import annotations

import math

import torch


def check_training(minutes: float | None, count: int | None, name: str, device: str) -> None:
    """`ValueError` unless `minutes` or `count`, called `name`, says how long to train, and the device is there."""
    if (minutes is None) == (count is None):
        raise ValueError(f"say how long to train: either minutes or {name}")
    if not 0 < (minutes or count or 0) < math.inf:
        raise ValueError(f"minutes and {name} must be above 0")
    if device != "cpu" and not torch.cuda.is_available():
        raise ValueError(f"device {device!r} is not there: torch sees no GPU")
