"""Python's collector of cyclic garbage, kept waiting where much is built that stays.

It looks through all objects there are whenever their number has grown by a quarter.  While a model of many elements is
put together, or a run of it prepared, they grow and none is garbage: that took a fifth of the call for a chain of
100,000 links.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """No collection within, in this and all other threads; references that count are freed as ever."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
