"""Numba with linkwork's shortcuts decides as it does without: types, errors, symbols."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from linkwork.numerics import jit


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
