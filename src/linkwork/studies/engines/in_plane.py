"""The tables of a mechanism in a plane, which are made of those in space, for the numbers of each run of a study.

Springs and dampers are not in them.  Masses and gravity are put where they belong; where another number of the tables
that they are made of varies, runs are made as a whole.
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
    """Of one thread; `first`: as a single run has them, `work`: what the compiled loop reads."""

    def __init__(self, entries: Entries, first: PlaneTables, sampler: Equations, work: Work) -> None:
        varied = [one for words in entries.words.values() for one in words if one[0] not in ELSEWHERE]
        self.fits = not len(first.plane) or all(_are_weights(sampler, table, words) for table, words in varied)
        self._weights: Weights | None = None
        if len(first.plane) and varied and self.fits:
            plane_tables(sampler)  # which evaluates the positions of which the heights are taken
            heights = heights_of(sampler, first.plane[0]["normal"])
            own = PlaneTables(*(getattr(work, name) for name in PlaneTables._fields))
            self._weights = Weights(own, sampler.system, heights)

    def put(self) -> None:
        """For the numbers that the tables in space have."""
        if self._weights is not None:
            self._weights.put()


def _are_weights(sampler: Equations, table: str, words: np.ndarray) -> bool:
    """Whether these words of a table are masses, or gravity."""
    kind = getattr(sampler.system, table).dtype
    if table not in WEIGHTS or kind.fields is None:
        return False
    field, begin = kind.fields[WEIGHTS[table]][:2]
    places = 8 * words % kind.itemsize
    return bool(np.all((places >= begin) & (places < begin + field.itemsize)))
