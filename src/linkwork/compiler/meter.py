"""The meter of compilation: how many functions this process has compiled, and how long that took."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


class Meter:
    """Adds up what compilation costs, and reports to a listener that it goes on.

    Meanwhile no garbage is collected: the compiler makes many objects that stay, and to look through them again and
    again is a tenth of its time.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.count = 0
        self.tell: Callable[[int], None] | None = None  # called with the count when one more function is compiled
        self._depth = 0
        self._began = 0.0
        self._collects = False  # whether garbage was collected before

    def start(self) -> None:
        """One more function is being compiled (loading from the cache does not count)."""
        if self._depth == 0:
            self._began = time.perf_counter()
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1
        self.count += 1
        if self.tell is not None:
            self.tell(self.count)

    def end(self) -> None:
        """It is compiled."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began
            if self._collects:
                gc.enable()


METER = Meter()  # of this process
