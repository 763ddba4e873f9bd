"""The arrays of a batch as torch tensors over the same memory."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from mjenv.core.layout import Array

if TYPE_CHECKING:
    import torch

    from mjenv.envs.vector import VectorEnv

NAMES = ("observation", "scalars", "action_mask", "seat", "decision", "reward", "points", "scores", "done", "truncated")


def share_tensors(games: VectorEnv) -> dict[str, torch.Tensor]:
    """Every array of a batch, by its name there, as a CPU tensor of the same shape that every `step` overwrites.

    Where torch has a CUDA device their memory is pinned, so that `tensor.to("cuda", non_blocking=True)` copies while
    the CPU goes on; it stays pinned until `games` is gone. Raises `ImportError` without torch, and `RuntimeError` if
    the driver refuses to pin.
    """
    import torch

    if torch.cuda.is_available():
        _pin(games._engine.shown)
    return {name: torch.from_numpy(getattr(games, name)) for name in NAMES}


def _pin(memory: Array) -> None:
    """Page-lock an array until it is gone; once is enough."""
    import torch

    runtime: Any = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    address = memory.ctypes.data
    if torch.from_numpy(memory.view("u1")).is_pinned():
        return
    error = int(runtime.cudaHostRegister(address, memory.nbytes, 0))
    if error:
        raise RuntimeError(f"cannot pin {memory.nbytes:,} bytes for the GPU: CUDA error {error}")
    weakref.finalize(memory, runtime.cudaHostUnregister, address)
