"""Whipple's bicycle (Meijaard, Papadopoulos, Ruina & Schwab 2007), and independent coordinates of what rolls.

The canonical matrices M, C1, K0, K2 and the eigenvalues are those that the paper prints (eq. 5.4, Table 2); the
equations are M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with q = (lean, steer).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw
from linkwork.errors import OptionError
from linkwork.library.bicycle import REAR, bicycle
from linkwork.reproduce.benchmarks.bicycle import C1, CAPSIZE, EIGENVALUES, K0, K2, WEAVE, G, M


@pytest.mark.parametrize("speed", [1.0, 5.0, 10.0])
def test_canonical_matrices_to_twelve_digits(speed: float) -> None:
    linear = bicycle().linearize({"rear hub": speed / REAR})
    assert linear.independent == ("rear frame.wx", "steer.angle")
    for ours, known in ((linear.M, M), (linear.C, speed * C1), (linear.K, G * K0 + speed**2 * K2)):
        assert np.abs(ours - known).max() < 1e-12 * np.abs(known).max()


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_eigenvalues_to_twelve_digits(speed: float) -> None:
    modes = bicycle(speed=speed, lean_rate=0.0).linearize({"rear hub": speed / REAR}).modes()
    for known in EIGENVALUES[speed]:
        assert np.abs(modes.eigenvalues - known).min() < 1e-12 * abs(modes.eigenvalues).max()


def test_weave_and_capsize_speeds() -> None:
    """The capsize speed is where an eigenvalue passes zero: det K = 0, which no rounding of eigenvalues may blur."""
    limits = bicycle().sweep("rear hub", np.linspace(1.0, 10.0, 8) / REAR, progress=False).limits
    assert [(limit.becomes, limit.how) for limit in limits] == [("stable", "flutter"), ("unstable", "divergence")]
    assert [limit.value * REAR for limit in limits] == pytest.approx([WEAVE, CAPSIZE], rel=1e-12)


def test_a_small_lean_rate_dies_out_as_the_paper_says() -> None:
    """The nonlinear motion, both formulations, beside expm of the published matrices: lean rate and steer."""
    speed, rate = 5.0, 1e-4
    A = np.block([[np.zeros((2, 2)), np.eye(2)],
                  [-np.linalg.solve(M, G * K0 + speed**2 * K2), -np.linalg.solve(M, speed * C1)]])  # fmt: skip
    for formulation in ("joint", "absolute"):
        run = bicycle(speed, rate).simulate(3.0, rtol=1e-10, every=0.5, formulation=formulation, progress=False)
        start = [0.0, 0.0, run.angular_velocity("rear frame")[0, 0], run["steer.rate"][0]]
        known = np.array([expm(A * t) @ start for t in run.t])
        assert run["steer.angle"] == pytest.approx(known[:, 1], abs=1e-4 * rate)
        assert run.angular_velocity("rear frame")[:, 0] == pytest.approx(known[:, 2], abs=1e-4 * rate)


@pytest.mark.parametrize("independent", [("rear frame.y", "steer"), ("rear frame.wx", "rear frame.wz")])
def test_places_that_depend_on_the_path_are_refused_as_coordinates(independent: tuple[str, str]) -> None:
    with pytest.raises(OptionError, match="'rear contact' rolls to places that depend on the path"):
        bicycle().linearize({"rear hub": 5.0 / REAR}, independent=independent)
    with pytest.raises(OptionError, match="depend on the path"):
        bicycle().equilibrium({"rear hub": 5.0 / REAR}, independent=independent)


def test_rolling_that_can_be_integrated_leaves_the_choice_free() -> None:
    """An eccentric wheel in a plane, at rest on a spring: by its place or its angle, the same frequency."""
    found = []
    for name in ("wheel.x", "wheel.angle"):
        model = lw.Model("wheel", gravity=(0, 0, -G), plane="xz")
        wheel = model.body("wheel", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.0, 0.0, -0.05), at=(0, 0, 0.3))
        model.rolling_disc("roll", wheel, radius=0.3, axis="y")
        model.spring_damper("spring", "ground", wheel, points=((-1, 0, 0.3), (0, 0, 0.3)), stiffness=50.0,
                            free_length=1.0)  # fmt: skip
        found.append(model.linearize(independent=[name]).modes()[0].omega)
    J = 0.1 + 2.0 * 0.25**2  # about the contact, com 0.05 below the centre
    assert found == pytest.approx([np.sqrt((50.0 * 0.09 + 2.0 * G * 0.05) / J)] * 2, rel=1e-12)
