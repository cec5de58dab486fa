"""The channels of a run by name, with their units: a mapping that shows itself as a table, and can be narrowed down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from linkwork.tables import Shown, Table, table


class Channels(Shown, Mapping[str, str]):
    """Units of the channels by name; called with a text, those whose name has it."""

    def __init__(self, units: Mapping[str, str], model: str) -> None:
        self.units, self.model = dict(units), model

    def __call__(self, text: str) -> Channels:
        """Those that have a text in their name, whatever its case."""
        return Channels({name: unit for name, unit in self.units.items() if text.lower() in name.lower()}, self.model)

    def __getitem__(self, name: str) -> str:
        return self.units[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.units)

    def __len__(self) -> int:
        return len(self.units)

    def tables(self) -> list[Table]:
        """A row for each; components of one vector together."""
        rows = [(together(list(names)), unit) for (_, unit), names in groupby(self.units, self._vector)]
        return [table(f"{self.model}: {len(self)} channels", ("channel", "unit"), rows)]

    def _vector(self, name: str) -> tuple[str, str]:
        head, _, last = name.rpartition(".")
        return (f"{head}." if last in COMPONENTS else name), self.units[name]


COMPONENTS = ("x", "y", "z", "e0", "e1", "e2", "e3")


def together(names: Sequence[str]) -> str:
    """Names that differ in their last part: 'bar.position.x, .y, .z'."""
    return ", ".join([names[0], *(f".{name.rpartition('.')[2]}" for name in names[1:])])
