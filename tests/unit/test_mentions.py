"""Files that docstrings, comments and pages mention exist: `methods/partitioning/qr.py`, `static/data.js`; and what
scripts beside the package import from it.

A path is looked for from the folder that mentions it upwards to the package, then in the repository; a bare name also
in the folders below.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/linkwork"
FILE = re.compile(r"(?<![\w/.*<-])((?:[\w-]+/)*[\w-]+\.(?:py|js|json|css))(?![\w(])")
SOURCES = sorted(PACKAGE.rglob("*.py"))
SCRIPTS = sorted(path for folder in ("benchmarks", "docs", "examples") for path in (ROOT / folder).rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ELSEWHERE = {"three.module.min.js", "magnet.py", "penalty.py", "press.py"}  # vendored by other names; files of users


def prose(path: Path) -> Iterator[str]:
    """Docstrings and comments of a module."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def missing(texts: Iterator[str], folder: Path) -> list[str]:
    """Files that are mentioned and do not exist."""
    upwards = [folder, *(parent for parent in folder.parents if parent.is_relative_to(PACKAGE)), PACKAGE, ROOT]
    found = {name for text in texts for name in FILE.findall(text)} - ELSEWHERE
    return sorted(
        name for name in found
        if not any((base / name).is_file() for base in upwards) and not ("/" not in name and list(folder.rglob(name)))
    )  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_that_a_module_mentions_exist(path: Path) -> None:
    assert not missing(prose(path), path.parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_mentions_exist(page: Path) -> None:
    assert not [name for name in missing(iter([page.read_text(encoding="utf-8")]), page.parent) if "/" in name]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(ROOT)))
def test_what_a_script_imports_of_the_package_exists(script: Path) -> None:
    """Also of scripts that need other programs, which no test runs."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "linkwork":
            module = importlib.import_module(node.module)
            for name in (alias.name for alias in node.names):
                assert hasattr(module, name) or importlib.import_module(f"{node.module}.{name}"), (script, name)
