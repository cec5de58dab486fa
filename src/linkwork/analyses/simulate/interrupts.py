"""Ctrl-C between chunks and after them: what was computed is kept, and the run says that it was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from linkwork.results.result import INTERRUPTED, Certificate


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


@contextmanager
def checks_may_be_stopped(certificate: Certificate) -> Iterator[None]:
    """Ctrl-C while a run is checked that was computed to its end: the run stays, without what was not checked."""
    try:
        yield
    except KeyboardInterrupt:
        certificate.status = "stopped"
        certificate.warnings.append(
            f"{INTERRUPTED} after t = {certificate.t_end:.6g} s, while the run was being checked: its samples are all "
            "there, but singular positions and branches may be missing"
        )
