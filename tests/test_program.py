"""The `mjenv` program as a process of its own: exit codes, the present folder, closed streams, signals."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "mjenv"]


@pytest.mark.parametrize(
    ("command", "code", "err"),
    [
        ("variants >&-", 0, ""),
        ("simulate yugan --games 1 >&- 2>&-", 0, ""),
        ("hand yugan 12x 2>&-", 2, ""),
        ("play yugan --seed 1 <&-", 0, ""),
        ("variants >/dev/full", 2, "mjenv: No space left on device\n"),
        ("variants | true", 0, ""),
    ],
)
def test_closed_and_full_streams_end_no_command_with_a_traceback(command: str, code: int, err: str) -> None:
    done = subprocess.run(f"{shlex.join(PROGRAM)} {command}", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, re.sub(r"mjenv: compiling .*\n", "", done.stderr)) == (code, err)
    assert "12x" not in done.stdout


def test_a_program_that_is_told_to_end_leaves_no_half_written_log(tmp_path: Path) -> None:
    words = ["simulate", "yugan", "--games", "100000", "--log", str(tmp_path / "log")]
    with subprocess.Popen([*PROGRAM, *words], stderr=subprocess.DEVNULL) as program:
        while not list(tmp_path.iterdir()) and program.poll() is None:
            time.sleep(0.05)
        program.terminate()
    assert program.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_python_m_mjenv_reports_the_exit_code():
    done = subprocess.run([sys.executable, "-m", "mjenv", "replay", "/no/such/log"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "mjenv: /no/such/log: No such file or directory\n"


def test_an_agent_of_ones_own_is_found_in_the_present_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class First:\n"
        "    name, observation = 'first', 'planes'\n"
        "    def __init__(self, variant, rules, seed): pass\n"
        "    def act(self, observation, scalars, mask, keys): return mask.argmax(axis=1)\n"
    )
    program = Path(sys.executable).with_name("mjenv")
    done = subprocess.run(
        [program, "simulate", "hangzhou", "--agents", "mine:First,random,random,random", "--games", "1", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["agents"][0] == "mine:First"
