"""The tables of the families: records of the elements, and the signals that their kernels write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.family import Family, FamilyTable, Kink, given_fields
from linkwork.elements.registry import FAMILIES
from linkwork.elements.signals.force_probes import FORCE_PROBES
from linkwork.errors import ModelError


@dataclass
class _Table:
    """The records of a family so far, with the element of each."""

    records: list[tuple[Any, ...]] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)


class FamilyTables:
    """Collects records; `slots` gives places of signals: (how many, known only after the forces)."""

    def __init__(self, slots: Callable[[int, bool], int]) -> None:
        self._slots = slots
        self._tables: dict[Family, _Table] = {}
        self._outputs: dict[tuple[str, str], int] = {}  # (element, output) -> signal
        self._probes: dict[str, int] = {}  # element -> first of the six signals of its wrench, or -1

    def add(self, family: Family, owner: str, record: tuple[Any, ...]) -> None:
        """A record of a family; but for its field `outputs`."""
        table = self._tables.setdefault(family, _Table())
        table.records.append(record)
        table.owners.append(owner)

    # -- signals ------------------------------------------------------------------------------------------------
    def output(self, owner: str, output: str, *, now: bool = True) -> int:
        """The signal of a number that the kernel of an element writes.

        `now`: known before the forces, which may use it; only where the forces follow from the state alone.
        """
        if (owner, output) not in self._outputs:
            self._outputs[owner, output] = self._slots(1, not now)
        if now:
            self._probe(owner)
        return self._outputs[owner, output]

    def wrench(self, owner: str) -> tuple[int, ...]:
        """Six signals: force (N) and torque (N m) of an element on its body B, about its point there; world axes."""
        self._probe(owner)
        if self._probes[owner] < 0:
            self._probes[owner] = self._slots(6, False)
        return tuple(self._probes[owner] + k for k in range(6))

    def _probe(self, owner: str) -> None:
        """Let the kernel of an element be called before the signals."""
        family = next(f for f, table in self._tables.items() if f.actions and owner in table.owners)
        if not family.state_alone:
            raise ModelError(
                f"'{owner}': its force depends on signals and cannot be one itself; measure what it depends on",
                element=owner,
            )
        self._probes.setdefault(owner, -1)

    def kinks(self, families: Iterable[FamilyTable], block: np.ndarray) -> tuple[Kink, ...]:
        """Of all records."""
        return tuple(
            Kink(int(kink.depth), bool(kink.turns))
            for table in families
            for record in table.records(block)
            for kink in table.family.kinks(record)
        )

    # -- the end ------------------------------------------------------------------------------------------------
    def finish(self) -> tuple[tuple[FamilyTable, ...], np.ndarray]:
        """The tables in the order in which an evaluation calls the families, and all records as one block of bytes."""
        block = _Block()
        for family in FAMILIES:
            if family in self._tables:
                block.append(family, self._records(family), self._tables[family].owners)
        if self._probes:
            probes = [block.probe(owner, place) for owner, place in self._probes.items()]
            block.append(FORCE_PROBES, np.array(probes, FORCE_PROBES.record), list(self._probes))
        return tuple(block.tables[f] for f in FAMILIES if f in block.tables), block.bytes()

    def _records(self, family: Family) -> np.ndarray:
        """The records of a family, with the places of the outputs that were requested."""
        table = self._tables[family]
        records = np.zeros(len(table.records), family.record)
        own = given_fields(family.record)
        for k, (values, owner) in enumerate(zip(table.records, table.owners, strict=True)):
            for name, value in zip(own, values, strict=True):
                records[name][k] = value
            for n, output in enumerate(family.outputs):
                records["outputs"][k, n] = self._outputs.get((owner, output), -1)
        return records


class _Block:
    """Tables one after the other, as bytes."""

    def __init__(self) -> None:
        self.tables: dict[Family, FamilyTable] = {}
        self._records: dict[Family, np.ndarray] = {}
        self._size = 0

    def append(self, family: Family, records: np.ndarray, owners: list[str]) -> None:
        self.tables[family] = FamilyTable(family, self._size, tuple(owners))
        self._records[family] = records
        self._size += records.nbytes

    def probe(self, owner: str, place: int) -> tuple[Any, ...]:
        """The record of a probe: the bodies on which an element acts, and where its records lie."""
        family, table = next((f, t) for f, t in self.tables.items() if f.actions and owner in t.owners)
        record = self._records[family][table.owners.index(owner)]
        *others, on_b = family.actions
        a = record[others[0].body] if others else 0
        return place, a, record[on_b.body], record[on_b.point], *table.bytes_of(owner)

    def bytes(self) -> np.ndarray:
        return np.frombuffer(b"".join(table.tobytes() for table in self._records.values()), np.uint8).copy()
