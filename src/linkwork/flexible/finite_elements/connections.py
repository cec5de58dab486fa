"""How a joint, a point with six motions, holds a set of nodes that only have displacements.

*rigid*     the nodes follow the point: u_i = u_P + r_P x (x_i - x_P); the set becomes stiff.
*averaged*  the point follows the nodes, in the mean of their weights w: u_C = sum w u / sum w at their centre C, and
            r = (sum w (|s|^2 1 - s s^T))^-1 sum w s x u,  s = x - x_C; a load is spread, no stiffness added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.finite_model import Nodes
from linkwork.flexible.shape_integrals import tilde
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
else:
    sp = lazy_module("scipy.sparse")

KINDS = ("rigid", "averaged")


@dataclass(frozen=True)
class Connection:
    """A set of nodes (numbers from 0) held as one point; without `point` (m) at the centre of the set."""

    name: str
    kind: str
    members: np.ndarray  # (s,) numbers of nodes
    weights: np.ndarray  # (s,)
    point: np.ndarray | None = None


def connect(body: str, x: np.ndarray, connections: list[Connection]) -> tuple[sp.csr_matrix, Nodes, np.ndarray]:
    """(T, nodes, places): displacements of all nodes = T d; the named points; where the unknowns' rigid motions act.

    d holds the displacements of the nodes that no rigid connection holds, then six motions for each rigid point.
    `places` (n, 2): of each unknown its position's row in (x then the points) and its number 0..5 among (u, r).
    """
    points = np.array([_point(body, c, x) for c in connections]).reshape(-1, 3)
    rigid = [(k, c) for k, c in enumerate(connections) if c.kind == "rigid"]
    held = np.concatenate([c.members for _, c in rigid]) if rigid else np.zeros(0, int)
    if len(np.unique(held)) < len(held):
        raise ModelError(f"flexible body '{body}': a node is in two rigid connections; keep them apart", element=body)
    free = np.setdiff1d(np.arange(len(x)), held)
    n = 3 * len(free) + 6 * len(rigid)
    own = (3 * free[:, None] + np.arange(3)).ravel()
    T = sp.csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))), (3 * len(x), n))
    rows = sp.lil_matrix((6 * len(connections), n))
    places = np.column_stack([np.repeat(free, 3), np.tile(np.arange(3), len(free))])
    for at, (k, c) in enumerate(rigid):
        first = 3 * len(free) + 6 * at
        T = T + _rigid_rows(x, c.members, points[k], first, T.shape)
        rows[6 * k : 6 * k + 6, first : first + 6] = np.eye(6)
        places = np.vstack([places, np.column_stack([np.full(6, len(x) + k), np.arange(6)])])
    rows = rows.tocsr()
    for k, c in enumerate(connections):
        if c.kind == "averaged":
            lift = sp.csr_matrix((np.ones(6), (6 * k + np.arange(6), np.arange(6))), (rows.shape[0], 6))
            rows = rows + lift @ (_average_rows(body, c, x, points[k]) @ T)
    return T.tocsr(), Nodes(tuple(c.name for c in connections), points, rows.tocsr()), places


def rigid_of(x: np.ndarray, nodes: Nodes, places: np.ndarray) -> np.ndarray:
    """The six rigid motions in the unknowns of `connect`."""
    where = np.vstack([x, nodes.x])[places[:, 0]]
    R = np.zeros((len(places), 6))
    turn = np.stack([np.cross(e, where) for e in np.eye(3)], axis=2)  # (n, component, rotation)
    displaced = places[:, 1] < 3
    R[displaced, places[displaced, 1]] = 1.0
    R[displaced, 3:] = turn[displaced, places[displaced, 1]]
    R[~displaced, places[~displaced, 1]] = 1.0
    return R


def _point(body: str, c: Connection, x: np.ndarray) -> np.ndarray:
    if c.kind not in KINDS:
        raise ModelError(f"flexible body '{body}': interface '{c.name}' is '{c.kind}'; it is 'rigid' or 'averaged'")
    if not len(c.members):
        raise ModelError(f"flexible body '{body}': interface '{c.name}' holds no node of the mesh", element=body)
    return np.average(x[c.members], axis=0, weights=c.weights) if c.point is None else np.asarray(c.point, float)


def _rigid_rows(x: np.ndarray, members: np.ndarray, p: np.ndarray, first: int, shape: tuple[int, int]) -> sp.csr_matrix:
    """u_i = u_P + r x (x_i - p) for the members, in the six columns from `first`."""
    block = np.zeros((len(members), 3, 6))
    block[:, range(3), range(3)] = 1.0
    for a in range(3):
        block[:, :, 3 + a] = np.cross(np.eye(3)[a], x[members] - p)
    lines = np.broadcast_to((3 * members[:, None] + np.arange(3))[:, :, None], block.shape)
    columns = np.broadcast_to(first + np.arange(6), block.shape)
    return sp.csr_matrix((block.ravel(), (lines.ravel(), columns.ravel())), shape)


def _average_rows(body: str, c: Connection, x: np.ndarray, p: np.ndarray) -> sp.csr_matrix:
    """(6, 3 nodes): mean displacement, carried to the point p, and mean rotation."""
    w = c.weights / c.weights.sum()
    centre = w @ x[c.members]
    s = x[c.members] - centre
    J = np.einsum("i,ia,ia->", w, s, s) * np.eye(3) - np.einsum("i,ia,ib->ab", w, s, s)
    if np.linalg.matrix_rank(J, tol=1e-9 * np.trace(J)) < 3 or np.trace(J) == 0.0:
        raise ModelError(
            f"flexible body '{body}': interface '{c.name}' is averaged over nodes in one line; it needs three that "
            "are not",
            element=body,
        )
    block = np.zeros((6, len(s), 3))
    turn = np.linalg.solve(J, np.stack([tilde(wi * si) for wi, si in zip(w, s, strict=True)], axis=1).reshape(3, -1))
    block[3:] = turn.reshape(3, len(s), 3)
    block[:3] = w[:, None] * np.eye(3)[:, None, :] - np.einsum("ab,bic->aic", tilde(p - centre), block[3:])
    columns = np.broadcast_to(3 * c.members[:, None] + np.arange(3), (6, len(s), 3))
    lines = np.broadcast_to(np.arange(6)[:, None, None], (6, len(s), 3))
    return sp.csr_matrix((block.ravel(), (lines.ravel(), columns.ravel())), (6, 3 * len(x)))
