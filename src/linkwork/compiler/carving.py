"""Parts of an array as arrays or records of their own, by their place: nothing is copied, and nothing is checked.

A slice, a reshape or a view does the same and takes 0.02 to 0.2 s to compile, each time; these take a few ms.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.intrinsics import Intrinsic

record_at = Intrinsic(
    "record_at", "record_at(memory, at, table): the record of type `table` that begins at memory[at]."
)

array_at = Intrinsic(
    "array_at",
    """array_at(memory, at, shape, kind): the array of numbers or records that begins at memory[at].

    `shape`: length, or rows and columns.
    """,
)


def fields_of(dtype: np.dtype) -> Intrinsic:
    """A function of a record that has these fields side by side: these fields as a record of their own.

    One type for all tables that have them, so that what reads them is compiled once.
    """
    return Intrinsic("fields_of", "These fields of a record, as a record of their own.", dtype)
