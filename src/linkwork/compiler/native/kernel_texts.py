"""The kernels in LLVM's language, beside the library: for FMUs on other machines, and for GPUs.

All of them are in one archive that is compressed as a whole: they have much in common.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Mapping
from pathlib import Path

KERNEL_TEXTS = "kernels.tar.xz"
COMPLEX_TEXT = "complex.ll"  # among them: the kernels in complex numbers, for derivatives


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Texts by the names of their files."""
    with (
        lzma.open(folder / KERNEL_TEXTS, "wb", preset=9 | lzma.PRESET_EXTREME) as file,
        tarfile.open(fileobj=file, mode="w") as archive,
    ):
        for name, text in texts.items():
            content = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def read_texts(folder: Path) -> dict[str, str]:
    """The same."""
    with tarfile.open(folder / KERNEL_TEXTS) as archive:
        return {entry.name: archive.extractfile(entry).read().decode() for entry in archive}  # type: ignore[union-attr]
