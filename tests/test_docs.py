"""The docs: generated pages follow from the code, links lead somewhere, examples run and print what is shown."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TEXTS = [ROOT / "README.md", *PAGES]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def load_builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(path: Path) -> list[tuple[str, str]]:
    """Language and text of every fenced block."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def prose(path: Path) -> str:
    return BLOCK.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ["observations.md", "actions.md", "options.md", "items.md", "measures.md"])
def test_generated_page_is_what_the_script_makes(page: str) -> None:
    made = load_builder().pages()
    assert (DOCS / page).read_text(encoding="utf-8") == made[page], "run python docs/build.py"


def test_the_script_makes_no_other_page() -> None:
    wanted = {"observations.md", "actions.md", "options.md", "items.md", "measures.md"}
    assert set(load_builder().pages()) == wanted


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_relative_links_resolve(path: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("path", [page for page in PAGES if page.name != "index.md"], ids=name_of)
def test_every_page_can_be_reached_from_the_index(path: Path) -> None:
    assert f"({path.relative_to(DOCS).as_posix()})" in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_page_names_every_item_and_option(variant: str) -> None:
    from mjenv.variants import find

    text = (DOCS / "variants" / f"{variant}.md").read_text(encoding="utf-8")
    chosen = find(variant)
    names = [*chosen.items, *(option.name for option in chosen.options)]
    assert not [name for name in names if f"`{name}`" not in text]


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_pages_have_the_same_sections(variant: str) -> None:
    text = (DOCS / "variants" / f"{variant}.md").read_text(encoding="utf-8")
    wanted = ["Tiles and wall", "Turn", "Winning", "Scoring", "For a learner", "House defaults"]
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == wanted


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_every_block_says_what_it_is(path: Path) -> None:
    assert {language for language, _ in blocks(path)} <= {"python", "output", "text", "sh", "json"}


@pytest.mark.parametrize(
    "path", [path for path in PAGES if "```python" in path.read_text(encoding="utf-8")], ids=name_of
)
def test_examples_run_and_print_what_is_shown(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The python blocks of a page run in order in one namespace; an output block holds what the last one printed."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": name_of(path)}
    printed = ""
    for number, (language, text) in enumerate(blocks(path)):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, f"{name_of(path)}, block {number}", "exec"), names)
            printed = out.getvalue()
        elif language == "output":
            assert text == printed, f"block {number} does not show what block {number - 1} prints"
