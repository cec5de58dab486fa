"""Kernels on disk: found again, never stale, never garbled; where the folder cannot be written, a temporary one."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from linkwork.compiler import sources
from linkwork.compiler.meter import METER
from linkwork.compiler.numba_backend import disk_cache
from linkwork.compiler.numba_backend.dispatchers import dispatcher

OUTER = """
from linkwork.compiler.kernels import kernel
from .inner import times

@kernel
def f(x):
    return times(x)
"""
INNER = """
from linkwork.compiler.kernels import part

@part
def times(x):
    return {} * x
"""


@pytest.fixture
def package(tmp_path, monkeypatch) -> Iterator[Path]:
    """A package with a kernel that calls a part of another module, and a cache of its own."""
    folder = tmp_path / "a_users_package"
    folder.mkdir()
    for name, text in (("__init__", ""), ("outer", OUTER), ("inner", INNER.format(2.0))):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python does not see an edit within a second of the last
    monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path / "cache")
    yield folder
    forget()


def forget() -> None:
    """As in a new process."""
    for name in [name for name in sys.modules if name.startswith("a_users_package")]:
        del sys.modules[name]
    for cached in (sources.fingerprint, sources.file_of, sources._source, sources._digest, sources._imports):
        cached.cache_clear()
    importlib.invalidate_caches()


def outer() -> ModuleType:
    forget()
    return importlib.import_module("a_users_package.outer")


def compiled_by(action) -> int:
    before = METER.count
    action()
    return METER.count - before


def files() -> list[Path]:
    return sorted(disk_cache.cache_folder().rglob(f"*{disk_cache.SUFFIX}"))


def test_a_kernel_is_compiled_once(package):
    assert compiled_by(lambda: outer().f(3.0)) == 2
    assert len(files()) == 2
    assert disk_cache.has_kernels("a_users_package.outer")
    again = outer()
    assert compiled_by(lambda: again.f(3.0)) == 0
    assert again.f(3.0) == 6.0
    assert compiled_by(lambda: again.f(3)) > 0  # another type


def test_an_edit_below_is_never_stale(package):
    assert outer().f(3.0) == 6.0
    (package / "inner.py").write_text(INNER.format(5.0))
    assert outer().f(3.0) == 15.0


@pytest.mark.parametrize("damage", ["cut", "garbled", "empty"])
def test_a_damaged_file_is_compiled_anew(package, damage):
    outer().f(3.0)
    for path in files():
        content = path.read_bytes()
        spoilt = bytearray(content)
        spoilt[len(content) // 2] ^= 0xFF
        path.write_bytes({"cut": content[: len(content) // 2], "garbled": bytes(spoilt), "empty": b""}[damage])
    assert compiled_by(lambda: outer().f(3.0)) == 2
    assert compiled_by(lambda: outer().f(3.0)) == 0


def test_a_folder_that_fills_up_stops_nothing(package, monkeypatch):
    def full(self, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(RuntimeWarning, match="could not be kept in .*No space left"):
        assert outer().f(3.0) == 6.0
    assert files() == []


def test_without_a_folder_to_write_to_kernels_are_kept_for_the_process(tmp_path):
    """The temporary folder serves child processes too, and is removed at the end."""
    nowhere = tmp_path / "a file"
    nowhere.write_text("")
    code = (
        "import os, warnings; warnings.simplefilter('error', RuntimeWarning);"
        "from linkwork.compiler.numba_backend import disk_cache\n"
        "try: disk_cache.cache_folder()\n"
        "except RuntimeWarning as warning: print(warning)\n"
        "print(os.environ['LINKWORK_CACHE'])"
    )
    environment = {**os.environ, "LINKWORK_CACHE": str(nowhere / "kernels")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    told, folder = done.stdout.splitlines()
    assert "cannot be kept" in told and "set LINKWORK_CACHE to a folder that can be written" in told
    assert folder != environment["LINKWORK_CACHE"] and not Path(folder).exists()


def test_kernels_of_a_closure_are_not_kept(package):
    def made(factor):
        from linkwork.compiler.kernels import kernel

        return kernel(lambda x: factor * x)

    one, other = made(2.0), made(3.0)
    assert (one(2.0), other(2.0)) == (4.0, 6.0)
    assert type(dispatcher(one)._cache).__name__ == "NullCache"


def test_the_fingerprint_counts_what_is_imported(package):
    forget()
    before = sources.fingerprint("a_users_package.outer")
    assert {"a_users_package.inner", "linkwork.compiler.kernels"} <= sources.below("a_users_package.outer")
    assert "linkwork.compiler.numba_backend.shortcuts" in sources.below("a_users_package.outer")
    (package / "inner.py").write_text(INNER.format(7.0))
    forget()
    assert sources.fingerprint("a_users_package.outer") != before
    assert sources.fingerprint("there_is_no_such_module") is None
