"""Structures by reference: a kernel reads and writes the very arrays; one layout for each type."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from linkwork.compiler.argument_types import Structure
from linkwork.compiler.kernels import kernel
from linkwork.compiler.references import Reference, opener

pytestmark = pytest.mark.jit
RECORD = np.dtype([("mass", np.float64), ("body", np.int32)], align=True)


class Plant(NamedTuple):
    """A structure of this test."""

    matrix: np.ndarray
    records: np.ndarray
    empty: np.ndarray


def plant(scalar: type = np.float64) -> Plant:
    return Plant(np.arange(6.0).reshape(2, 3).astype(scalar), np.zeros(2, RECORD), np.zeros((0, 3), scalar))


@kernel
def work_on(plant):
    plant.matrix[1, 2] = 7.0
    plant.records[1].mass = 2.5
    plant.records[1].body = plant.matrix.shape[1]
    return plant.empty.shape[0]


open_plant = opener(Structure("Plant"))


@kernel
def at_address(address):
    return open_plant(address).matrix[1, 2]


def test_a_kernel_works_on_the_very_arrays():
    for scalar in (np.float64, np.complex128):
        made = plant(scalar)
        assert work_on(Reference(made)) == 0
        assert made.matrix[1, 2] == 7.0
        assert (made.records[1]["mass"], made.records[1]["body"]) == (2.5, 3)


def test_a_structure_is_opened_at_its_address():
    reference = Reference(plant())
    assert at_address(reference.address) == 5.0


def test_real_and_complex_are_two_types():
    assert Reference(plant()).type == Structure("Plant")
    assert Reference(plant(np.complex128)).type == Structure("Plant", complex=True)


def test_what_is_laid_out_otherwise_is_refused():
    Reference(plant())
    with pytest.raises(TypeError, match=r"Plant\.matrix is d\[:\]; kernels take d\[:, :\] there"):
        Reference(plant()._replace(matrix=np.zeros(3)))
    with pytest.raises(TypeError, match=r"Plant\.matrix is f\[:, :\]"):
        Reference(plant()._replace(matrix=np.zeros((2, 3), np.float32)))
    with pytest.raises(TypeError, match="contiguous"):
        Reference(plant()._replace(matrix=np.zeros((3, 2)).T))


def test_arrays_that_are_read_only_are_taken():
    made = plant()
    made.matrix.setflags(write=False)
    reference = Reference(made)
    assert at_address(reference.address) == 5.0


def test_a_reference_keeps_its_arrays_alive():
    reference = Reference(plant())
    assert work_on(reference) == 0 and at_address(reference.address) == 7.0
