"""The step of one game under Numba's CUDA simulator: nothing in it needs Python objects or memory of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from properties.play import VARIANTS

PROGRAM = """
import sys
import numpy as np
from numba import cuda
import mjenv
from mjenv.core import batch

@cuda.jit
def step(rules, tables, actions, rows, lut):
    game = cuda.grid(1)
    if game < len(tables):
        batch.run_table(
            rules[0], tables[game], batch.STEP, int(actions[game]), 0, True, False, rows[game], lut[0]
        )

variant, rng = sys.argv[1], np.random.default_rng(1)
on_gpu, on_cpu = (mjenv.vector(variant, 3, seed=1) for _ in range(2))
engine = on_gpu._engine
for _ in range(120):
    chances = on_cpu.action_mask * rng.random(on_cpu.action_mask.shape)
    actions = chances.argmax(axis=1)
    given = [cuda.to_device(array) for array in (engine.rules.record, engine.tables, actions, engine.shown, engine.lut)]
    step[1, 4](*given)
    given[1].copy_to_host(engine.tables)
    given[3].copy_to_host(engine.shown)
    on_cpu.step(actions)
    assert (on_gpu.observation == on_cpu.observation).all() and (on_gpu.action_mask == on_cpu.action_mask).all()
    assert engine.tables.tobytes() == on_cpu._engine.tables.tobytes()
print("same")
"""


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_step_runs_under_the_cuda_simulator(variant: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, variant],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "same\n", done.stderr
