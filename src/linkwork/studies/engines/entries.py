"""Which entries of a System's tables the varied numbers are.

A mass that is given as such is one entry of the table of bodies, a stiffness one of its family: such a number can be
changed without compiling the model again.  Found by trying: the model is compiled with the least, the greatest and a
middle value of a name, the others as in the first run; all that differs must be an entry that *is* the value, bit for
bit, and the start must stay as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.diagnosis import shared_loads
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_state
from linkwork.analyses.start.assembly import Start
from linkwork.errors import LinkworkError
from linkwork.expressions.quantities import number_from_text
from linkwork.mechanism import Mechanism
from linkwork.studies.one_run import OPTION
from linkwork.studies.plan import Plan
from linkwork.system.tables import System

if TYPE_CHECKING:
    from linkwork.studies.one_run import Job

FIXED = ("rank", "start_rank", "misfit", "stuck", "notes")  # of a start: the same whatever the numbers


@dataclass(frozen=True)
class Entries:
    """The start of the first run, and the words of its tables that each varied number is."""

    start: Start
    words: Mapping[str, tuple[tuple[str, np.ndarray], ...]]  # name -> (table, places of its 64-bit words)
    units: Mapping[str, str]  # "": those of SI

    def put(self, own: Mapping[str, np.ndarray], settings: Mapping[str, float]) -> None:
        """The numbers of a run into the words of tables that may be written."""
        for name, value in settings.items():
            bits = np.float64(in_si(value, self.units[name])).view(np.int64)
            for table, places in self.words[name]:
                own[table][places] = bits


def words_of(table: np.ndarray) -> np.ndarray:
    """A table as 64-bit words, in place; those of odd length lack their last bytes."""
    content = table.reshape(-1).view(np.uint8)
    return content[: len(content) // 8 * 8].view(np.int64)


def in_si(value: float, unit: str) -> float:
    """A varied number in SI units, as the model reads it."""
    return number_from_text(f"{value!r} {unit}", None, {}) if unit else value


def find_entries(job: Job, plan: Plan, base: Mechanism, options: Options) -> Entries | str:
    """The entries, or why the numbers are none."""
    first = plan.settings(0)
    start = _start(base, options)
    words: dict[str, tuple[tuple[str, np.ndarray], ...]] = {}
    taken: set[tuple[str, int]] = set()
    for name, one in plan.vary.items():
        column = plan.column(name)
        if name.startswith(OPTION) or column.dtype != np.float64:
            return f"'{name}' is not a number of the model"
        own = column[0]
        tried = dict.fromkeys(float(value) for value in (column.min(), column.max(), np.median(column)) if value != own)
        found: dict[str, set[int]] | None = None
        for value in tried:
            text: Any = f"{value!r} {one.unit}" if one.unit else value
            try:
                mechanism, _ = job.parts({**first, name: text})
                other = _start(mechanism, options)
            except LinkworkError:
                return f"the model cannot be built with '{name}' = {value:g}"
            places = _copies(start, other, in_si(value, one.unit))
            if places is None or (found is not None and places != found):
                return f"'{name}' changes more than entries of tables"
            found = places
        words[name] = tuple((table, np.array(sorted(some))) for table, some in (found or {}).items())
        mine = {(table, place) for table, some in (found or {}).items() for place in some}
        if mine & taken:
            return f"'{name}' and another name change the same entry"
        taken |= mine
    units = {name: one.unit for name, one in plan.vary.items()}
    return Entries(start, words, {name: "" if in_si(1.0, unit) == 1.0 else unit for name, unit in units.items()})


def _start(mechanism: Mechanism, options: Options) -> Start:
    formulation, _ = choose_formulation(options.formulation, mechanism, options.method)
    return first_state(mechanism, formulation, options.from_equilibrium)


def _copies(a: Start, b: Start, value: float) -> dict[str, set[int]] | None:
    """Where the tables of b hold the value and those of a another; None if they differ elsewhere or otherwise."""
    if any(getattr(a, name) != getattr(b, name) for name in FIXED) or (*shared_loads(a), *shared_loads(b)):
        return None
    if a.y.tobytes() != b.y.tobytes() or a.angles.tobytes() != b.angles.tobytes():
        return None
    found: dict[str, set[int]] = {}
    bits = np.float64(value).view(np.int64)
    for name in System._fields:
        old, new = getattr(a.compiled.system, name), getattr(b.compiled.system, name)
        if old.dtype != new.dtype or old.shape != new.shape:
            return None
        if old.tobytes() == new.tobytes():
            continue
        differ = np.flatnonzero(words_of(old) != words_of(new))
        if name == "ops" or not len(differ) or (words_of(new)[differ] != bits).any():
            return None
        found[name] = set(differ.tolist())
    return found
