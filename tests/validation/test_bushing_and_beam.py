"""Bushings and beams against closed forms: linear vibration, statics, frequencies of a cantilever, large rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import linkwork as lw
from linkwork.numerics.rotations import axis_rotation, euler_parameters

STEEL = {"modulus": 2.1e11, "shear_modulus": 8.0e10}
SQUARE = {"area": 1e-4, "Iy": 1e-8 / 12, "Iz": 1e-8 / 12, "J": 1.406e-9}  # 10 mm x 10 mm


# ---------------------------------------------------------------------------------------------------------- bushing
def test_pendulum_on_a_bushing_swings_in_its_two_normal_modes() -> None:
    """Horizontal play u and angle q: M = [[m, m l], [m l, J + m l^2]], K = diag(k, k_q + m g l)."""
    m, l, J, k, k_q, g = 2.0, 0.4, 0.05, 800.0, 3.0, 9.81
    M = np.array([[m, m * l], [m * l, J + m * l * l]])
    squares, modes = eigh(np.diag([k, k_q + m * g * l]), M)
    for square, mode in zip(squares, modes.T, strict=True):
        u, q = 1e-5 * mode / np.abs(mode).max()
        model = lw.Model("bushing", gravity=(0, 0, -g))
        orientation = euler_parameters(axis_rotation(np.array([0.0, -1.0, 0.0]), q))
        drop = -m * g / k  # m, of the bushing under the weight
        bob = model.body(
            "bob", mass=m, inertia=(J, J, J), com=(0, 0, -l), at=(u, 0, drop), orientation=orientation
        )  # fmt: skip
        model.frame("F", "ground")
        model.frame("M", bob)
        model.bushing("bush", "ground", bob, frames=("F", "M"), stiffness=(k, k, k, k_q, k_q, k_q))
        run = model.simulate(4.0 * np.pi / np.sqrt(square), rtol=1e-9, atol=1e-14)
        expected = u * np.cos(np.sqrt(square) * run.t)
        assert np.abs(run.position("bob")[:, 0] - expected).max() < 1e-4 * abs(u)


def test_a_bushing_holds_a_weight_and_a_torque() -> None:
    """At rest: the drop m g / k along a tilted axis of A, and a twist T / k_q that is not small."""
    m, g, T = 1.5, 9.81, 3.0
    model = lw.Model("bushing", gravity=(0, 0, -g))
    block = model.body("block", mass=m, inertia=(0.02, 0.02, 0.02))
    tilted = euler_parameters(axis_rotation(np.array([0.0, 1.0, 0.0]), 0.5))
    model.bushing("bush", "ground", block, at=(0, 0, 0), orientation=tilted, stiffness=(400, 500, 600, 2, 2, 2),
                  damping=(40, 40, 40, 0.3, 0.3, 0.3), preload=(1.0, 0, 0, 0, 0, 0))  # fmt: skip
    model.applied_force("twist", block, torque=(0, T, 0))
    run = model.simulate(8.0, rtol=1e-9)
    R = axis_rotation(np.array([0.0, 1.0, 0.0]), 0.5)
    inside = R.T @ np.array([0, 0, -m * g]) - [1.0, 0, 0]
    assert run.position("block")[-1] == pytest.approx(R @ (inside / [400, 500, 600]), abs=1e-8)
    assert 2 * np.arctan2(run.orientation("block")[-1, 2], run.orientation("block")[-1, 0]) == pytest.approx(T / 2)
    assert run.certificate.energy_drift < 1e-7


# ------------------------------------------------------------------------------------------------------------- beam
def at_rest(model: lw.Model) -> np.ndarray:
    """Acceleration of the only body, which is free, where it is said to be."""
    calls, start = model.calls(), model.assemble()
    return calls.forward(start.y[:7].copy(), np.zeros(6))


def tip_on_a_beam(place, turn, force, torque, length=0.5, **more) -> lw.Model:
    """A body of 1 kg and 1 kg m2 at the end of a cantilever along x."""
    model = lw.Model("cantilever", gravity=(0, 0, 0))
    angle = np.linalg.norm(turn)
    R = axis_rotation(np.array(turn) / angle, angle) if angle else np.eye(3)
    tip = model.body("tip", mass=1.0, inertia=(1, 1, 1), at=place, orientation=euler_parameters(R))
    model.frame("F", "ground")
    model.frame("M", tip)
    model.beam("beam", "ground", tip, frames=("F", "M"), length=length, **STEEL, **{**SQUARE, **more})
    model.applied_force("load", tip, force=force, torque=torque)
    return model


@pytest.mark.parametrize("shear", [{}, {"ky": 5 / 6, "kz": 5 / 6}, {"Iz": 3e-9, "ky": 0.01}])
def test_tip_deflection_of_a_cantilever(shear) -> None:
    """Loads along y and z: F L^3 / (3 E I) + F L / (k G A), slope F L^2 / (2 E I); pulled: F L / (E A)."""
    L, F = 0.5, np.array([30.0, 0.01, -0.02])
    E, G, A = STEEL["modulus"], STEEL["shear_modulus"], SQUARE["area"]
    Iy, Iz = ({**SQUARE, **shear}[key] for key in ("Iy", "Iz"))
    ky, kz = (shear.get(key, np.inf) for key in ("ky", "kz"))
    place = (
        L + F[0] * L / (E * A),
        F[1] * L**3 / (3 * E * Iz) + F[1] * L / (ky * G * A),
        F[2] * L**3 / (3 * E * Iy) + F[2] * L / (kz * G * A),
    )
    turn = (0.0, -F[2] * L**2 / (2 * E * Iy), F[1] * L**2 / (2 * E * Iz))
    across = at_rest(tip_on_a_beam((L, *place[1:]), turn, F * [0, 1, 1], (0, 0, 0), **shear))
    assert np.abs(across[1:]).max() < 1e-6 * np.abs(F[1:]).max()  # along x: shortening, of second order
    pulled = at_rest(tip_on_a_beam((place[0], 0, 0), (0, 0, 0), F * [1, 0, 0], (0, 0, 0), **shear))
    assert np.abs(pulled).max() < 1e-9 * F[0]


def test_torsion_of_a_beam() -> None:
    L, T = 0.5, 20.0
    twist = T * L / (STEEL["shear_modulus"] * SQUARE["J"])
    assert np.abs(at_rest(tip_on_a_beam((L, 0, 0), (twist, 0, 0), (0, 0, 0), (T, 0, 0)))).max() < 1e-9 * T


def test_a_moment_bends_a_beam_into_an_arc() -> None:
    """Elastica under an end moment M: angle M L / (E I), exactly; the chord of the arc to theta^4 / 1920."""
    L, angle = 0.5, 0.6
    EI, EA = STEEL["modulus"] * SQUARE["Iz"], STEEL["modulus"] * SQUARE["area"]
    place = L * np.array([np.sin(angle), 1.0 - np.cos(angle), 0.0]) / angle
    acceleration = at_rest(tip_on_a_beam(place, (0, 0, angle), (0, 0, 0), (0, 0, EI * angle / L)))
    assert np.abs(acceleration[:3]).max() < 1.1 * EA * angle**4 / 1920
    assert np.abs(acceleration[3:]).max() < 1.1 * EA * angle**4 / 1920 * L * angle / 4


def test_a_large_rotation_of_both_ends_gives_no_force() -> None:
    model = lw.Model("flying beam", gravity=(0, 0, 0))
    turn = axis_rotation(np.array([0.36, 0.48, 0.8]), 2.7)
    poses = [np.array([3.0, -2.0, 1.0]), np.array([3.0, -2.0, 1.0]) + turn @ [0.5, 0, 0]]
    for name, p in zip("ab", poses, strict=True):
        model.body(name, mass=1.0, inertia=(1, 1, 1), at=p, orientation=euler_parameters(turn))
        model.frame(f"on {name}", name)
    model.beam("beam", "a", "b", frames=("on a", "on b"), length=0.5, **STEEL, **SQUARE)
    start = model.assemble()
    forces = model.calls().forward(start.y[:14].copy(), np.zeros(12))
    assert np.abs(forces).max() < 1e-13 * STEEL["modulus"] * SQUARE["area"]


def test_a_lumped_cantilever_has_the_frequencies_of_the_beam() -> None:
    """(beta L)^2 sqrt(E I / (rho A L^4)), beta L = 1.87510, 4.69409; the error falls with 1 / n^2."""
    L, rho = 1.0, 7800.0
    unit = np.sqrt(STEEL["modulus"] * SQUARE["Iz"] / (rho * SQUARE["area"] * L**4))
    exact = np.array([1.87510407, 1.87510407, 4.69409113, 4.69409113]) ** 2 * unit
    errors = []
    for n in (8, 16):
        model = lw.Model("cantilever", gravity=(0, 0, 0))
        names = model.lumped_beam(
            "arm", (0, 0, 0), (0, L, 0), segments=n, density=rho, ends=("ground", None), **STEEL, **SQUARE
        )
        assert len(names) == n + 1
        assert sum(body.mass_kg for body in model.mechanism.body) == pytest.approx(rho * SQUARE["area"] * L)
        errors.append(model.linearize().modes().omega[:4] / exact - 1.0)
    assert np.abs(errors[1]).max() < 6e-3
    ratios = errors[0] / errors[1]
    assert np.all((ratios > 3.3) & (ratios < 4.7))


def test_a_rotating_cantilever_is_stiffened_by_the_pull_in_it() -> None:
    """Bending in the plane of rotation: (3.6218, 22.5263) and (5.0490, 32.1197) sqrt(E I / (rho A L^4)) at 2 and 10
    such units of speed, exact for an inextensible beam.
    """
    E, I, A, rho, L, stiff = 2e10, 1e-5, 1e-2, 100.0, 1.0, 1e4
    unit = np.sqrt(E * I / (rho * A * L**4))
    model = lw.Model("rotating", gravity=(0, 0, 0), plane="xy")
    model.body("hub", mass=1.0, inertia=(1, 1, 1))
    model.revolute("spindle", "ground", "hub", at=(0, 0, 0), axis="z")
    model.lumped_beam("arm", (0, 0, 0), (L, 0, 0), segments=12, density=rho / stiff, ends=("hub", None), modulus=E,
                      shear_modulus=E, area=A * stiff, Iy=I, Iz=I, J=I)  # fmt: skip
    for speed, exact in ((2.0, (3.62180, 22.52631)), (10.0, (5.04898, 32.11969))):
        assert model.linearize({"spindle": speed * unit}).modes().omega[:2] / unit == pytest.approx(exact, rel=6e-3)


def test_a_lumped_beam_bends_under_a_tip_load_as_the_beam() -> None:
    """F L^3 / (3 E I) and F L^2 / (2 E I), whatever the number of segments."""
    L, F = 1.0, 0.01
    EI = STEEL["modulus"] * SQUARE["Iz"]
    for n in (1, 3):
        model = lw.Model("cantilever", gravity=(0, 0, 0), plane="xz")
        names = model.lumped_beam("arm", (0, 0, 0), (L, 0, 0), segments=n, density=7800.0, ends=("ground", None),
                                  **STEEL, **SQUARE)  # fmt: skip
        model.applied_force("load", names[-1], force=(0, 0, -F))
        found = model.equilibrium()
        assert found.coordinates[f"arm deflection {n}.y"] == pytest.approx(-F * L**3 / (3 * EI), rel=1e-6)
        assert found.coordinates[f"arm deflection {n}.angle"] == pytest.approx(-F * L**2 / (2 * EI), rel=1e-6)
        assert found.stable


def test_a_moment_rolls_a_lumped_beam_up_into_a_quarter_circle() -> None:
    L, n = 1.0, 10
    model = lw.Model("cantilever", gravity=(0, 0, 0), plane="xy")
    names = model.lumped_beam("arm", (0, 0, 0), (L, 0, 0), segments=n, density=7800.0, ends=("ground", None),
                              **STEEL, **SQUARE)  # fmt: skip
    model.applied_force("moment", names[-1], torque=(0, 0, np.pi / 2 * STEEL["modulus"] * SQUARE["Iz"] / L))
    found = model.equilibrium().coordinates
    assert found[f"arm deflection {n}.angle"] == pytest.approx(np.pi / 2, rel=1e-9)
    assert L + found[f"arm deflection {n}.x"] == pytest.approx(2 / np.pi, rel=1e-6)
    assert found[f"arm deflection {n}.y"] == pytest.approx(2 / np.pi, rel=1e-6)


def test_a_damped_lumped_beam_comes_to_rest_under_its_weight() -> None:
    """w L^4 / (8 E I) for a small weight; stiff in all but bending, so by the implicit integrator."""
    L, rho, g = 1.0, 7800.0, 0.01
    EI = STEEL["modulus"] * SQUARE["Iz"]
    model = lw.Model("cantilever", gravity=(0, 0, -g), plane="xz")
    names = model.lumped_beam("arm", (0, 0, 0), (L, 0, 0), segments=4, density=rho, ends=("ground", None),
                              damping=0.03, **STEEL, **SQUARE)  # fmt: skip
    run = model.simulate(2.0, integrator="generalized-alpha", rtol=1e-6)
    sag = rho * SQUARE["area"] * g * L**4 / (8 * EI)
    tip = run.position(names[-1])[-1, 2]
    assert tip == pytest.approx(-sag, rel=2e-2)
    assert tip == pytest.approx(model.equilibrium().coordinates["arm deflection 4.y"], rel=1e-4)
