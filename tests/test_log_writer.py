"""Writing a log: links, devices, full disks, and what is left behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mjenv.log import LogWriter


def test_a_log_follows_a_link_and_never_replaces_what_is_no_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    LogWriter(link).close()
    assert link.is_symlink() and target.read_text() == ""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for wrong in (pipe, tmp_path, "/dev/null"):
        with pytest.raises(ValueError, match="is a folder" if wrong == tmp_path else "is no file"):
            LogWriter(wrong)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "target"]


def test_a_log_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path / "log")
    (tmp_path / "log").mkdir()
    with pytest.raises(OSError) as caught:
        writer.close()
    assert caught.value.filename == str(tmp_path / "log")
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@pytest.mark.parametrize("method", ["add", "close"])
def test_a_full_disk_is_told_with_the_name_of_the_log_and_leaves_nothing(method: str, tmp_path: Path) -> None:
    events = [{"type": "draw"}] * (10_000 if method == "add" else 1)
    with pytest.raises(OSError) as caught, LogWriter(tmp_path / "log") as writer:
        writer._file.close()
        writer._file = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115
        writer.add(0, events)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "log"))
    assert list(tmp_path.iterdir()) == []
