"""The kernels in LLVM's language, beside the library: for FMUs on other machines, and for GPUs.

All of them are in one archive that is compressed as a whole: they have much in common.  There a value is written by how
many others have been named since it was, as LLVM's own bitcode does it: like code is then like text wherever it stands,
and the archive is smaller by two fifths.
"""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

KERNEL_TEXTS = "kernels.tar.xz"
COMPLEX_TEXT = "complex.ll"  # among them: the kernels in complex numbers, for derivatives
FUNCTIONS = re.compile(r"^(?=define )", re.MULTILINE)
VALUE = re.compile(r"(%v|^v(?=-?\d+:))(-?\d+)", re.MULTILINE)  # or a label


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Texts by the names of their files."""
    with (
        lzma.open(folder / KERNEL_TEXTS, "wb", preset=9 | lzma.PRESET_EXTREME) as file,
        tarfile.open(fileobj=file, mode="w") as archive,
    ):
        for name, text in texts.items():
            content = relative(text).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def read_texts(folder: Path) -> dict[str, str]:
    """The same."""
    with tarfile.open(folder / KERNEL_TEXTS) as archive:
        members = {entry.name: archive.extractfile(entry) for entry in archive}
        return {name: absolute(file.read().decode()) for name, file in members.items() if file is not None}


def relative(text: str) -> str:
    """With values %v0, %v1 ..., which each function numbers in the order in which it names them, as distances from the
    newest: -1 is a new one.
    """
    functions = FUNCTIONS.split(text)
    return "".join(_renumbered(part, lambda number, newest: (newest - number, number)) for part in functions)


def absolute(text: str) -> str:
    """With values by their numbers again."""
    functions = FUNCTIONS.split(text)
    return "".join(_renumbered(part, lambda distance, newest: (newest - distance,) * 2) for part in functions)


def _renumbered(function: str, rule: Callable[[int, int], tuple[int, int]]) -> str:
    """Each number by a rule that takes it and the newest value, and gives what is written and which value that is."""
    newest = -1

    def renumber(found: re.Match[str]) -> str:
        nonlocal newest
        written, value = rule(int(found[2]), newest)
        newest = max(newest, value)
        return f"{found[1]}{written}"

    return VALUE.sub(renumber, function)
