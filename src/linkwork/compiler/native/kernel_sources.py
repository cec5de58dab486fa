"""Of which files a kernel is made: its own, those of the kernels that it calls, and those of the numbers and records
that are compiled into it.

A name that a kernel uses is followed to the statement that defines it, in its module or in the one from which it is
imported, and on to the names in that statement: so a constant that is computed leads to what it is computed of.  A
module that is imported for a declaration or an error beside them does not count.  The compiler counts as a whole.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from linkwork.compiler.native.manifest import digest
from linkwork.compiler.sources import HOUSE, PACKAGE, file_of

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
KINDS = {"kernel", "stage", "part"}  # the decorators (compiler/kernels.py)
APART = {"build.py", "llvm_text.py", "ahead_of_time.py", "meter.py", "cache.py", "sources.py", "disk_cache.py"}
COMPILER = sorted(
    path
    for folder in ("compiler", "compiler/numba_backend")
    for path in (PACKAGE / folder).glob("*.py")
    if path.name not in APART
)  # what makes machine code of a kernel, whichever it is


class Place(NamedTuple):
    """A name at the top of a module."""

    module: str
    name: str


class _Names(ast.NodeVisitor):
    """The names in a statement but for annotations, which nothing evaluates, and for those of a function's own."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self.found.add(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        """Its annotation is left out."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        inner = _Names()
        for statement in node.body:
            inner.visit(statement)
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        own = {argument.arg for argument in arguments} | set(_stored(node))
        self.found |= inner.found - own
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)


class _Module:
    """The statements at the top of a module by the names that they define, and what it imports by which name."""

    def __init__(self, module: str) -> None:
        self.statements: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, Place] = {}
        self.kernels: list[str] = []
        path = file_of(module)
        assert path is not None, module
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").partition(".")[0] == HOUSE:
                for name in statement.names:
                    self.imported[name.asname or name.name] = Place(str(statement.module), name.name)
                continue
            for name_defined in _defined(statement):
                self.statements.setdefault(name_defined, []).append(statement)
            if isinstance(statement, ast.FunctionDef) and _decorators(statement) & KINDS:
                self.kernels.append(statement.name)


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {node.id for node in function.decorator_list if isinstance(node, ast.Name)}


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a module defines, or may change."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    else:
        yield from (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that are assigned in a function, but for those of functions and comprehensions within it."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif not isinstance(inner, SCOPES):
            yield from _stored(inner)


_module = functools.cache(_Module)


def kernel_sources(module: str) -> list[str]:
    """Paths within the package of all files of which the kernels of a module are made."""
    seen: set[Place] = set()
    waiting = [Place(module, name) for name in _module(module).kernels]
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen.add(place)
            waiting += _uses(place)
    paths = {file_of(name) for name in (module, *(place.module for place in seen))} | set(COMPILER)
    return sorted(path.relative_to(PACKAGE).as_posix() for path in paths if path is not None)


def sources_of(modules: Iterable[str], beside: Iterable[str]) -> dict[str, Any]:
    """`trees` and `files` of modules; `beside`: files of which the library is made besides."""
    trees = {module: kernel_sources(module) for module in sorted(modules)}
    paths = sorted({path for tree in trees.values() for path in tree} | set(beside))
    number = {path: k for k, path in enumerate(paths)}
    return {
        "trees": {module: [number[path] for path in tree] for module, tree in trees.items()},
        "files": [(path, str(digest(path))) for path in paths],
    }


def _uses(place: Place) -> list[Place]:
    """What the definition of a name uses; of the compiler nothing, which counts as a whole."""
    if place.module.startswith(f"{HOUSE}.compiler"):
        return []
    known = _module(place.module)
    if place.name in known.imported:
        return [known.imported[place.name]]
    if place.name not in known.statements:
        return _of_submodule(place)
    names = _Names()
    for statement in known.statements[place.name]:
        names.visit(statement)
    return [
        Place(place.module, name) for name in sorted(names.found & (known.statements.keys() | known.imported.keys()))
    ]


def _of_submodule(place: Place) -> list[Place]:
    """A module that is imported by its name: all that it defines."""
    inner = f"{place.module}.{place.name}"
    if file_of(inner) is None:
        return []
    return [Place(inner, name) for name in _module(inner).statements]
