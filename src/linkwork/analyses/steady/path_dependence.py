"""Whether small motions of something that rolls are a matter of the independent coordinates alone.

A rolling row holds a velocity, J v = 0, and no position.  A displacement xi that the other rows admit is

    xi = T x + E s,        s = J xi        (E: the columns of G^-1 that belong to the rolling rows)

where s tells how far it is off every displacement that rolls.  Along the motion v

    s' = d(-J v) . xi - d(-J xi) . v + J (w x xi)        (w x xi: quasi_coordinates.py)

which is zero if J can be integrated, and the exterior derivative of J otherwise.  The equations in x alone are complete
if the forces do not depend on s, or s stays zero.  A bicycle's do, in lean and steer angle: where it is on the plane,
and where it heads, does not matter.  In lean and the frame's place they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.steady.quasi_coordinates import turned_along
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.analyses.steady.reduction import Point, Reduction

NONE = 1e-9  # of what a displacement along the independent coordinates changes: rounding


def refuse_path_dependence(reduction: Reduction, point: Point) -> None:
    """An OptionError if the forces depend on where something has rolled to, beside the independent coordinates."""
    rolling = reduction.rolling
    if not len(rolling) or not len(point.r) or not np.any(point.v):
        return
    E, by = point.inverse[:, rolling], reduction.derivatives
    rates = float(np.abs(point.v).max())
    along_x = by.along_independent(point).r / reduction.lengths
    usual = np.abs(along_x).max(axis=1) + np.diag(point.M_hat) * rates**2
    felt = np.abs(by.along_displacements(point, E).r) * reduction.size > NONE * usual[:, None]
    if np.any(felt) and np.any(np.abs(_drift(reduction, point, np.hstack([point.T, E]))) > NONE * rates):
        name = reduction.layout.rows[reduction.rows[rolling[0]]].element
        raise OptionError(
            f"the independent coordinates ({', '.join(reduction.names)}) do not describe the small motions: '{name}' "
            "rolls to places that depend on the path, and forces depend on these too; name angles instead, such as "
            "'BODY.wx' of a body that moves freely",
            element="independent",
        )


def _drift(reduction: Reduction, point: Point, xi: np.ndarray) -> np.ndarray:
    """s' [rolling row, direction] for displacements xi [motion, direction]."""
    rows, by = reduction.rows[reduction.rolling], reduction.derivatives
    J, _ = reduction.matrices(point.y, point.angles)
    moving = by.rest_along(point, xi, point.v)[:, rows].T
    carried = np.array([by.rest_along(point, point.v[:, None], direction)[0, rows] for direction in xi.T]).T
    return np.asarray(moving - carried + J[rows] @ turned_along(reduction.system.dofs, point.v, xi))
