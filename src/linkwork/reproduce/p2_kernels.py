"""P2's printed algebra: one joint's reaction by the proposed formula and by Newton-Euler, on full 6 x 6 matrices.

What the equations of motion have at hand - Mh, Qh, K, L, K B, Yh', q'' - is stored at some states of the arm, so that
nothing but the two formulas is counted and timed, as in the paper's Tables 1 and 3.  Written out, without calls inside:
passing six arrays to a function takes as long as the formula.

Theory (2.7) and (2.9):

    proposed       R_i = -L_i + K_i Yh'_i + sum_{l>i} (K_l B_l) q''_l                            (eq 30)
    Newton-Euler   R_n = -Qh_n + Mh_n Yh'_n,  R_l = -Qh_l + Mh_l Yh'_l + R_{l+1},  l = n-1 ... i  (eqs 27, 28)

Both are one sum, taken from a body `at` of the chain, since L_n = Qh_n and K_n = Mh_n: `at` = i is the proposed
formula, `at` = n is Newton-Euler.  So one compiled function serves both, and at the last joint they are one call.

    R_i = -L_at + K_at Yh'_at + sum_{l>at} (K_l B_l) q''_l + sum_{i<=l<at} (-Qh_l + Mh_l Yh'_l)

The same on packed inertias of ten numbers, as linkwork itself does it over a tree, is in formulations/reactions.py:
`own_reactions` calls that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.compiler.argument_types import CUBE, CUBES, MATRIX, SYSTEM, VECTOR, VOID, WHOLE, WORK
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.reactions import (
    body_accelerations,
    composite_axes,
    newton_euler,
    reaction_alone,
    sum_up,
)
from linkwork.numerics.status import LEVEL_ALL


@kernel
def reactions(repeat, i, at, L, K, Y, KB, q_dd, Q, M, R):
    """R_i at every state, `repeat` times, with the sum taken from body `at`; joints count from 1."""
    n = L.shape[1] - 1
    for _ in range(repeat):
        for s in range(L.shape[0]):
            r0, r1, r2 = -L[s, at, 0], -L[s, at, 1], -L[s, at, 2]
            r3, r4, r5 = -L[s, at, 3], -L[s, at, 4], -L[s, at, 5]
            for c in range(6):
                y = Y[s, at, c]
                r0 += K[s, at, c, 0] * y
                r1 += K[s, at, c, 1] * y
                r2 += K[s, at, c, 2] * y
                r3 += K[s, at, c, 3] * y
                r4 += K[s, at, c, 4] * y
                r5 += K[s, at, c, 5] * y
            for l in range(at + 1, n + 1):
                x = q_dd[s, l]
                r0 += KB[s, l, 0] * x
                r1 += KB[s, l, 1] * x
                r2 += KB[s, l, 2] * x
                r3 += KB[s, l, 3] * x
                r4 += KB[s, l, 4] * x
                r5 += KB[s, l, 5] * x
            for l in range(at - 1, i - 1, -1):
                r0 -= Q[s, l, 0]
                r1 -= Q[s, l, 1]
                r2 -= Q[s, l, 2]
                r3 -= Q[s, l, 3]
                r4 -= Q[s, l, 4]
                r5 -= Q[s, l, 5]
                for c in range(6):
                    y = Y[s, l, c]
                    r0 += M[s, l, c, 0] * y
                    r1 += M[s, l, c, 1] * y
                    r2 += M[s, l, c, 2] * y
                    r3 += M[s, l, c, 3] * y
                    r4 += M[s, l, c, 4] * y
                    r5 += M[s, l, c, 5] * y
            R[s, 0], R[s, 1], R[s, 2], R[s, 3], R[s, 4], R[s, 5] = r0, r1, r2, r3, r4, r5


@kernel
def own_reactions(repeat, i, recursive, system, inertia, composite, KB, F, F_sum, a, q_dd, R):
    """R_i at every state, `repeat` times, by linkwork's own kernels for trees: Newton-Euler from the tips, or alone."""
    end = KB.shape[1]
    for _ in range(repeat):
        for s in range(R.shape[0]):
            if recursive:
                newton_euler(system.bodies, inertia[s], F[s], a[s], i, R[s])
            else:
                reaction_alone(i, i + 1, end, composite[s], KB[s], F_sum[s], a[s], q_dd[s], R[s])


