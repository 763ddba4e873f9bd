"""The architecture: jit <- core <- variants <- library <- agents <- experiments <- cli, and nothing the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("mjenv", "agents", "experiments")
LAYERS = ("jit", "core", "variants", "library", "agents", "experiments", "cli")
MAY_USE_NUMBA = {"mjenv.jit", "mjenv.core.hooks", "mjenv.core.memory"}
LATE_IMPORTS = {("mjenv.envs.seat_games", "agents")}
"""(module, layer) that may look upwards inside a function: games of one learning seat find opponents by name."""
MAX_LINES = 500


@dataclass(frozen=True)
class Import:
    """One imported module, whether a function body imports it, and whether only the type checker does."""

    target: str
    line: int
    in_function: bool
    for_types: bool


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def sources() -> dict[str, Path]:
    """Every module by its dotted name."""
    return {name_of(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


def layer(module: str) -> str:
    """The layer of one of our modules; everything of `mjenv` that is not named is the library."""
    package, *rest = module.split(".")
    if package != "mjenv":
        return package
    head = rest[0] if rest else ""
    if head == "__main__":
        return "cli"
    return head if head in ("jit", "core", "variants", "cli") else "library"


def resolve(base: str, name: str) -> str:
    """`from base import name`: the submodule if there is one, else the module itself."""
    return f"{base}.{name}" if f"{base}.{name}" in sources() else base


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def walk(node: ast.AST, in_function: bool = False, for_types: bool = False) -> Iterator[tuple[ast.stmt, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, in_function, for_types
        else:
            within = in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from walk(child, within, for_types or is_type_checking(child))


@cache
def imports(module: str) -> tuple[Import, ...]:
    """All imports of a module, ours and others', at any depth."""
    path = sources()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = []
    for node, in_function, for_types in walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            assert isinstance(node, ast.ImportFrom)
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            targets = [resolve(base, alias.name) for alias in node.names]
        found += [Import(target, node.lineno, in_function, for_types) for target in targets]
    return tuple(found)


def ours(module: str) -> list[Import]:
    return [entry for entry in imports(module) if entry.target.split(".")[0] in PACKAGES]


def may_import(module: str, entry: Import) -> bool:
    own, other = layer(module), layer(entry.target)
    if LAYERS.index(other) <= LAYERS.index(own):
        return True
    return entry.in_function and (module, other) in LATE_IMPORTS


@pytest.mark.parametrize("module", sources())
def test_imports_only_what_lies_below(module: str) -> None:
    wrong = [f"line {entry.line}: {entry.target}" for entry in ours(module) if not may_import(module, entry)]
    assert not wrong


@pytest.mark.parametrize("module", sources())
def test_only_the_jit_module_and_the_hooks_import_numba(module: str) -> None:
    users = [entry.line for entry in imports(module) if entry.target.split(".")[0] in ("numba", "llvmlite")]
    assert not users or module in MAY_USE_NUMBA


@pytest.mark.parametrize("module", [name for name in sources() if layer(name) in ("core", "variants")])
def test_compiled_layers_import_no_environment_library(module: str) -> None:
    libraries = {"gymnasium", "pettingzoo", "torch", "typer", "rich", "PIL"}
    assert not libraries & {entry.target.split(".")[0] for entry in imports(module)}


def test_core_has_no_import_cycle() -> None:
    core = {name for name in sources() if layer(name) == "core"}
    graph = {name: {entry.target for entry in ours(name) if not entry.for_types} & core for name in core}
    while graph:
        free = {name for name, targets in graph.items() if not targets & graph.keys()}
        assert free, f"a cycle among {sorted(graph)}"
        graph = {name: targets for name, targets in graph.items() if name not in free}


@pytest.mark.parametrize("module", sources())
def test_module_is_short_enough_to_read(module: str) -> None:
    assert len(sources()[module].read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_the_walk_sees_every_form_of_import() -> None:
    code = "import a.b\nfrom c import d\ndef f():\n    from e import g\nif TYPE_CHECKING:\n    import h\n"
    found = [(in_function, for_types) for _, in_function, for_types in walk(ast.parse(code))]
    assert found == [(False, False), (False, False), (True, False), (False, True)]
