"""Kernels as light objects: what they are before they are compiled, and how they are called, bound and pickled."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from linkwork.compiler.argument_types import (
    COMPLEX_WORK,
    REAL,
    STATUS,
    SYSTEM,
    VECTOR,
    WHOLE,
    WORK,
    records,
    signature,
)
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import Kernel, bind, bind_loop, kernel, part, stage
from linkwork.compiler.meter import METER
from linkwork.numerics.scalars import sqrt

pytestmark = pytest.mark.jit

TWICE = signature(REAL, x=REAL)
APPLY = signature(REAL, function=TWICE.stage, x=REAL)


@part
def half(x):
    """A half of x."""
    return 0.5 * x


@stage
def twice(x):
    return 4.0 * half(x)


@stage
def thrice(x):
    return 3.0 * x


@kernel
def apply(function, x):
    return function(x) + 1.0


@kernel
def squares(values):
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k] * values[k]
    return total


def test_a_kernel_looks_like_its_function():
    assert isinstance(half, Kernel) and half.kind == "part"
    assert (half.__name__, half.__doc__, half.__module__) == ("half", "A half of x.", __name__)
    assert half.py_func(3.0) == 1.5
    assert repr(half) == f"<part {__name__}.half>"
    assert pickle.loads(pickle.dumps(half)) is half


def test_a_kernel_is_compiled_when_it_is_called():
    assert squares(np.arange(3.0)) == 5.0
    before = METER.count
    assert squares(np.arange(4.0)) == 14.0
    assert METER.count == before
    assert isinstance(squares, Kernel)


def test_only_kernels_are_called_from_python():
    for function, kind in ((half, "part"), (twice, "stage")):
        with pytest.raises(TypeError, match=rf"{function.__name__} is a {kind}: only kernels call it"):
            function(1.0)
    with pytest.raises(TypeError, match="record_at is for kernels"):
        record_at(np.zeros(3), 0, np.float64)


def test_a_loop_takes_stages_as_values():
    """Compiled once for all stages of a signature."""
    for function in (twice, thrice):
        bind(function, TWICE)
    bind_loop(apply, APPLY)
    before = METER.count
    assert (apply(twice, 5.0), apply(thrice, 5.0)) == (11.0, 16.0)
    assert METER.count == before


def test_a_stage_that_returns_something_else_is_refused():
    with pytest.raises(TypeError, match="thrice> returns float64; by its signature it returns int64"):
        bind(thrice, signature(WHOLE, x=REAL))


def test_signatures_are_told_apart_by_their_types():
    one, other = signature(STATUS, "one", a=REAL, work=WORK), signature(STATUS, "other", b=REAL, work=WORK)
    assert one == other and hash(one) == hash(other)
    assert one.with_work(COMPLEX_WORK) != one
    assert one.with_work(COMPLEX_WORK).arguments == (REAL, COMPLEX_WORK)
    table = records(np.dtype([("n", np.int64)]))
    assert str(signature(STATUS, s=SYSTEM, v=VECTOR, f=one.stage)) == "(System, d[:], stage(d, Work) -> q) -> q"
    assert str(table).endswith("[:]")


@kernel
def roots(values, found):
    for k in range(values.shape[0]):
        found[k] = sqrt(values[k])


@pytest.mark.parametrize("scalar", [np.float64, np.complex128, np.int64])
def test_a_function_by_scalar_type(scalar):
    values = np.array([4, 9, 2], scalar)
    found = np.zeros(3, np.result_type(scalar, float))
    roots(values, found)
    np.testing.assert_allclose(found, np.sqrt(values), rtol=1e-15)
    np.testing.assert_array_equal(sqrt(values), np.sqrt(values))
