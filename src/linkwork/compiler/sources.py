"""When is machine code stale?  When the source of a kernel's module has changed, or of any module that it imports.

A look at the file of the kernel alone would miss an edit in a callee of another file.  The fingerprint of a module is a
hash of its source and of every module of the package that it imports, directly or not; a module outside of linkwork
counts those of its own package as well.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import sys
from pathlib import Path

HOUSE = "linkwork"
PACKAGE = Path(__file__).resolve().parents[1]

_IMPORT = re.compile(r"^[ \t]*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+([\w.]+))", re.MULTILINE)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n)+", re.MULTILINE)  # never run, so that no kernel has it


@functools.cache
def fingerprint(module: str) -> str | None:
    """A hash of a module's source and of all that it imports, directly or not; None where there is no source file."""
    if file_of(module) is None:
        return None
    digest = hashlib.sha256()
    for name in sorted(below(module)):
        digest.update(name.encode())
        digest.update(_digest(name))
    return digest.hexdigest()[:16]


def below(module: str) -> set[str]:
    """The module and all modules of the package that it imports, directly or not."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(_imports(name))
    return seen


@functools.cache
def file_of(module: str) -> Path | None:
    """Where the source of a module is; None where there is none."""
    top, *parts = module.split(".")
    if top == HOUSE:
        base = PACKAGE.joinpath(*parts)
        return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
    if module in sys.modules:
        origin = getattr(sys.modules[module], "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            return None
        origin = spec.origin if spec else None
    return Path(origin) if origin and origin.endswith(".py") and Path(origin).is_file() else None


@functools.cache
def _source(module: str) -> str:
    path = file_of(module)
    return path.read_text(encoding="utf-8") if path else ""


@functools.cache
def _digest(module: str) -> bytes:
    return hashlib.sha256(_source(module).encode()).digest()


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """The modules of linkwork, and of the module's own package, that it imports by name."""
    found = set()
    for origin, names, plain in _IMPORT.findall(_FOR_TYPES.sub("", _source(module))):
        if plain:
            found.add(plain)
            continue
        if origin.startswith("."):
            try:
                origin = importlib.util.resolve_name(origin, _package_of(module))
            except ImportError:  # there is no such package: not an import, but text that looks like one
                continue
        found.add(origin)
        if _is_own(origin, module):
            found.update(f"{origin}.{name}" for name in re.findall(r"\w+", names))
    return frozenset(m for m in found if m != HOUSE and _is_own(m, module) and file_of(m))


def _is_own(name: str, module: str) -> bool:
    return name.partition(".")[0] in (HOUSE, module.partition(".")[0])


def _package_of(module: str) -> str:
    path = file_of(module)
    return module if path and path.name == "__init__.py" else module.rpartition(".")[0]
