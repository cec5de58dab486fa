"""Parts of an array by their place are what NumPy's slices, reshapes and views are; frames of all tables lie alike."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.errors import TypingError

from linkwork.compiler.carving import array_at, record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.registry import FAMILIES
from linkwork.elements.signals.frame_pairs import PAIR, pair_of

REAL, WHOLE = np.float64, np.int64
RECORD = np.dtype([("a", np.float64), ("n", np.int64)], align=True)
APART = np.dtype([("one", np.int32), *PAIR], align=True)


@kernel
def carved(memory):
    """Write through each kind of part."""
    rows = array_at(memory, 2, (3, 4), REAL)
    rows[1, 2] = 12.0
    row = rows[2]
    row[3] = 23.0
    array_at(memory, 14, 2, WHOLE)[1] = -7
    record = record_at(memory, 16, RECORD)
    record.a = 1.5
    record.n = 9
    records = array_at(memory, 16, 2, RECORD)
    records[1].n = records[0].n + 1
    return rows.shape, rows.size, records.shape[0]


def test_parts_share_the_memory():
    memory = np.zeros(20)
    assert carved(memory) == ((3, 4), 12, 2)
    expected = np.zeros(20)
    expected[2:14].reshape(3, 4)[1, 2], expected[2:14].reshape(3, 4)[2, 3] = 12.0, 23.0
    expected[14:16].view(np.int64)[1] = -7
    expected[16:20].view(RECORD)[0], expected[16:20].view(RECORD)["n"][1] = (1.5, 9), 10
    assert memory.tobytes() == expected.tobytes()


def test_only_contiguous_memory_is_carved():
    with pytest.raises(TypingError, match="not a contiguous vector"):
        carved(np.zeros(40)[::2])


@kernel
def last_of_pair(table):
    return pair_of(table[0]).p_BM[2]


@pytest.mark.parametrize("family", [f for f in FAMILIES if "R_BM" in f.record.names], ids=lambda f: f.name)
def test_frames_lie_alike_in_every_table(family):
    table = np.zeros(1, family.record)
    table["p_BM"] = 1.0, 2.0, 3.0
    assert last_of_pair(table) == 3.0


def test_frames_that_lie_apart_are_refused():
    with pytest.raises(TypingError, match="do not lie side by side"):
        last_of_pair(np.zeros(1, APART))
