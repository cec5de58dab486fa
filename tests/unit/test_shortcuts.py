"""Shortcuts through Numba: it decides with them as it does without, and nobody else's functions meet them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import itanium_mangler, postproc
from numba.core.errors import NumbaError, TypingError
from numba.core.runtime import _nrt_python, rtsys

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.compiler.kernels import kernel
from linkwork.compiler.meter import METER
from linkwork.compiler.numba_backend import disk_cache, patching
from linkwork.compiler.numba_backend.dispatchers import dispatcher
from linkwork.library import library_model
from linkwork.numerics.rank_revealing import factor_rows


@pytest.fixture
def taken() -> Iterator[None]:
    """Shortcuts in place for all that is compiled, as while a kernel is compiled."""
    with patching.taken():
        yield


@pytest.fixture
def empty_cache(monkeypatch, tmp_path) -> None:
    """Kernels that are new to this process are compiled, not loaded."""
    monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path)


def test_all_shortcuts_fit_this_numba():
    assert patching.left_out() == {}
    assert not patching.given_up()


# -- with them, Numba decides as it does without ----------------------------------------------------------------------
def test_operators_keep_their_types(taken):
    @numba.njit
    def add(a, b):
        return a + b

    for _ in range(2):  # the second time by the template that is known
        assert add(1, 2) == 3 and isinstance(add(1, 2), int)
        assert add(1, 2.5) == 3.5
        assert add(1.5, 2j) == 1.5 + 2j
        assert add("a", "b") == "ab"
        assert add((1,), (2.0,)) == (1, 2.0)
        assert np.array_equal(add(np.arange(3), 1.5), np.arange(3) + 1.5)


def test_what_cannot_be_typed_is_still_an_error(taken):
    @numba.njit
    def add(a, b):
        return a + b

    for _ in range(2):
        with pytest.raises(TypingError, match="No implementation of function"):
            add(1, "b")


def test_long_names_are_told_apart():
    """Two functions as arguments that differ in their last argument only: symbols are short and not the same."""
    alike = [numba.types.float64] * 20
    lasts = (numba.types.int64, numba.types.int32)
    kinds = [numba.types.FunctionType(numba.types.void(*alike, last)) for last in lasts]
    spelt_out = [itanium_mangler.mangle_args([kind]) for kind in kinds]
    with patching.taken():
        short = [itanium_mangler.mangle_args([kind]) for kind in kinds]
    assert short[0] != short[1]
    assert max(map(len, short)) < 30 < min(map(len, spelt_out))
    assert spelt_out == [itanium_mangler.mangle_args([kind]) for kind in kinds]


def test_with_them_and_without_the_same_numbers(monkeypatch, tmp_path):
    """The same function compiled twice; a whole run, see below.  To rounding: sums are made in another order, where no
    index is asked for its sign.
    """
    rows = np.random.default_rng(0).normal(size=(5, 7))
    found = []
    for plainly in (False, True):
        monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path / str(plainly))  # noqa: B023
        fresh, before = kernel(factor_rows.py_func), METER.count
        copy, vectors, pivots = rows.copy(), np.ones((3, 7)), np.zeros(5, np.int64)
        with patching.plainly() if plainly else nullcontext():
            rank = dispatcher(fresh)(copy, 1e-9, *vectors, pivots)
        assert METER.count > before
        found.append((rank, pivots.tolist(), np.concatenate([copy, vectors])))
    assert found[0][:2] == found[1][:2]
    assert found[0][2] == pytest.approx(found[1][2], abs=1e-14)


@pytest.mark.slow
def test_a_run_with_them_and_without_the_same_numbers(tmp_path):
    code = (
        "import sys; from linkwork.compiler.numba_backend import patching;"
        "from linkwork.library import library_model; from linkwork.analyses.simulate.dynamics import Options, simulate;"
        "patching._STATE.plain = len(sys.argv) > 1;"
        "print(*simulate(library_model('four-bar').mechanism, Options(until=3.0)).q[-1].tolist())"
    )
    ends = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True,
            env={**os.environ, "LINKWORK_CACHE": str(tmp_path / str(len(arguments))), "LINKWORK_BACKEND": "jit"},
        ).stdout
        for arguments in ((), ("plainly",))
    ]  # fmt: skip
    one, other = (np.array(end.split(), float) for end in ends)
    assert one == pytest.approx(other, abs=1e-5)  # ten times rtol: steps may differ


# -- and nobody else meets them ---------------------------------------------------------------------------------------
def places() -> list[tuple[Any, str]]:
    """Where Numba keeps the functions that are replaced."""
    return [shortcut.place() for shortcut in patching.SHORTCUTS if not shortcut.misfit()]


def replaced() -> list[str]:
    """Which of Numba's functions are not its own at this moment."""
    return [name for owner, name in places() if not getattr(owner, name).__module__.startswith("numba.")]


def test_after_a_kernel_is_compiled_numba_is_as_it_was(empty_cache):
    seen = []

    def watched(value):
        seen.append(replaced())
        return value

    fresh = kernel(lambda x: 2.0 * x + 1.0)
    before = [vars(owner).get(name) for owner, name in places()]
    with patching.taken() as outermost, patching.taken() as inner:
        assert outermost and not inner
        watched(fresh(1.0))
    assert seen[0]  # they were in place meanwhile
    assert replaced() == []
    assert before == [vars(owner).get(name) for owner, name in places()]


