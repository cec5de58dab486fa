"""The tables of a mechanism in a plane, which are made of those in space, for the numbers of each run of a study.

Springs and dampers are not in them.  Masses and gravity are put where they belong; for all else they are made anew.
"""

from __future__ import annotations

import numpy as np

from linkwork.formulations.equations import Equations
from linkwork.formulations.plane.detection import heights_of, plane_tables
from linkwork.formulations.plane.records import PlaneTables
from linkwork.formulations.plane.weights import Weights
from linkwork.formulations.workspace import Work
from linkwork.studies.engines.entries import Entries

WEIGHTS = {"bodies": "mass", "whole": "gravity"}
ELSEWHERE = ("block", "numbers")  # tables that those of the plane do not depend on


class TablesInPlane:
    """Of one thread; `work`: what the compiled loop reads."""

    def __init__(self, entries: Entries, first: PlaneTables, sampler: Equations, work: Work) -> None:
        self.sampler, self.work = sampler, work
        tables = PlaneTables(*(getattr(work, name) for name in PlaneTables._fields))
        varied = _varied(entries) if len(first.plane) else {}
        self.follows = bool(varied)
        self.weights_alone = all(name in WEIGHTS and _is_weight(sampler, name, varied[name]) for name in varied)
        if self.follows:
            plane_tables(sampler)  # evaluates the positions of which the heights are taken
            self.weights = Weights(tables, sampler.system, heights_of(sampler, first.plane[0]["normal"]))

    def put(self) -> bool:
        """For the numbers that the tables in space have; False: with these the mechanism does not move in a plane."""
        if not self.follows:
            return True
        if self.weights_alone:
            self.weights.put()
            return True
        found = plane_tables(self.sampler)
        if len(found.plane):
            for name, table in found._asdict().items():
                getattr(self.work, name)[...] = table
        return len(found.plane) > 0


def _varied(entries: Entries) -> dict[str, np.ndarray]:
    """The words that vary, of tables that those of the plane depend on."""
    some = [one for words in entries.words.values() for one in words if one[0] not in ELSEWHERE]
    return {name: np.concatenate([places for table, places in some if table == name]) for name in dict(some)}


def _is_weight(sampler: Equations, table: str, words: np.ndarray) -> bool:
    """Whether these words of a table are masses, or gravity."""
    kind = getattr(sampler.system, table).dtype
    field, begin = kind.fields[WEIGHTS[table]][:2]
    places = 8 * words % kind.itemsize
    return bool(np.all((places >= begin) & (places < begin + field.itemsize)))
