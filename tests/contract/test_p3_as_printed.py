"""P3 as printed, steps 9 to 11, against its equations in dense matrices: theory (3.2) to (3.8)."""

from __future__ import annotations

import numpy as np
import pytest

from corrections import corrected as corrected_by
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass
from linkwork.mechanism.mechanism import Mechanism
from linkwork.methods.partitioning import projection
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION, OK
from random_mechanisms.loops import random_planar_linkage

SIX_BAR_LOOP = [(k - 1, k, "revolute") for k in range(5)] + [(4, -1, "revolute")]


class Dense:
    """A loop of six bars, one driven, two free motions, in joint coordinates; what P3 writes, in matrices."""

    def __init__(self, seed: int, literal: float, corrected: float) -> None:
        given = random_planar_linkage(SIX_BAR_LOOP, seed, "xz").model_dump(exclude_unset=True)
        given["driver"] = [{"name": "motor", "joint": "J0", "motion": "2*t + 3*t**2"}]
        self.start = assemble(Mechanism(**given), "joint")
        self.equations = Equations(self.start.compiled, partitioned=True)
        work = self.equations.work
        work.method["basis"], work.method["rebuild"] = Basis.PROJECTION, 1
        work.options["literal"], work.options["corrected"] = literal, corrected
        self.count = int(self.equations.system.whole[0]["q_count"])
        self.rows = work.active[: work.method["active_count"][0]]["row"]
        assert self.moved(self.start.y)[0] == OK  # the basis is built here, and kept
        self.J0 = self.matrices(self.start.y)[0]

    def moved(self, y: np.ndarray) -> tuple[int, np.ndarray]:
        """Position, velocity, acceleration."""
        return corrected_by(self.equations, projection.METHOD, y, self.start.angles)

    def matrices(self, y: np.ndarray, level: int = LEVEL_POSITION) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Phi_v, Phi, nu over the independent rows."""
        self.equations.evaluate(0.0, y, self.start.angles, level)
        work = self.equations.work
        J = dense_jacobian(self.equations.system, work)[self.rows]
        return J, work.Phi[self.rows].copy(), work.nu[self.rows].copy()

    def operators(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """I_R, P_T as kept and updated, (3.2), (3.3)."""
        IR = self.J0.T @ np.linalg.inv(self.J0 @ self.J0.T)
        PT = np.eye(J.shape[1]) - IR @ self.J0
        IRh = IR @ np.linalg.inv(J @ IR)
        return IR, PT, IRh, PT - IRh @ J @ PT

    def disturbed(self, rng: np.random.Generator, size: float) -> np.ndarray:
        """The start, off the constraints in position and velocity."""
        y, n = self.start.y.copy(), self.count
        y[:n] += rng.uniform(-size, size, n)
        y[n : 2 * n] += rng.uniform(-size, size, n)
        return y

    def position(self, y: np.ndarray) -> np.ndarray:
        """Newton's method on (3.7) as it stands, all columns of P_NT."""
        y = y.copy()
        for _ in range(15):
            J, Phi, _ = self.matrices(y)
            PNT = self.operators(J)[3]
            matrix = np.vstack([J, PNT.T])
            y[: self.count] += np.linalg.lstsq(matrix, np.append(-Phi, np.zeros(len(PNT))), rcond=1e-12)[0]
        return y[: self.count]


@pytest.mark.parametrize("corrected", [0.0, 1.0])
def test_steps_9_to_11_are_those_of_the_print(corrected):
    for seed in range(4):
        dense, rng = Dense(seed, 1.0, corrected), np.random.default_rng(seed)
        n = dense.count
        begin = dense.disturbed(rng, 0.1)
        position = dense.position(begin)
        status, y = dense.moved(begin)
        assert status == OK
        np.testing.assert_allclose(y[:n], position, atol=1e-10)

        J, _, nu = dense.matrices(y, LEVEL_ALL)
        gamma, Q = dense.equations.work.gamma[dense.rows].copy(), dense.equations.work.Q.copy()
        M = dense_mass(dense.equations.system, dense.equations.work)
        IR, PT, IRh, PNT = dense.operators(J)
        if corrected:
            IR, PT = IRh, PNT
        v = IR @ nu + PNT @ begin[n : 2 * n]
        np.testing.assert_allclose(y[n : 2 * n], v, atol=1e-10)
        z = np.linalg.pinv(PT.T @ M @ PT, rcond=1e-10) @ PT.T @ (Q - M @ IR @ gamma)
        v_dot = IR @ gamma + PNT @ z
        dense.moved(y)
        np.testing.assert_allclose(dense.equations.work.v_dot, v_dot, rtol=1e-8, atol=1e-8 * np.abs(v_dot).max())
        lam = IR.T @ (Q - M @ v_dot)
        np.testing.assert_allclose(dense.equations.work.lam[dense.rows], lam, atol=1e-8 * np.abs(lam).max())
        assert (np.abs(J @ v - nu).max() < 1e-10) == bool(corrected)


def test_the_printed_way_back_and_ours_are_apart_by_the_square_of_the_violation():
    """(3.7) against the way along the kept I_R, on which P_T^T q stays as it is; both begun near the reference."""
    for seed in range(4):
        dense, apart = Dense(seed, 1.0, 1.0), []
        for size in (0.05, 0.0125):
            begin = dense.disturbed(np.random.default_rng(seed), size)
            kept = begin.copy()
            for _ in range(15):
                J, Phi, _ = dense.matrices(kept)
                kept[: dense.count] -= dense.operators(J)[2] @ Phi
            apart.append(np.linalg.norm((kept - dense.moved(begin)[1])[: dense.count]))
        assert 13.0 < apart[0] / apart[1] < 20.0  # four times the violation: sixteen


def test_our_correction_leaves_the_independent_motion_as_it_is():
    for seed in range(4):
        dense = Dense(seed, 0.0, 0.0)
        M, T = dense_mass(dense.equations.system, dense.equations.work), dense.equations.work.basis[:, -2:].copy()
        begin = dense.disturbed(np.random.default_rng(seed), 0.05)
        moved = dense.moved(begin)[1] - begin
        assert np.linalg.norm(moved[: dense.count]) > 0.01
        np.testing.assert_allclose(T.T @ M @ moved[: dense.count], 0.0, atol=1e-12 * np.abs(M).max())
