"""From a finite-element model to a few shapes: normal modes, Craig-Bampton, and the conditions that fix the body frame.

*Normal modes* under supports C d = 0:  K phi = omega^2 M phi.
*Craig-Bampton* (1968): the static shapes of unit motions of the interfaces C (constraint modes), and the normal
modes with the interfaces held.  Together they are orthonormalized: phi^T M phi = 1, phi^T K phi = omega^2.
*Body frame*: a shape may hold no rigid motion: the frame has that.  Six conditions A d = 0 say where the frame is:

    tangent at a node      A d = (u, r) of the node
    chord from a to b      A d = (u of a, u of b across the chord, r of a about the chord)
    mean axis              A d = R^T M d, R the rigid motions: linear and angular momentum of the deformation vanish

Any shape d becomes one that meets them by taking a rigid motion away, theory (6.10):
d - R (A R)^-1 A d, which changes no strain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.finite_model import FiniteModel, Support
from linkwork.flexible.supported_inverse import SupportedInverse
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.linalg as dense_linalg
    import scipy.sparse as sp
    import scipy.sparse.linalg as sparse_linalg
else:
    sp = lazy_module("scipy.sparse")
    dense_linalg = lazy_module("scipy.linalg")
    sparse_linalg = lazy_module("scipy.sparse.linalg")

DENSE = 400  # unknowns; below, LAPACK is quicker than ARPACK and finds all modes
GOLDEN = 2.399963229728653  # rad, the golden angle: its multiples have no pattern
SAME = 1e-10  # of the squared size of a unit shape: below, a shape is a combination of the others


@dataclass(frozen=True)
class Frame:
    """Where the body frame sits: kind "tangent" (one node), "chord" (two nodes) or "mean"."""

    kind: str
    nodes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need = {"tangent": 1, "chord": 2, "mean": 0}
        if self.kind not in need:
            raise ModelError(f"body frame '{self.kind}' is unknown; it is 'tangent', 'chord' or 'mean'")
        if len(self.nodes) != need[self.kind]:
            raise ModelError(f"body frame '{self.kind}' needs {need[self.kind]} nodes, not {len(self.nodes)}")


@dataclass(frozen=True)
class Modes:
    """Orthonormal shapes (n, m), their frequencies (rad/s), and an account of what was left out."""

    shapes: np.ndarray
    omega: np.ndarray  # rad/s, rising
    rigid: int  # rigid motions that the basis held and the frame took away
    dropped: tuple[str, ...]


def normal_modes(model: FiniteModel, C: sp.csr_matrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The `count` lowest (omega, shapes) with C d = 0; rigid motions, if there are any, come first with omega = 0."""
    free = model.size - C.shape[0]
    check_count(model.name, count, free)
    solve = _dense_modes if model.size <= DENSE or count > free // 4 else _sparse_modes
    squares, shapes = solve(model, C, count)
    order = np.argsort(squares)
    return np.sqrt(np.maximum(squares[order], 0.0)), shapes[:, order]


def check_count(name: str, count: int, available: int) -> int:
    """The number of modes requested, if there are so many."""
    if count > available:
        raise ModelError(
            f"flexible body '{name}': {count} modes requested, but the mesh with its supports has {available}; request "
            "fewer or refine the mesh",
            element=name,
        )
    return count


