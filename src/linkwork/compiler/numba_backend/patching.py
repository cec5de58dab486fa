"""Replacements for functions of Numba's that are in place only while kernels are compiled.

`taken()` puts them in place, under Numba's own compiler lock, and puts the originals back: nobody else's functions are
compiled with them.  A shortcut whose original is not there, or takes other arguments than expected, is left out; if a
kernel compiles without shortcuts only, all are left out from then on (`give_up`).  Either is reported once.
"""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock


@dataclass(frozen=True)
class Shortcut:
    """A replacement for one of Numba's functions."""

    original: str  # where it is
    parameters: tuple[str, ...]  # that it has
    make: Callable[[Any], Any]  # the replacement, given the original
    needs: tuple[str, ...] = ()  # what else the replacement uses
    optional: bool = False  # the original may be missing: then there is nothing to replace

    @property
    def name(self) -> str:
        """Of the replacement."""
        return self.make.__name__

    def place(self) -> tuple[Any, str]:
        """The object and the attribute that hold the original."""
        path, _, attribute = self.original.rpartition(".")
        return _found(path), attribute

    def misfit(self) -> str:
        """Why it cannot be taken with this Numba; empty if it can."""
        try:
            owner, attribute = self.place()
            found = tuple(inspect.signature(getattr(owner, attribute)).parameters)
        except (ImportError, AttributeError) as error:
            return str(error)
        if found != self.parameters:
            return f"{self.original} takes {found}, not {self.parameters}"
        for path in self.needs:
            try:
                _found(path)
            except (ImportError, AttributeError) as error:
                return str(error)
        return ""


def _found(path: str) -> Any:
    """The module, or what is in it, by its dotted name."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        owner, _, attribute = path.rpartition(".")
        if not owner:
            raise
        return getattr(_found(owner), attribute)


SHORTCUTS: list[Shortcut] = []


def replaces(
    original: str, *parameters: str, needs: tuple[str, ...] = (), optional: bool = False
) -> Callable[..., Any]:
    """Registers a shortcut: a function of the original that makes the replacement."""

    def decorate(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        SHORTCUTS.append(Shortcut(original, parameters, make, needs, optional))
        return make

    return decorate


class _State:
    """Which replacements are in place, and what they replaced."""

    def __init__(self) -> None:
        self.depth = 0  # of compilations, one within the other
        self.plain = False  # take no shortcuts
        self._fitting: list[tuple[Any, str, Any]] | None = None  # owner, attribute, replacement
        self._before: list[tuple[Any, str, Any]] = []  # owner, attribute, original

    @property
    def taken(self) -> bool:
        return bool(self._before)

    def put(self) -> None:
        """The replacements into their places."""
        if self._fitting is None:
            self._fitting = _fitting()
        for owner, attribute, replacement in self._fitting:
            self._before.append((owner, attribute, vars(owner).get(attribute)))
            setattr(owner, attribute, replacement)

    def undo(self) -> None:
        """The originals back."""
        for owner, attribute, original in reversed(self._before):
            if original is None:
                delattr(owner, attribute)  # it is inherited
            else:
                setattr(owner, attribute, original)
        self._before.clear()


_STATE = _State()


@contextmanager
def taken() -> Iterator[bool]:
    """Shortcuts in place, unless they have been given up; yields whether this is the outermost of several."""
    with global_compiler_lock:
        outermost = _STATE.depth == 0
        if outermost and not _STATE.plain:
            _STATE.put()
        _STATE.depth += 1
        try:
            yield outermost
        finally:
            _STATE.depth -= 1
            if outermost:
                _STATE.undo()


def are_taken() -> bool:
    """Whether shortcuts are in place."""
    return _STATE.taken


@contextmanager
def plainly() -> Iterator[None]:
    """No shortcuts are taken."""
    with global_compiler_lock:
        before, _STATE.plain = _STATE.plain, True
        try:
            yield
        finally:
            _STATE.plain = before


def give_up(error: Exception) -> None:
    """Take no shortcuts any more: a kernel compiles without them only."""
    _STATE.plain = True
    _report(f"a kernel compiles without shortcuts only ({type(error).__name__}: {error})")


def given_up() -> bool:
    """Whether shortcuts are no more taken."""
    return _STATE.plain


def _fitting() -> list[tuple[Any, str, Any]]:
    """Owner, attribute and replacement of the shortcuts that fit; the others are reported."""
    misfits = left_out()
    for name, reason in misfits.items():
        _report(f"the shortcut {name} does not fit ({reason})")
    found = []
    for shortcut in SHORTCUTS:
        if shortcut.name not in misfits and not (shortcut.optional and shortcut.misfit()):
            owner, attribute = shortcut.place()
            found.append((owner, attribute, shortcut.make(getattr(owner, attribute))))
    return found


def left_out() -> dict[str, str]:
    """The shortcuts that do not fit this Numba, and why."""
    return {s.name: reason for s in SHORTCUTS if not s.optional and (reason := s.misfit())}


def _report(what: str) -> None:
    warnings.warn(
        f"linkwork and Numba {numba.__version__}: {what}; kernels are the same, their first compilation takes longer",
        RuntimeWarning,
        stacklevel=2,
    )
