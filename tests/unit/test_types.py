"""Types stand at every edge: a function without full annotations is a kernel, or part of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src/linkwork"
KERNELS = {"kernel", "stage", "part", "jit"}  # decorators of functions that are compiled
MODULES = sorted(PACKAGE.rglob("*.py"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


def decorators(function: Function) -> set[str]:
    """Names of the decorators; of `@part(...)` and `@compiler.part` it is `part`."""
    found = set()
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        found.add(called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""))
    return found


def is_typed(function: Function, of_class: bool) -> bool:
    """Whether the result and every argument but the first of a method have an annotation."""
    a = function.args
    arguments = [*a.posonlyargs, *a.args]
    if of_class and "staticmethod" not in decorators(function):
        arguments = arguments[1:]
    arguments += [*a.kwonlyargs, *(extra for extra in (a.vararg, a.kwarg) if extra is not None)]
    return function.returns is not None and all(argument.annotation is not None for argument in arguments)


def untyped(node: ast.AST, of_class: bool = False) -> Iterator[Function]:
    """Functions without full annotations outside kernels."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            if decorators(child) & KERNELS:
                continue
            if not is_typed(child, of_class):
                yield child
        yield from untyped(child, isinstance(child, ast.ClassDef))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_has_no_types_is_a_kernel(path: Path) -> None:
    found = [f"{function.name} (line {function.lineno})" for function in untyped(ast.parse(path.read_text()))]
    assert not found
