"""Builds the native library: python -m linkwork.compiler.build [--out FOLDER] [--architecture aarch64] [--jobs 2]

One that is there, and of these very sources, stays.

What it holds is said by the modules themselves: `exports()` of a module yields its kernels with their signatures, those
that Python calls and those that are bound.  They are compiled in several processes, a share each, and linked by the C
compiler into one shared library; beside it come the manifest, a C header and the module that makes the calls.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from linkwork import __version__
from linkwork.compiler.argument_types import Array, Signature, Structure, record_code
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.native.header import header, kernel_table
from linkwork.compiler.native.kernel_sources import sources_of
from linkwork.compiler.native.kernel_texts import COMPLEX_TEXT, KERNEL_TEXTS, write_texts
from linkwork.compiler.native.library import (
    CALLER,
    FOLDER,
    HEADER,
    KERNEL_TABLE,
    LIBRARY,
    MANIFEST,
    MODEL_HEADER,
    RUNTIME,
    file_digest,
    runtime_files,
)
from linkwork.compiler.native.manifest import (
    Manifest,
    Wanted,
    described_types,
    digest,
    full_name,
    machine,
    read_manifest,
)
from linkwork.compiler.sources import HOUSE, PACKAGE

BASELINES = {"x86_64": "x86-64", "aarch64": "generic"}  # the processors that every machine of the kind has
SHARES = (  # modules that share most of what they call, and are compiled together; the longest first
    ("formulations", "elements", "expressions", "numerics"),
    ("methods", "integrators"),
    ("analyses", "results", "studies", "reproduce", "view"),
)
MODEL_ROOMS = (*SHARES[0], *SHARES[1])
MADE_BY = [  # beside the modules that have kernels
    f"compiler/{name}"
    for name in (
        "build.py", "native/manifest.py", "native/kernel_sources.py", "native/kernel_texts.py", "native/header.py",
        "native/caller.c", "native/runtime.c", "numba_backend/ahead_of_time.py", "llvm_text.py",
    )
]  # fmt: skip
SOURCES = PACKAGE / "compiler" / "native"
C_FLAGS = ("-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-s")


class Processor(NamedTuple):
    """What the library is for."""

    architecture: str  # as the operating system names it
    cpu: str  # as LLVM names it

    def is_here(self) -> bool:
        """Whether this machine has one."""
        return self.architecture == platform.machine()


def main() -> None:
    """Build as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m linkwork.compiler.build", description="Build the native library.")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to (default: where it is looked for)")
    parser.add_argument(
        "--architecture", default=platform.machine(), choices=sorted({*BASELINES, platform.machine()}),
        help="that it is for (default: this machine's); for another one CC names a C compiler",
    )  # fmt: skip
    parser.add_argument("--cpu", help="processor, as LLVM names it (default: the oldest of the architecture)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile at once")
    given = parser.parse_args()
    processor = Processor(given.architecture, given.cpu or BASELINES.get(given.architecture, "generic"))
    if is_up_to_date(given.out, processor):
        print(f"the native library in {given.out} is up to date")
        return
    began = time.perf_counter()
    manifest = build(given.out, processor, given.jobs)
    size = (given.out / LIBRARY).stat().st_size / 1e6
    spent = time.perf_counter() - began
    print(f"{len(manifest.exports)} kernels for {manifest.machine} ({manifest.cpu}): {size:.2f} MB in {spent:.0f} s")


def is_up_to_date(out: Path, processor: Processor | None = None) -> bool:
    """Whether there is a library of these sources, for this processor or, unless one is given, for any of this kind of
    machine.
    """
    try:
        manifest = read_manifest(out / MANIFEST)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return False
    wanted = (machine(), manifest.cpu) if processor is None else (machine(processor.architecture), processor.cpu)
    of_this = (manifest.version, manifest.machine, manifest.cpu) == (__version__, *wanted)
    same = all(digest(path) == was for path, was in manifest.files)
    return of_this and same and _is_whole(out, manifest) and manifest.exports == [one.export() for one in all_wanted()]


