"""Machine code on disk, cut or garbled: the kernel cache compiles anew, the native library is refused with a word.

Loading broken machine code may end a process: each is tried in a process of its own where that is possible at all.
"""

from __future__ import annotations

import importlib
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import garbled

from linkwork.compiler.native.library import CALLER, FOLDER, LIBRARY, MANIFEST, load
from linkwork.errors import KernelError

SEED = 20261116
needs_library = pytest.mark.skipif(not (FOLDER / MANIFEST).is_file(), reason="no native library is built")

KERNELS = """
from linkwork.compiler.kernels import kernel

@kernel
def f(x):
    return 2.0 * x + 1.0
"""


def spoilt(content: bytes, rng: random.Random) -> bytes:
    """Other than it was."""
    while True:
        made = garbled(content, rng)
        if made != content:
            return made


@needs_library
@pytest.mark.parametrize("name", [MANIFEST, LIBRARY, CALLER])
def test_no_damaged_library_is_loaded(name: str, tmp_path: Path) -> None:
    """Not even looked into: a cut library would end the process when it is loaded."""
    for each in (MANIFEST, LIBRARY, CALLER):
        shutil.copy(FOLDER / each, tmp_path / each)
    if '"seal"' not in (tmp_path / MANIFEST).read_text():
        pytest.skip("the library was built without checksums")
    whole = (FOLDER / name).read_bytes()
    for number in range(60):
        (tmp_path / name).write_bytes(spoilt(whole, random.Random(SEED + number)))
        with pytest.raises(KernelError) as refusal:
            load(tmp_path)
        assert "\n" not in refusal.value.message
    (tmp_path / name).unlink()
    with pytest.raises(KernelError):
        load(tmp_path)


@needs_library
@pytest.mark.jit
def test_a_run_with_a_damaged_library_goes_by_numba(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from linkwork.compiler.native import backend; "
        "backend.FOLDER = Path(sys.argv[1]); print(backend.choose().__name__)"
    )
    for each in (MANIFEST, LIBRARY, CALLER):
        shutil.copy(FOLDER / each, tmp_path / each)
    (tmp_path / MANIFEST).write_bytes((FOLDER / MANIFEST).read_bytes()[:1000])
    environment = {**os.environ, "LINKWORK_BACKEND": ""}
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["linkwork.compiler.numba_backend.dispatchers"]
    assert "cannot be loaded" in done.stderr and "kernels are compiled by Numba" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.jit
def test_every_damaged_file_of_the_cache_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.compiler.meter import METER
    from linkwork.compiler.numba_backend import disk_cache

    (tmp_path / "spoilt_kernels.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path / "cache")

    def anew() -> tuple[float, int]:
        sys.modules.pop("spoilt_kernels", None)
        before = METER.count
        return importlib.import_module("spoilt_kernels").f(3.0), METER.count - before

    assert anew() == (7.0, 1)
    assert anew() == (7.0, 0)
    (path,) = (tmp_path / "cache").rglob(f"*{disk_cache.SUFFIX}")
    whole = path.read_bytes()
    for number in range(25):
        path.write_bytes(spoilt(whole, random.Random(SEED + number)))
        assert anew() == (7.0, 1)
        assert anew() == (7.0, 0)


@pytest.mark.jit
def test_a_damaged_file_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither read nor removed, nor written anew: compiled for this process."""
    from linkwork.compiler import cache
    from linkwork.compiler.numba_backend import disk_cache

    (tmp_path / "stuck_kernels.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path / "cache")
    assert importlib.import_module("stuck_kernels").f(3.0) == 7.0
    (path,) = (tmp_path / "cache").rglob(f"*{disk_cache.SUFFIX}")
    path.write_bytes(b"no kernel")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for verb in ("unlink", "write_bytes"):
        monkeypatch.setattr(Path, verb, refused)
    cache._report_once.cache_clear()
    sys.modules.pop("stuck_kernels")
    with pytest.warns(RuntimeWarning, match="could not be kept in .*Permission denied"):
        assert importlib.import_module("stuck_kernels").f(3.0) == 7.0
    sys.modules.pop("stuck_kernels")
