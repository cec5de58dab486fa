"""Numba with linkwork's shortcuts decides as it does without: types, errors, symbols."""

from __future__ import annotations

import gc
import sys

import numba
import numpy as np
import pytest
from numba.core.errors import NumbaError, TypingError
from numba.core.runtime import _nrt_python, rtsys

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.compiler import kernels as jit
from linkwork.library import library_model
from linkwork.numerics.rank_revealing import factor_rows


def test_all_shortcuts_fit_this_numba():
    assert jit.LEFT_OUT == []


def test_operators_keep_their_types():
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


def test_what_cannot_be_typed_is_still_an_error():
    @numba.njit
    def add(a, b):
        return a + b

    for _ in range(2):
        with pytest.raises(TypingError, match="No implementation of function"):
            add(1, "b")


def test_records_with_long_names_are_told_apart():
    """Two records that differ in one offset only, at the end of a long name: one function, two machine codes."""
    fields = [(f"a_field_with_a_long_name_{k}", "f8") for k in range(20)]
    one = np.zeros(1, np.dtype([*fields, ("last", "f8")]))
    other = np.zeros(1, np.dtype([*fields, ("gap", "i8"), ("last", "f8")]))
    one["last"], other["last"], other["gap"] = 1.5, 2.5, 7

    @numba.njit
    def last(table):
        return table[0].last

    assert (last(one), last(other)) == (1.5, 2.5)
    assert all("T" in name and len(name) < 300 for name in (c.fndesc.llvm_func_name for c in last.overloads.values()))


def allocations():
    """So far in this process: memory taken and given back, objects made and unmade."""
    _nrt_python.memsys_enable_stats()
    return rtsys.get_allocation_stats()


def test_functions_outside_linkwork_still_count_references():
    """What they allocate is freed, and what they return is held."""

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


def test_kernels_leave_the_references_to_arrays_as_they_were():
    """A whole run: stages, slices, records and objects by reference; twice, the second time from the cache."""
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
        makes.__module__ = "linkwork.numerics.vectors"
        with pytest.raises(NumbaError, match="makes an array; a kernel gets its arrays from Python"):
            numba.njit(makes)(np.ones(3))