def _is_whole(out: Path, manifest: Manifest) -> bool:
    return all((out / name).is_file() and file_digest(out / name) == was for name, was in manifest.libraries.items())


def build(out: Path, processor: Processor, jobs: int) -> Manifest:
    """Library, manifest, header and caller into a folder."""
    compiler = c_compiler(processor)
    _compile_for(processor)
    wanted = all_wanted()
    parts, manifest = shares(wanted), manifest_of(wanted, processor)
    with ProcessPoolExecutor(min(jobs, len(parts)), get_context("spawn")) as pool:
        objects = list(pool.map(_object_of, range(len(parts)), [processor] * len(parts)))
    refuse_changed(manifest)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as unfinished:
        folder = Path(unfinished)
        (folder / HEADER).write_text(header(manifest, record_names()), encoding="utf-8")
        for_models = [one.stage for part in parts if _runs_models(part) for one in part]
        (folder / KERNEL_TABLE).write_text(kernel_table(manifest.name, for_models), encoding="utf-8")
        shutil.copy(RUNTIME / MODEL_HEADER, folder)
        link(compiler, [content for content, _ in objects], folder)
        texts = {_text_name(k, part): text for k, ((_, text), part) in enumerate(zip(objects, parts, strict=True))}
        write_texts(folder, {name: text for name, text in texts.items() if name})
        manifest.libraries.update({name: file_digest(folder / name) for name in (LIBRARY, CALLER)})
        manifest.write(folder / MANIFEST)
        for name in (LIBRARY, CALLER, HEADER, MODEL_HEADER, KERNEL_TABLE, KERNEL_TEXTS, MANIFEST):  # the library last
            (folder / name).replace(out / name)
    return manifest


def refuse_changed(manifest: Manifest) -> None:
    """Refuse a library of sources that are others by now: it would pass for one of these."""
    changed = [path for path, was in manifest.files if str(digest(path)) != was]
    if changed:
        sys.exit(f"linkwork: {', '.join(changed[:3])} changed while the native library was built; build it again")


def c_compiler(processor: Processor) -> str:
    """The C compiler, by name."""
    names: tuple[str, ...] = (
        ("gcc", "cc", "clang") if processor.is_here() else (f"{processor.architecture}-linux-gnu-gcc",)
    )
    for name in (os.environ.get("CC", ""), *names):
        if name and shutil.which(name):
            return name
    sys.exit(
        f"linkwork: no C compiler for {processor.architecture} here: install {names[0]}, or name another in CC; until "
        "then Numba compiles"
    )


def _compile_for(processor: Processor) -> None:
    """For Numba, which reads this when it is imported: a plain processor, and nothing of this machine's own."""
    cpu = processor.cpu if processor.is_here() else "generic"
    os.environ |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": "", "LINKWORK_BACKEND": "jit"}


# -- what -------------------------------------------------------------------------------------------------------------
def all_wanted() -> list[Wanted]:
    """Every export of the house, with its symbols."""
    found: dict[tuple[Kernel, Signature], str] = {}
    for module in exporting_modules():
        for kernel, signature in importlib.import_module(module).exports():
            if kernel.__module__.startswith(f"{HOUSE}."):  # a method, integrator or family may come from elsewhere
                found.setdefault((kernel, signature), _symbol(kernel, signature))
    names = list(found.values())
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise RuntimeError(f"several kernels of one name: {', '.join(sorted(repeated))}")
    return [
        Wanted(kernel, signature, f"lw_stage_{name}", f"lw_{name}" if kernel.kind == "kernel" else "")
        for (kernel, signature), name in found.items()
    ]


