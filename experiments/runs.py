"""Playing many chunks of blocks: on several processes, kept in a folder, resumed where a run broke off."""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import mjenv
from agents.arena import IllegalAction
from experiments.blocks import CHUNK, COLUMNS, Array, Match, fingerprint, play_blocks
from mjenv.log import LogWriter

FORMAT = 1
SETTINGS_FILE = "settings.json"


@dataclass(frozen=True)
class Task:
    """A chunk of a match, and where it is kept (nowhere if None)."""

    match: Match
    first: int
    """its first block"""
    count: int
    """blocks that are wanted"""
    folder: Path | None = None
    keeps_log: bool = False

    @property
    def path(self) -> Path | None:
        """The file of the sums; those that have a log are apart, as a log must hold just the blocks that are wanted."""
        name = f"{self.first:08d}-{self.count}.npz" if self.keeps_log else f"{self.first:08d}.npz"
        return self.folder / name if self.folder else None

    @property
    def log_path(self) -> Path | None:
        """The file of the games."""
        return self.path.with_suffix(".jsonl.gz") if self.path and self.keeps_log else None


def tasks_of(match: Match, blocks: int, folder: Path | None = None, keeps_log: bool = False) -> list[Task]:
    """The chunks that hold the first `blocks` blocks of a match."""
    return [Task(match, first, min(CHUNK, blocks - first), folder, keeps_log) for first in range(0, blocks, CHUNK)]


def settings_of(match: Match) -> dict[str, Any]:
    """What the games of a match follow from, as JSON values."""
    return {
        "format": FORMAT,
        "version": mjenv.__version__,
        "variant": match.rules.variant,
        "rules": json.loads(json.dumps(match.rules.options)),
        "agents": [player.name for player in match.players()],
        "fingerprints": [fingerprint(player) for player in match.players()],
        "seatings": match.seatings,
        "seed": match.seed,
        "episode": match.episode,
        "max_hands": match.max_hands,
    }


def open_folder(match: Match, folder: Path) -> None:
    """Make a folder for a match, or check that what it holds is of this match; `ValueError` names what differs."""
    path, settings = folder / SETTINGS_FILE, settings_of(match)
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write_file(path, (json.dumps(settings, indent=1) + "\n").encode())
        return
    try:
        found = dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise ValueError(f"{path} is damaged: name another folder, or remove this one") from None
    differing = [
        f"{name}: {found.get(name)} there, {settings[name]} here"
        for name in settings
        if found.get(name) != settings[name]
    ]
    if differing:
        raise ValueError(
            f"{folder} holds other games ({'; '.join(differing)}): name another folder, or remove this one"
        )


