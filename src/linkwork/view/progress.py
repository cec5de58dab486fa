"""Progress of a run on stderr: a bar on a terminal, next to nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from linkwork.compiler.kernels import has_kernels
from linkwork.compiler.meter import METER
from linkwork.lazy_import import lazy_functions
from linkwork.results.result import Certificate, Recorder, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
else:  # only a terminal needs them
    (Console,) = lazy_functions("rich.console", "Console")
    BarColumn, Progress, TextColumn, TimeRemainingColumn = lazy_functions(
        "rich.progress", "BarColumn", "Progress", "TextColumn", "TimeRemainingColumn"
    )

SHARED = "linkwork.formulations.equations"  # a module that every run needs
KERNELS = 210  # about as many functions are compiled on a machine that has none in its cache
COMPILING = "compiling kernels, once on this machine ..."
FIRST = "linkwork: compiling kernels (once on this machine, about half a minute) ..."
FURTHER = "linkwork: compiling further kernels (once on this machine, a few seconds; for a GPU up to a minute) ..."


@contextmanager
def progress_bar(name: str, until: float, wanted: bool | None) -> Iterator[Recorder | None]:
    """A recorder that shows how far the run is and that kernels are being compiled, or None where nothing is shown.

    Shown if `wanted`, or if that is None and stderr is a terminal; in a pipe then only one line, when kernels are
    compiled, and warnings that come up; nothing at all if not `wanted`.
    """
    if wanted or (wanted is None and sys.stderr.isatty()):
        with _bar() as bar, _announcing(_Watch(bar, name, until)) as watch:
            yield watch
    elif wanted is None:
        with _announcing(_PlainLine()) as line:
            yield line
    else:
        yield None


@contextmanager
def compiling(wanted: bool | None) -> Iterator[None]:
    """For whatever else compiles kernels: announce it as `progress_bar` does."""
    with progress_bar("", 1.0, wanted):
        yield


@contextmanager
def counter(name: str, things: str, wanted: bool | None) -> Iterator[Callable[[int, int], None]]:
    """A function of how many are done, and of how many; a bar where `progress_bar` shows one; announces compiling."""
    if not (wanted or (wanted is None and sys.stderr.isatty())):
        with compiling(wanted):
            yield lambda done, total: None
        return
    with _bar() as bar, _announcing(_Watch(bar, name, 1.0)) as watch:

        def advance(done: int, total: int) -> None:
            detail = f"{done} of {total} {things}"
            bar.update(watch.line, description=name, completed=done, total=total, detail=detail, visible=True)

        yield advance


class _Watch:
    """One line on the terminal: first the kernels, then the simulated time."""

    def __init__(self, bar: Progress, name: str, until: float) -> None:
        self.bar, self.name, self.until = bar, name, until
        self.before = METER.count
        self.all: bool | None = None  # whether none is in the cache yet
        self.line = bar.add_task(name, total=None, detail="", visible=False)
        self.warnings = _Warnings(lambda text: bar.console.print(text, markup=False, highlight=False))

    def compiling(self, count: int) -> None:
        """One more function is being compiled."""
        done = count - self.before
        if self.all is None:
            self.all = not has_kernels(SHARED)
        detail = f"{done} of about {KERNELS}" if self.all and done <= KERNELS else f"{done}"
        total = max(KERNELS, done + 1) if self.all else None
        self.bar.update(self.line, description=COMPILING, completed=done, total=total, detail=detail, visible=True)

    def begin(self, empty: Result) -> None:
        """The run is about to start."""
        self.warnings.begin(empty.certificate)
        self.bar.reset(
            self.line, description=self.name, total=self.until, detail=f"0 of {self.until:g} s", visible=True
        )

    def append(self, part: Result) -> None:
        """Simulated time and step size as they stand."""
        self.warnings.show(part.certificate)
        t = min(part.certificate.t_end, self.until)
        detail = f"{t:.4g} of {self.until:g} s"
        if len(part.steps):
            detail += f", step {part.steps['h'][-1]:.2g} s"
        self.bar.update(self.line, completed=t, detail=detail)

    def checking(self, what: str, done: int, count: int) -> None:
        """What goes on after the integration, or between two parts of it."""
        self.bar.update(self.line, detail=f"checking {what} {done}/{count}")

    def finish(self, certificate: Certificate) -> None:
        """The run has ended; the line goes with the context."""


class _Warnings:
    """Warnings that come up while a run goes on, each once, when it comes: a long run does not keep them to its end."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self.print, self.shown = show, 0
        self.told: list[str] = []

    def begin(self, certificate: Certificate) -> None:
        """What is known at the start is for the end."""
        self.shown = len(certificate.warnings)

    def show(self, certificate: Certificate) -> None:
        """Those that are new."""
        for text in certificate.warnings[self.shown :]:
            self.print(f"linkwork: {text}")
            self.told.append(text)
        self.shown = len(certificate.warnings)


def shown_already(listener: Recorder | None) -> list[str]:
    """Warnings that were shown while the run went on."""
    return listener.warnings.told if isinstance(listener, (_Watch, _PlainLine)) else []


class _PlainLine:
    """In a pipe or a log: one line, however much is compiled, and one for each warning while the run goes on."""

    def __init__(self) -> None:
        self.printed = False
        self.warnings = _Warnings(lambda text: print(text, file=sys.stderr, flush=True))

    def begin(self, empty: Result) -> None:
        """The run is about to start."""
        self.warnings.begin(empty.certificate)

    def append(self, part: Result) -> None:
        """A chunk is done."""
        self.warnings.show(part.certificate)

    def finish(self, certificate: Certificate) -> None:
        """The run has ended."""

    def compiling(self, count: int) -> None:
        """Print it once."""
        if not self.printed:
            self.printed = True
            print(FURTHER if has_kernels(SHARED) else FIRST, file=sys.stderr, flush=True)


Listener = TypeVar("Listener", _Watch, _PlainLine)


@contextmanager
def _announcing(listener: Listener) -> Iterator[Listener]:
    """This listener hears of every compilation from METER; afterwards the one before it again."""
    before: Callable[[int], None] | None = METER.tell
    METER.tell = listener.compiling
    try:
        yield listener
    finally:
        METER.tell = before


@contextmanager
def _bar() -> Iterator[Progress]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[detail]}", markup=False),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield bar