def _dense_modes(model: FiniteModel, C: sp.csr_matrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    Z = dense_linalg.null_space(C.toarray()) if C.shape[0] else np.eye(model.size)
    check_count(model.name, count, Z.shape[1])
    squares, y = dense_linalg.eigh(Z.T @ (model.K @ Z), Z.T @ (model.M @ Z), subset_by_index=(0, count - 1))
    return squares, Z @ y


def _sparse_modes(model: FiniteModel, C: sp.csr_matrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    """ARPACK about a shift just below zero; the inverse keeps every vector on C d = 0."""
    inverse = SupportedInverse(model, C, model.shift)
    shape = (model.size, model.size)
    operator = sparse_linalg.LinearOperator(shape, matvec=lambda b: inverse(b.ravel())[0], dtype=float)
    start = inverse(model.M @ np.random.default_rng(1).standard_normal(model.size))[0]
    squares, shapes = sparse_linalg.eigsh(
        model.K, k=count, M=model.M, sigma=-model.shift, OPinv=operator, v0=start, tol=1e-12
    )
    return squares, shapes


def craig_bampton(model: FiniteModel, interfaces: Sequence[str], count: int) -> np.ndarray:
    """Constraint modes of the interface nodes and `count` normal modes with these nodes held; (n, c + count)."""
    C = model.support_rows(dict.fromkeys(interfaces, "clamped"))
    inverse = SupportedInverse(model, C)
    constraint = inverse(np.zeros((model.size, C.shape[0])), np.eye(C.shape[0]))[0]
    held = normal_modes(model, C, count)[1] if count else np.zeros((model.size, 0))
    return np.hstack([constraint, held])


def frame_rows(model: FiniteModel, frame: Frame) -> np.ndarray:
    """A of the frame's conditions A d = 0."""
    if frame.kind == "mean":
        momentum: np.ndarray = (model.M @ model.rigid).T
        return momentum
    nodes = [model.nodes.index(name, model.name) for name in frame.nodes]
    rows: list[np.ndarray] = [model.nodes.rows[6 * k : 6 * k + 6].toarray() for k in nodes]
    if frame.kind == "tangent":
        return rows[0]
    along = model.nodes.x[nodes[1]] - model.nodes.x[nodes[0]]
    if not np.linalg.norm(along) > 0.0:
        raise ModelError(f"flexible body '{model.name}': the chord's nodes {frame.nodes} coincide")
    along /= np.linalg.norm(along)
    across = dense_linalg.null_space(along[None, :]).T
    return np.vstack([rows[0][:3], across @ rows[1][:3], along @ rows[0][3:]])


def referred(model: FiniteModel, basis: np.ndarray, frame: Frame) -> np.ndarray:
    """The shapes less the rigid motion that the frame takes."""
    A, R = frame_rows(model, frame), model.rigid
    AR = A @ R
    size = np.linalg.norm(A, axis=1, keepdims=True) @ np.linalg.norm(R, axis=0, keepdims=True)
    if np.linalg.matrix_rank(AR / np.where(size > 0, size, 1.0), tol=1e-9) < R.shape[1]:
        raise ModelError(
            f"flexible body '{model.name}': the body frame '{frame.kind}' at {', '.join(frame.nodes)} leaves a rigid "
            "motion open; choose other nodes",
            element=model.name,
        )
    shapes: np.ndarray = basis - R @ np.linalg.lstsq(AR, A @ basis, rcond=None)[0]
    return shapes


def reduce(model: FiniteModel, basis: np.ndarray, frame: Frame, modes: int | Sequence[int] | None = None) -> Modes:
    """Shapes that meet the frame's conditions, orthonormal, the chosen ones of them (1 is the lowest; None: all)."""
    unit = basis / np.sqrt(np.einsum("ij,ij->j", basis, model.M @ basis))
    shapes = orthonormal(model, referred(model, unit, frame))
    rank = orthonormal(model, unit).shape[1]
    if not shapes.shape[1]:
        raise ModelError(f"flexible body '{model.name}': the shapes are rigid motions only", element=model.name)
    squares, y = dense_linalg.eigh(shapes.T @ (model.K @ shapes))
    _check_elastic(model, float(squares[0]))
    shapes, omega = oriented(shapes @ y), np.sqrt(squares)
    chosen = selected(model.name, modes, len(omega))
    left = omega[[k for k in range(len(omega)) if k not in chosen]] / (2 * np.pi)
    dropped = [f"{basis.shape[1] - rank} shapes that repeat others"] if basis.shape[1] > rank else []
    if len(left):
        dropped.append(f"{len(left)} modes of {left[0]:.5g} to {left[-1]:.5g} Hz")
    return Modes(shapes[:, chosen], omega[chosen], rank - shapes.shape[1], tuple(dropped))


def oriented(shapes: np.ndarray) -> np.ndarray:
    """The shapes with signs of their own, not those of the eigenvalue solver: so that they change little where the body
    does.  A sum of all displacements with weights of no pattern is positive.
    """
    sums = np.cos(1.0 + GOLDEN * np.arange(len(shapes))) @ shapes
    return np.where(sums < 0.0, -shapes, shapes)


def orthonormal(model: FiniteModel, unit: np.ndarray) -> np.ndarray:
    """Shapes of unit mass that span what the given ones of at most unit mass span; what repeats others goes."""
    squares, y = dense_linalg.eigh(unit.T @ (model.M @ unit))
    kept = squares > SAME * max(1.0, squares[-1])
    shapes: np.ndarray = unit @ (y[:, kept] / np.sqrt(squares[kept]))
    return shapes


def mode_numbers(name: str, modes: int | Sequence[int]) -> Sequence[int]:
    """Numbers (from 1, rising) of the modes chosen: the lowest so many, or those listed."""
    numbers: Sequence[int]
    if isinstance(modes, (int, np.integer)):
        numbers, repeated = range(1, int(modes) + 1), False
    else:
        numbers = sorted(int(k) for k in modes)
        repeated = len({*numbers}) < len(numbers)
    if not numbers or numbers[0] < 1 or repeated:
        remedy = "give how many, 1 or more, or their numbers, which count from 1, each once"
        raise ModelError(f"flexible body '{name}': modes is {modes}; {remedy}", element=name)
    return numbers


def selected(name: str, modes: int | Sequence[int] | None, available: int) -> list[int]:
    """Numbers (from 0) of the modes chosen: the lowest `modes`, those listed (from 1), or all."""
    numbers = mode_numbers(name, available if modes is None else modes)
    if numbers[-1] > available:
        raise ModelError(
            f"flexible body '{name}': mode {numbers[-1]} requested, but there are {available}; request fewer, "
            "refine the mesh or give more shapes",
            element=name,
        )
    return [k - 1 for k in numbers]


def _check_elastic(model: FiniteModel, lowest: float) -> None:
    """The lowest omega^2 of shapes without rigid motion must be positive beyond the rounding of K."""
    noise = 1e-14 * float(np.max(model.K.diagonal() / model.M.diagonal()))
    if lowest < -noise:
        raise ModelError(
            f"flexible body '{model.name}': the stiffness is indefinite: a shape has omega^2 = {lowest:.3g} 1/s2; "
            "a stiffness matrix has no negative eigenvalues",
            element=model.name,
        )
    if lowest <= noise:
        raise ModelError(
            f"flexible body '{model.name}': a shape without stiffness remains beside the rigid motions; the mesh is in "
            "several parts or a mechanism",
            element=model.name,
        )


def natural_frequencies(model: FiniteModel, supports: dict[str, Support], count: int) -> np.ndarray:
    """The lowest `count` natural frequencies under supports, rad/s; rigid motions first, with 0."""
    return normal_modes(model, model.support_rows(supports), count)[0]


def static_solution(
    model: FiniteModel, supports: dict[str, Support], loads: dict[str, Sequence[float]]
) -> tuple[np.ndarray, np.ndarray]:
    """Displacements d under forces and moments (fx .. mz) at nodes, and the support forces in the order of the rows."""
    C = model.support_rows(supports)
    f = np.zeros(model.size)
    for name, load in loads.items():
        k = model.nodes.index(name, model.name)
        f += model.nodes.rows[6 * k : 6 * k + 6].T @ np.asarray(load, float)
    d, lam = SupportedInverse(model, C)(f)
    return d, -lam
