"""What a newcomer installs: versions, files, dependency ranges, light imports, README examples that run."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGES = ("mjenv", "agents", "experiments")
TOP_LEVEL = {
    *("pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md", "CITATION.cff", "constraints.txt"),
    *(*PACKAGES, "tests", "notebooks", "docs"),
}


def requirements(lines: list[str]) -> dict[str, Requirement]:
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def core() -> dict[str, Requirement]:
    return requirements(PROJECT["project"]["dependencies"])


def extra(name: str) -> dict[str, Requirement]:
    return requirements(PROJECT["project"]["optional-dependencies"][name])


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", name).lower(): pin for name, pin in pairs}


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_version_everywhere() -> None:
    import mjenv

    number = PROJECT["project"]["version"]
    assert mjenv.__version__ == version("mjenv") == number
    assert f"version: {number}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{number}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_top_level_holds_only_what_belongs_there() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    entries = {line.split("/")[0] for line in listing.stdout.splitlines()}
    assert {entry for entry in entries if not entry.startswith(".")} <= TOP_LEVEL


def test_packages_of_the_wheel() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == list(PACKAGES)
    for package in PACKAGES:
        assert (ROOT / package / "__init__.py").is_file()


@pytest.mark.parametrize("package", PROJECT["tool"]["mypy"]["files"])
def test_every_type_checked_package_says_so(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


@pytest.mark.parametrize("module", ["mjenv", "mjenv.cli"])
def test_import_is_light(module: str) -> None:
    heavy = "{'numba', 'scipy', 'torch', 'matplotlib', 'ray', 'stable_baselines3'}"
    assert run_python(f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))").strip() == "[]"


@pytest.mark.parametrize("number", ["1.1.0", "1.2.2", "1.4.0"])
def test_gymnasium_range_admits(number: str) -> None:
    assert core()["gymnasium"].specifier.contains(number)
    assert not core()["gymnasium"].specifier.contains("2.0.0")


@pytest.mark.parametrize(
    "name", ["torch", "matplotlib", "tensorboard", "safetensors", "stable-baselines3", "ray", "scipy", "choix"]
)
def test_heavy_packages_are_extras(name: str) -> None:
    assert name not in core()
    assert any(name in extra(group) for group in PROJECT["project"]["optional-dependencies"])


def test_core_ranges_are_open_below_the_pins() -> None:
    for name, requirement in core().items():
        assert not any(clause.operator in ("==", "===", "~=") for clause in requirement.specifier), name
        assert requirement.specifier.contains(pins()[name])


def test_pins_cover_what_the_two_commands_install() -> None:
    for name, requirement in (core() | extra("torch") | extra("dev")).items():
        assert requirement.specifier.contains(pins()[name]), name


def test_pins_install_anywhere() -> None:
    for name, pin in pins().items():
        assert re.fullmatch(r"[0-9][0-9a-z.]*", pin), f"{name}=={pin}: no build suffix, marker or address"


def test_readme_names_every_extra() -> None:
    for name in PROJECT["project"]["optional-dependencies"]:
        assert f"| `{name}` |" in README
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize(
    ("example", "shown"),
    re.findall(r"```python\n(.*?)```\n(?:\n```output\n(.*?)```)?", README, re.DOTALL),
)
def test_readme_example_runs_and_prints_what_is_shown(example: str, shown: str) -> None:
    printed = run_python(example)
    assert not shown or printed == shown
