"""The manifest: what a native library holds, of what sources, for which version and machine.

An export is one kernel for one signature.  Types are written as argument_types.py prints them; what it calls records
and structures, the manifest describes as well.  A kernel is stale when a file has changed of which it is made
(kernel_sources.py): `trees` has the files of each module that has exports, `files` the digest of each.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from linkwork.compiler.argument_types import ArgumentType, Array, Signature, Structure, described
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.references import layout
from linkwork.compiler.sources import PACKAGE


@dataclass(frozen=True)
class Export:
    """One kernel for one signature, by its symbols: `stage`, whose address is taken; `call`, for calls from outside."""

    kernel: str
    returns: str
    arguments: tuple[str, ...]
    names: tuple[str, ...]
    stage: str
    call: str | None


class Wanted(NamedTuple):
    """An export that is to be compiled; `call` is empty for a kernel that is only bound."""

    kernel: Kernel
    signature: Signature
    stage: str
    call: str

    def export(self) -> Export:
        """As the manifest has it."""
        returns, arguments = codes(self.signature)
        names = self.kernel.py_func.__code__.co_varnames[: len(arguments)]
        return Export(full_name(self.kernel), returns, arguments, names, self.stage, self.call or None)


@dataclass(frozen=True)
class Manifest:
    """All that is known of a library without loading it."""

    version: str  # of linkwork
    machine: str
    cpu: str
    compiler: str
    exports: list[Export]
    records: dict[str, Any]  # what they hold, by their names in the exports
    structures: dict[str, list[list[str]]]  # fields and their types
    trees: dict[str, list[int]]  # files of the modules that have exports, by number
    files: list[tuple[str, str]]  # path within the package, digest
    libraries: dict[str, str] = field(default_factory=dict)  # digests of the files beside the manifest

    @property
    def name(self) -> str:
        """The version, and what tells this library from others: models out of files belong to one alone."""
        content = {key: value for key, value in asdict(self).items() if key != "libraries"}  # which hold this name
        return f"{self.version} {hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]}"

    def write(self, path: Path) -> None:
        """As JSON."""
        path.write_text(sealed(asdict(self)), encoding="utf-8")


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file."""
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    if content.pop("seal", None) is not None and sealed(content) != text:
        raise ValueError("the manifest is not as it was written")
    exports = [
        Export(**{**one, "arguments": tuple(one["arguments"]), "names": tuple(one["names"])})
        for one in content.pop("exports")
    ]
    return Manifest(**content, exports=exports)


def sealed(content: dict[str, Any]) -> str:
    """As JSON, with a digest of the rest as its last entry."""
    text = json.dumps(content, separators=(",", ":"))
    return json.dumps(content | {"seal": hashlib.sha256(text.encode()).hexdigest()}, separators=(",", ":"))


def full_name(kernel: Kernel) -> str:
    """The name of a kernel in the manifest."""
    return f"{kernel.__module__}.{kernel.__qualname__}"


@functools.cache
def codes(signature: Signature) -> tuple[str, tuple[str, ...]]:
    """What is returned, and the arguments, as the manifest writes them."""
    return str(signature.returns), tuple(map(str, signature.arguments))


def machine(architecture: str = "") -> str:
    """For what machine code is: the operating system and the architecture of the processor, by default this one's."""
    return f"{sys.platform} {architecture or platform.machine()}"


# -- what the build writes --------------------------------------------------------------------------------------------
def described_types(signatures: Iterable[Signature]) -> tuple[dict[str, Any], dict[str, list[list[str]]]]:
    """The records and the structures that are arguments, or fields of those."""
    records: dict[str, Any] = {}
    structures: dict[str, list[list[str]]] = {}

    def add(kind: ArgumentType) -> None:
        if isinstance(kind, Structure) and str(kind) not in structures:
            fields = layout(kind).fields()
            structures[str(kind)] = [[name, str(array)] for name, array in fields]
            for _, array in fields:
                add(array)
        if isinstance(kind, Array) and kind.dtype.names is not None:
            records[str(Array(kind.dtype)).partition("[")[0]] = described(kind.dtype)

    for signature in signatures:
        for argument in signature.arguments:
            add(argument)
    return records, structures


@functools.cache
def digest(path: str) -> str | None:
    """Of a file of the package; None if it is not there, as where only compiled modules are installed.

    (All that a run needs are hashed in 2 ms: to remember their times would not pay.)
    """
    try:
        return hashlib.sha256((PACKAGE / path).read_bytes()).hexdigest()[:16]
    except OSError:
        return None