@dataclass(frozen=True)
class AtHand:
    """What the equations of motion hold at some states; joint i's values stand in row i, row 0 is ground."""

    equations: Equations
    bodies: np.ndarray
    M: np.ndarray  # [state, joint, 6, 6] Mh
    K: np.ndarray  # [state, joint, 6, 6]
    Q: np.ndarray  # [state, joint, 6] Qh
    L: np.ndarray  # [state, joint, 6]
    Y: np.ndarray  # [state, joint, 6] Yh'
    KB: np.ndarray  # [state, joint, 6]
    q_dd: np.ndarray  # [state, joint]
    inertia: np.ndarray  # [state, joint, 10] packed Mh
    composite: np.ndarray  # [state, joint, 10] packed K
    F: np.ndarray  # [state, joint, 6] Qh - Mh A, A the acceleration at q'' = 0
    F_sum: np.ndarray  # [state, joint, 6] L - K A
    a: np.ndarray  # [state, joint, 6] Yh' - A

    def tables(self) -> tuple[np.ndarray, ...]:
        """What `reactions` reads, in its order."""
        return self.L, self.K, self.Y, self.KB, self.q_dd, self.Q, self.M

    def own_tables(self) -> tuple[np.ndarray, ...]:
        """What `own_reactions` reads, in its order."""
        return self.inertia, self.composite, self.KB, self.F, self.F_sum, self.a, self.q_dd


@kernel
def hold(system, work, t, states, v_dot, inertia, composite, KS, F, F_sum, A, a):
    """Evaluate the states and keep what the two formulas need."""
    angles = work.angle
    for s in range(t.shape[0]):
        evaluate(system, t[s], states[s], angles, work, LEVEL_ALL)
        body_accelerations(system.bodies, work.S, v_dot[s], a[s])
        composite_axes(system.bodies, work.inertia, work.S, work.composite, KS[s])
        _keep(work.inertia, inertia[s])
        _keep(work.composite, composite[s])
        _keep(work.A, A[s])
        _keep(work.F, F[s])
        sum_up(system.bodies, work.F)
        _keep(work.F, F_sum[s])


@part
def _keep(rows, kept):
    """A copy of the first columns."""
    for i in range(kept.shape[0]):
        for k in range(kept.shape[1]):
            kept[i, k] = rows[i, k]


def at_hand(equations: Equations, t: np.ndarray, states: np.ndarray, v_dot: np.ndarray) -> AtHand:
    """What the equations of motion hold at the states of a chain with one motion a joint."""
    count, joints = len(t), len(equations.system.bodies)
    inertia, composite = np.zeros((2, count, joints, 10))
    F, F_sum, A, a = np.zeros((4, count, joints, 6))
    KS = np.zeros((count, joints - 1, 6))
    hold(
        equations.system_ref, equations.work_ref, t, np.ascontiguousarray(states), np.ascontiguousarray(v_dot), inertia,
        composite, KS, F, F_sum, A, a,
    )  # fmt: skip
    M, K = full(inertia), full(composite)
    KB = np.concatenate([np.zeros((count, 1, 6)), KS], axis=1)
    return AtHand(
        equations, bodies=equations.system.bodies, M=M, K=K, Q=F + _times(M, A), L=F_sum + _times(K, A), Y=A + a, KB=KB,
        q_dd=np.hstack([np.zeros((count, 1)), v_dot]), inertia=inertia, composite=composite, F=F, F_sum=F_sum, a=a,
    )  # fmt: skip


def _times(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    product: np.ndarray = np.einsum("sirc,sic->sir", M, x)
    return product


def full(packed: np.ndarray) -> np.ndarray:
    """6 x 6 matrices [m I, -tilde(h); tilde(h), J] from (m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)."""
    M = np.zeros((*packed.shape[:-1], 6, 6))
    m, h, J = packed[..., 0], packed[..., 1:4], packed[..., 4:]
    for k in range(3):
        M[..., k, k] = m
        M[..., 3 + k, 3 + k] = J[..., k]
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        M[..., 3 + i, 3 + j] = M[..., 3 + j, 3 + i] = J[..., 3 + k]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # tilde(h)[i, j] = -h_k
        M[..., 3 + i, j] = M[..., j, 3 + i] = -h[..., k]
        M[..., 3 + j, i] = M[..., i, 3 + j] = h[..., k]
    return M


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(reactions, VOID, WHOLE, WHOLE, WHOLE, CUBE, CUBES, CUBE, CUBE, MATRIX, CUBE, CUBES, MATRIX)
    yield export(own_reactions, VOID, WHOLE, WHOLE, WHOLE, SYSTEM, CUBE, CUBE, CUBE, CUBE, CUBE, CUBE, MATRIX, CUBE)
    yield export(hold, VOID, SYSTEM, WORK, VECTOR, MATRIX, MATRIX, CUBE, CUBE, CUBE, CUBE, CUBE, CUBE, CUBE)