def write_file(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, then rename it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    write_file(path, text.getvalue().encode())


def load(task: Task) -> Array | None:
    """The sums of a chunk that was played before, or None if it must be played: nothing is there, or it is damaged."""
    if task.folder is None or task.path is None:
        return None
    logged = [] if task.keeps_log else sorted(task.folder.glob(f"{task.first:08d}-*.npz"))
    for path in (task.path, *logged):
        sums = _read(path, task)
        if sums is not None and len(sums) >= task.count:
            return sums[: task.count]
    return None


def _read(path: Path, task: Task) -> Array | None:
    """The sums in a file, or None unless it is whole, of this match, and its log, if one is wanted, unchanged."""
    try:
        with np.load(path) as file:
            sums, about = file["sums"], json.loads(str(file["about"]))
        is_ours = about["settings"] == settings_of(task.match) and tuple(about["columns"]) == COLUMNS
        is_logged = task.log_path is None or about["log"] == _digest(task.log_path)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    has_shape = sums.ndim == 3 and sums.shape[1:] == (len(task.match.players()), len(COLUMNS))
    return sums if is_ours and is_logged and has_shape else None


def _digest(path: Path) -> str:
    """A digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def play(task: Task, progress: Callable[[int], None] | None = None) -> Array:
    """Play a chunk and keep it: float64 [blocks, agents, columns]."""
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(LogWriter(task.log_path)).add if task.log_path else None
        try:
            sums = play_blocks(task.match, task.first, task.count, log=log, progress=progress)
        except IllegalAction as error:
            raise _keep_state(error, task) from None
    if task.path:
        log_digest = _digest(task.log_path) if task.log_path else None
        about = {"settings": settings_of(task.match), "columns": COLUMNS, "log": log_digest}
        packed = io.BytesIO()
        np.savez_compressed(packed, sums=sums, about=np.array(json.dumps(about)))
        write_file(task.path, packed.getvalue())
    return sums


def _keep_state(error: IllegalAction, task: Task) -> IllegalAction:
    """The error, with the table before the action in a file beside the chunks if there is a folder."""
    if task.folder is None or not error.state:
        return error
    path = task.folder / "illegal_action.state"
    write_file(path, error.state)
    return IllegalAction(f"{error}; the table is in {path}, for env.restore", error.place, error.state)


@cache
def _first_alike(match: Match) -> Match:
    """The first of all equal matches that this process has seen."""
    return match


def _play_elsewhere(task: Task) -> Array:
    """`play` in a worker process, which makes the agents of a match once."""
    return play(replace(task, match=_first_alike(task.match)))


def play_tasks(
    tasks: Iterable[Task], workers: int = 1, progress: Callable[[int], None] | None = None
) -> Generator[Array]:
    """The sums of each task in order, played unless its folder has them; the same whatever `workers` (processes) is.

    progress: called with the number of games done so far. If a task fails, those that run are finished and kept.
    """
    done = 0

    def show(games: int) -> None:
        if progress:
            progress(done + games)

    with contextlib.closing(_play_here(tasks, show) if workers == 1 else _play_on(tasks, workers)) as played:
        for task, sums in played:
            done += task.count * task.match.games
            show(0)
            yield sums


def _play_here(tasks: Iterable[Task], show: Callable[[int], None]) -> Generator[tuple[Task, Array]]:
    for task in tasks:
        found = load(task)
        yield task, play(task, show) if found is None else found


def _play_on(tasks: Iterable[Task], workers: int) -> Generator[tuple[Task, Array]]:
    """Up to two tasks a worker are under way; processes are spawned, since forks of threaded libraries may hang."""
    waiting: deque[tuple[Task, Array | Future[Array]]] = deque()
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
    rest = iter(tasks)
    try:
        while True:
            while len(waiting) < 2 * workers and (task := next(rest, None)) is not None:
                found = load(task)
                waiting.append((task, pool.submit(_play_elsewhere, task) if found is None else found))
            if not waiting:
                return
            task, entry = waiting.popleft()
            yield task, entry.result() if isinstance(entry, Future) else entry
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def choose_workers(wanted: int | None, tasks: int, matches: Sequence[Match]) -> int:
    """Processes to use: as many as wanted or as there are cores, at most one for each task, one for agents by object.

    Agents are made and the engine is compiled here first, so that errors come early and workers find the cache filled.
    """
    if wanted is not None and wanted < 1:
        raise ValueError(f"workers must be above 0, not {wanted}")
    named = all(isinstance(agent, str) for match in matches for agent in match.agents)
    if wanted is not None and wanted > 1 and not named:
        raise ValueError("workers are other processes, which need agents by name: use workers=1 for objects")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores if wanted is None else wanted, tasks) if named else 1
    if workers > 1:
        for match in matches:
            play_blocks(match, 0, 1)
    return max(1, workers)


def join_logs(tasks: Iterable[Task], path: Path) -> None:
    """Write the games of all chunks into one file, which appears when it is whole."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as out:
            for task in tasks:
                assert task.log_path is not None
                if path.suffix == ".gz":
                    out.write(task.log_path.read_bytes())
                else:
                    with gzip.open(task.log_path) as packed:
                        shutil.copyfileobj(packed, out)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def check_log(path: Path) -> None:
    """Raise at once what writing a log to `path` would raise after the games."""
    LogWriter(path).discard()
