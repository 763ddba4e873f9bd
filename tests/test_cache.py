"""Compiled code: loaded from the cache by a second process, built anew when any compiled source changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mjenv import jit

PACKAGE = Path(__file__).parents[1] / "mjenv"

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from numba.core import event
compiled = []
class Listen(event.Listener):
    def on_start(self, e):
        compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e):
        pass
event.register("numba:compile", Listen())
import numpy as np
from mjenv.core import randomness
from mjenv.core.table import TABLE
from mjenv.jit import digest, kernel

@kernel
def probe(tables):
    return randomness.below(tables[0], 6)

print(probe(np.ones(1, TABLE)), digest(), ",".join(compiled))
"""


def run(root: Path, cache: Path, program: str = PROGRAM) -> tuple[str, str, str]:
    script = root / "program.py"
    script.write_text(program)
    done = subprocess.run(
        [sys.executable, str(script), str(root)],
        env={**os.environ, "MJENV_CACHE_DIR": str(cache), "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    value, digest, *compiled = done.stdout.split()
    return value, digest, compiled[0] if compiled else ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the package that a test may edit."""
    root = tmp_path / "project"
    shutil.copytree(PACKAGE, root / "mjenv", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "mjenv" / "__init__.py").write_text("")
    return root


def test_a_second_process_compiles_nothing(project: Path, tmp_path: Path) -> None:
    first = run(project, tmp_path / "cache")
    assert first[2].startswith("probe,below")
    assert run(project, tmp_path / "cache") == (*first[:2], "")


def test_a_player_folder_has_compiled_code_of_its_own_beside_the_engine(tmp_path: Path) -> None:
    players = tmp_path / "players"
    players.mkdir()
    (players / "one.py").write_text("a = 1\n")
    assert jit.sources(players) == [*jit.sources(), players / "one.py"]
    before = jit.digest(players)
    assert before != jit.digest() == jit.digest(PACKAGE / "core")
    (players / "one.py").write_text("a = 2\n")
    assert jit.digest.__wrapped__(players) != before


def test_editing_a_compiled_source_recompiles_its_callers(project: Path, tmp_path: Path) -> None:
    before = run(project, tmp_path / "cache")
    source = project / "mjenv" / "core" / "randomness.py"
    text = source.read_text()
    changed = text.replace("return (next_word(table) * bound) >> 32", "return 100 + bound")
    assert changed != text
    source.write_text(changed)
    after = run(project, tmp_path / "cache")
    assert after[0] == "106"
    assert after[1] != before[1]
    assert after[2].startswith("probe,below")


def test_every_compiled_source_counts(project: Path, tmp_path: Path) -> None:
    program = "import sys\nfrom mjenv.jit import digest, sources\nprint(len(sources()), digest())\n"
    script = project / "digest.py"
    script.write_text(program)

    def digest() -> list[str]:
        done = subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONPATH": str(project)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    count, before = digest()
    files = [
        project / "mjenv" / "jit.py",
        *(project / "mjenv" / "core").glob("*.py"),
        *(project / "mjenv" / "variants").glob("*.py"),
    ]
    assert int(count) == len(files)
    seen = {before}
    for path in files[::4]:
        path.write_text(path.read_text() + "\n# edited\n")
        seen.add(digest()[1])
    assert len(seen) == 1 + len(files[::4])


ENGINE = """
from numba.core import event
compiled = []
class Listen(event.Listener):
    def on_start(self, e):
        compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e):
        pass
event.register("numba:compile", Listen())
import numpy as np
import mjenv
for variant in ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan"):
    for view in ("planes", "features", "oracle"):
        games = mjenv.vector(variant, 4, observation=view)
        for _ in range(80):
            games.step(games.action_mask.argmax(axis=1))
        env = mjenv.raw_env(variant, observation=view)
        env.reset(seed=1)
        env.determinize("player_1", 2).observe("player_2")
        env.restore(env.snapshot())
hands = np.zeros((2, 34), np.uint8)
hands[:, :14] = 1
mjenv.hands.is_win(hands), mjenv.hands.shanten(hands), mjenv.hands.waits(hands)
win = mjenv.Win(seat=1, concealed="123456m22345p789s", winning_tile="5p", indicator="7p")
mjenv.score_win("hangzhou", win)
print(0, 0, ",".join(compiled))
"""


def test_the_whole_engine_starts_from_the_cache(tmp_path: Path) -> None:
    cache = Path(os.environ.get("MJENV_CACHE_DIR") or jit.cache_root())
    run(tmp_path, cache, ENGINE)
    assert run(tmp_path, cache, ENGINE) == ("0", "0", "")


def test_clearing_the_cache_leaves_other_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    for kept in ("mine", "notes.txt", "0123456789abcdef.txt"):
        (tmp_path / kept).write_text("x")
    (tmp_path / "data").mkdir()
    (tmp_path / "0123456789abcdef").mkdir()
    (tmp_path / "0123456789abcdef" / "code.nbi").write_text("x")
    (tmp_path / "hands-0123456789abcdef.npy").write_text("x")
    jit.clear_cache()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0123456789abcdef.txt", "data", "mine", "notes.txt"]
