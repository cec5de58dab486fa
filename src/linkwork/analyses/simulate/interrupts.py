"""Ctrl-C between chunks: what was computed is recorded before the run stops."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_held_back() -> Iterator[Callable[[], None]]:
    """Ctrl-C is only noted; the function given raises it where a run can stop.  A second Ctrl-C does not wait.

    Nothing changes in a thread, or where someone else handles Ctrl-C.
    """
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        if len(noted) > 1:
            raise KeyboardInterrupt

    def stop_here() -> None:
        if noted:
            raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stop_here
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield stop_here
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