def test_a_kernel_that_cannot_be_compiled_leaves_numba_as_it_was():
    fresh = kernel(lambda x: x.there_is_no_such_field)
    with pytest.raises(TypingError, match="there_is_no_such_field"):
        fresh(1.0)
    assert replaced() == []
    assert not patching.given_up()


def allocations():
    """So far in this process: memory taken and given back, objects made and unmade."""
    _nrt_python.memsys_enable_stats()
    return rtsys.get_allocation_stats()


def test_functions_of_others_still_count_references(taken):
    """What they allocate is freed, and what they return is held; also those that are compiled for a kernel."""

    @numba.njit
    def halves(a):
        b = a.copy()
        return b[: len(a) // 2], b[len(a) // 2 :]

    a = np.arange(1000.0)
    before = sys.getrefcount(a)
    statistics = allocations()
    for _ in range(50):
        left, right = halves(a)
        assert right[-1] == 999.0
    del left, right
    after = allocations()
    assert sys.getrefcount(a) == before
    assert after.alloc - statistics.alloc == after.free - statistics.free


def test_indices_of_others_still_count_from_the_end(taken):
    @numba.njit
    def entry(a, k):
        return a[k]

    assert entry(np.arange(5.0), -2) == 3.0


def test_an_index_written_as_a_number_counts_from_the_end_in_kernels(empty_cache):
    last = kernel(lambda a: a[-1] + 10.0 * a[-2])
    assert last(np.arange(5.0)) == 34.0


@pytest.mark.slow
def test_no_kernel_has_an_index_out_of_bounds():
    """Compiled with checks of every index: all methods, integrators, library models, elements and analyses."""
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "LINKWORK_BACKEND": "jit"}
    root = Path(__file__).parents[2]
    chosen = [f"tests/contract/test_{name}.py" for name in ("memory", "every_element", "switching", "changes", "batch")]
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *chosen]
    found = subprocess.run(run, cwd=root, env=checked, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-3000:]


# -- on any surprise the plain way ------------------------------------------------------------------------------------
@pytest.fixture
def fresh_state(monkeypatch, empty_cache) -> patching._State:
    """Shortcuts that no test has met yet."""
    state = patching._State()
    monkeypatch.setattr(patching, "_STATE", state)
    return state


def test_where_a_shortcut_breaks_kernels_are_compiled_plainly(fresh_state):
    def broken(self, *arguments, **named):
        raise AttributeError("no such thing in this Numba")

    fresh_state._fitting = [(postproc.PostProcessor, "run", broken)]
    with pytest.warns(RuntimeWarning, match=r"compiles without shortcuts only \(AttributeError: no such thing"):
        assert kernel(lambda x: 3.0 * x)(2.0) == 6.0
    assert patching.given_up() and replaced() == []
    assert kernel(lambda x: 4.0 * x)(2.0) == 8.0


def test_a_shortcut_that_does_not_fit_is_left_out(fresh_state, monkeypatch):
    other = patching.Shortcut("numba.core.postproc.PostProcessor.run", ("self", "other"), lambda original: original, ())
    gone = patching.Shortcut("numba.core.postproc.NoSuchClass.run", ("self",), lambda original: original, ())
    monkeypatch.setattr(patching, "SHORTCUTS", [other, gone])
    with pytest.warns(RuntimeWarning) as told:
        assert kernel(lambda x: 5.0 * x)(2.0) == 10.0
    assert [str(warning.message) for warning in told if "does not fit" in str(warning.message)]
    assert fresh_state._fitting == []
    assert not patching.given_up()


# -- kernels own no memory --------------------------------------------------------------------------------------------
def test_kernels_leave_the_references_to_arrays_as_they_were():
    """A whole run: stages, slices, records and structures by reference; twice, the second time from the cache."""
    model = library_model("four-bar")
    simulate(model.mechanism, Options(until=0.1))
    allocations()
    gc.collect()
    before = allocations()
    for integrator in ("adams", "dop853"):
        simulate(model.mechanism, Options(until=0.1, integrator=integrator))
    gc.collect()
    after = allocations()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free


def test_arrays_that_a_kernel_was_given_are_held_by_their_owner_alone():
    rows, vectors, pivots = np.eye(3), np.ones((3, 3)), np.zeros(3, np.int64)
    before = [sys.getrefcount(a) for a in (rows, vectors, pivots)]
    for _ in range(20):
        assert factor_rows(rows, 1e-9, vectors[0], vectors[1], vectors[2], pivots) == 3
    assert [sys.getrefcount(a) for a in (rows, vectors, pivots)] == before


def test_a_kernel_that_allocates_is_refused():
    for makes in (lambda a: np.zeros(3)[0] + a[0], lambda a: (2.0 * a)[0], lambda a: a.copy()[0]):
        with pytest.raises(NumbaError, match="makes an array; a kernel gets its arrays from Python"):
            kernel(makes)(np.ones(3))
