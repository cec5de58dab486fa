"""Motions that a balance leaves free stay where they were assembled.

In balance r(x, s) = 0 and s'(x, s) = 0, with J = d(r, s')/d(x, s).  Along a neutral direction n, J n = 0, every place
is as good: a vehicle on its road is balanced anywhere, whatever its heading.  Where a search ends along it depends on
its path.  So as many independent coordinates c as there are neutral directions, those that these move most, keep their
values of the start, theory (14.1):

    [J; dc/dx] (dx, ds) = -(r, s', c - c_start)

c is a length or an angle; of a ball it is a part of twice the vector of e o e_start^-1, in axes that do not turn.  All
of them are linear in q.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.residual import balanced
from linkwork.elements.joints.motions import BALL, BALL_REST
from linkwork.errors import NumericalError
from linkwork.numerics.subspaces import pivot_rows

NEUTRAL = 1e-11  # of the largest stiffness: one below it is none
MOVES = 1e-6  # of a unit direction: the least part in displacements; others are of states alone
TIE = 1e-9  # of two coordinates that are moved alike the first
AT_PLACE = 1e-12  # rad, or of the mechanism's size
ITERATIONS = 20


def balance_slopes(reduction: Reduction, point: Point) -> np.ndarray:
    """J; of states that nothing changes at rest, such as the slip of a standing tyre, zero."""
    along_x, along_s = reduction.derivatives.along_independent(point), reduction.derivatives.along_states(point)
    J = np.block([[along_x.r, along_s.r], [along_x.rates, along_s.rates]])
    J[:, idle_states(J, len(point.r))] = 0.0
    return np.asarray(J)


def idle_states(J: np.ndarray, displacements: int) -> np.ndarray:
    """Columns of states that nothing changes at rest."""
    return displacements + np.flatnonzero(~np.any(J[displacements:], axis=1))


def neutral_coordinates(reduction: Reduction, J: np.ndarray) -> list[int]:
    """Of the independent coordinates those that neutral directions move most, as many as there are such directions;
    none where rows measure one of them.
    """
    if not len(reduction.names) or _is_regular(J):
        return []
    _, sizes, directions = np.linalg.svd(J)
    neutral = directions[sizes <= NEUTRAL * sizes.max()][:, : len(reduction.names)] / reduction.lengths
    basis, moves, _ = np.linalg.svd(neutral.T, full_matrices=False)

    def most(size: np.ndarray) -> int:
        return int(np.flatnonzero(size >= (1.0 - TIE) * size.max())[0])

    places = sorted(pivot_rows(basis[:, moves > MOVES * moves.max(initial=0.0)], most))
    return [] if np.any(reduction.motions[places] < 0) else places


def _is_regular(J: np.ndarray) -> bool:
    """Whether no direction is neutral for certain: the singular values lie between the norms of J and its inverse."""
    try:
        return bool(np.linalg.norm(J) * np.linalg.norm(np.linalg.inv(J)) < 1.0 / NEUTRAL)
    except np.linalg.LinAlgError:
        return False


class StartValues:
    """Independent coordinates that have their values of the start, c(q) = A q."""

    def __init__(self, reduction: Reduction, places: list[int]) -> None:
        """`places`: among the independent coordinates, motions of the tree."""
        self.reduction, self.places = reduction, places
        self.q_count = reduction.layout.q_count
        self.start = reduction.start_y[: self.q_count]
        self.A = np.array([self._row(int(reduction.motions[k])) for k in places]).reshape(-1, self.q_count)

    def _row(self, motion: int) -> np.ndarray:
        dofs, row = self.reduction.system.dofs, np.zeros(self.q_count)
        if dofs["kind"][motion] not in (BALL, BALL_REST):
            row[dofs["q"][motion]] = 1.0
            return row
        first = max(k for k in range(motion + 1) if dofs["kind"][k] == BALL)
        q, part = int(dofs["q"][first]), motion - first
        s0, s = self.start[q], self.start[q + 1 : q + 4]
        row[q] = -2.0 * s[part]
        row[q + 1 : q + 4] = 2.0 * (s0 * np.eye(3)[part] + np.cross(np.eye(3)[part], s))
        return row

    def off(self, y: np.ndarray) -> np.ndarray:
        """By how much they miss these values, m or rad."""
        return np.asarray(self.A @ (y[: self.q_count] - self.start))

    def slopes(self, point: Point) -> np.ndarray:
        """dc/dx [coordinate, independent]."""
        return np.asarray(self.A @ self.reduction.derivatives.along_independent(point).dq.T)

    def beside(self, J: np.ndarray, point: Point) -> np.ndarray:
        """[J; dc/dx], with rows of about one size."""
        rows = np.zeros((len(self.places), J.shape[1]))
        rows[:, : len(point.r)] = self.slopes(point)
        return np.vstack([J, self.weight(J) * rows])

    @staticmethod
    def weight(J: np.ndarray) -> float:
        """By which dc/dx counts beside J."""
        return float(np.abs(J).max(initial=0.0)) or 1.0


def put_back(reduction: Reduction, point: Point) -> tuple[Point, tuple[str, ...]]:
    """The balance beside this one at which what is neutral has its values of the start, and the names of these
    coordinates; the point itself and no names where all is held, or there is none.
    """
    J = balance_slopes(reduction, point)
    places = neutral_coordinates(reduction, J)
    if not places:
        return point, ()
    values, found = StartValues(reduction, places), point
    for _ in range(ITERATIONS):
        off = values.off(found.y)
        if np.all(np.abs(off) <= AT_PLACE * reduction.lengths[places]):
            return (found, tuple(reduction.names[k] for k in places)) if balanced(reduction, found) else (point, ())
        left = np.concatenate([found.r, found.s_dot, values.weight(J) * off])
        change = -np.linalg.lstsq(values.beside(J, found), left, rcond=NEUTRAL)[0]
        try:
            found = reduction.moved(found, change[: len(found.r)], change[len(found.r) :])
        except NumericalError:
            break
        J = balance_slopes(reduction, found)
    return point, ()