def exporting_modules() -> list[str]:
    """The modules of the house that have a function `exports`."""
    return [
        ".".join((HOUSE, *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in sorted(PACKAGE.rglob("*.py"))
        if "\ndef exports(" in path.read_text(encoding="utf-8")
    ]


def _symbol(kernel: Kernel, signature: Signature) -> str:
    """By the place of the kernel in the house, and whether it is for complex numbers."""
    name = full_name(kernel).removeprefix(f"{HOUSE}.").replace(".", "_")
    return f"{name}_complex" if is_complex(signature) else name


def is_complex(signature: Signature) -> bool:
    """Whether complex numbers are among the arguments."""
    return any(
        argument.complex if isinstance(argument, Structure) else argument.dtype.kind == "c"
        for argument in signature.arguments
        if isinstance(argument, (Structure, Array))
    )


def shares(wanted: Sequence[Wanted]) -> list[list[Wanted]]:
    """What one process compiles: complex and real have nothing in common, the rooms of the house little."""
    complex = [one for one in wanted if is_complex(one.signature)]
    real = [one for one in wanted if not is_complex(one.signature)]
    rooms = [room for rooms in SHARES for room in rooms]
    unknown = {_room(one) for one in real} - set(rooms)
    parts = [[one for one in real if _room(one) in rooms] for rooms in (*SHARES, tuple(unknown))]
    return [part for part in (complex, *parts) if part]


def _runs_models(part: Sequence[Wanted]) -> bool:
    """Whether a share has kernels of the time loop or of its derivatives, which a model out of a file calls."""
    return _room(part[0]) in MODEL_ROOMS


def _text_name(k: int, part: Sequence[Wanted]) -> str:
    """Of the file of a share in LLVM's language; of one that models do not call, nothing."""
    if not _runs_models(part):
        return ""
    return COMPLEX_TEXT if is_complex(part[0].signature) else f"kernels_{k}.ll"


def _room(one: Wanted) -> str:
    return one.kernel.__module__.split(".")[1]


def _object_of(share: int, processor: Processor) -> tuple[bytes, str]:
    """The object file of one share and its text, in a process of its own; complex kernels, a third of the library, are
    short: they differentiate, and are called seldom.
    """
    _compile_for(processor)
    from linkwork.compiler.numba_backend.ahead_of_time import object_file

    wanted = shares(all_wanted())[share]
    return object_file(wanted, processor.cpu, processor.architecture, short=is_complex(wanted[0].signature))


# -- what becomes of it -----------------------------------------------------------------------------------------------
def manifest_of(wanted: Sequence[Wanted], processor: Processor) -> Manifest:
    """What the library is, and of what."""
    records, structures = described_types(one.signature for one in wanted)
    return Manifest(
        version=__version__, machine=machine(processor.architecture), cpu=processor.cpu,
        compiler=f"Numba {version('numba')}", exports=[one.export() for one in wanted],
        records=records, structures=structures,
        **sources_of({one.kernel.__module__ for one in wanted}, [*MADE_BY, *runtime_files()]),
    )  # fmt: skip


def record_names() -> dict[str, str]:
    """How the records are called in the modules of the house, by their codes."""
    found: dict[str, str] = {}
    for module in sorted(name for name in sys.modules if name.startswith(f"{HOUSE}.")):
        for name, value in vars(sys.modules[module]).items():
            if isinstance(value, np.dtype) and value.names is not None and name.isupper():
                found.setdefault(record_code(value), name.lower())
    names = list(found.values())
    return {code: name if names.count(name) == 1 else f"{name}_{code.split()[1]}" for code, name in found.items()}


def link(compiler: str, objects: Iterable[bytes], folder: Path) -> None:
    """The library, and the module that calls it."""
    files = []
    for k, content in enumerate(objects):
        files.append(folder / f"{k}.o")
        files[-1].write_bytes(content)
    closed = ("-Wl,--no-undefined", "-Wl,--gc-sections", "-Wl,-Bsymbolic")
    texts = (SOURCES / "runtime.c", folder / KERNEL_TABLE, *sorted(RUNTIME.glob("*.c")))
    _run(compiler, *C_FLAGS, f"-I{folder}", f"-I{RUNTIME}", *closed, *files, *texts, "-lm", "-o", folder / LIBRARY)
    includes = (f"-I{folder}" for folder in (sysconfig.get_paths()["include"], np.get_include()))
    _run(compiler, *C_FLAGS, *includes, SOURCES / "caller.c", "-o", folder / CALLER)


def _run(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True)


if __name__ == "__main__":
    main()
