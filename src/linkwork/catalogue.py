"""Catalogues of parts that can be exchanged: those of the package, and those that others bring.

An installed package brings its own by an entry point (its `pyproject.toml`), which names the object:

    [project.entry-points."linkwork.methods"]
    penalty = "my_package.penalty:METHOD"

A program registers its own before use: `linkwork.register_method(METHOD)`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from linkwork.errors import OptionError


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """By which it is found."""


T = TypeVar("T", bound=Named)


class Catalogue(Mapping[str, T], Generic[T]):
    """Entries by name, those of the package first; entry points are loaded when it is first read."""

    def __init__(self, what: str, group: str, kind: type[T], entries: Iterable[T]) -> None:
        self.what, self.group, self.kind = what, group, kind
        self._entries = {entry.name: entry for entry in entries}
        self._complete = False

    def register(self, entry: T) -> T:
        """Add an entry from outside the package; a name is given once."""
        if not isinstance(entry, self.kind):
            raise OptionError(f"{entry!r} is no {self.kind.__name__}; it cannot be registered as {self.what}")
        if self._entries.get(entry.name, entry) is not entry:
            raise OptionError(f"there is a {self.what} '{entry.name}' already; choose another name", element=entry.name)
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Take an entry out that was registered."""
        del self._entries[name]

    def _all(self) -> dict[str, T]:
        if not self._complete:
            self._complete = True
            for point in entry_points(group=self.group):
                try:
                    self.register(point.load())
                except (ImportError, AttributeError) as error:
                    warnings.warn(f"{self.what} '{point.name}' ({point.value}) cannot be loaded: {error}", stacklevel=2)
        return self._entries

    def __getitem__(self, name: str) -> T:
        return self._entries[name] if name in self._entries else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
