"""Whirl of a spinning shaft by modes, its own sections alone: forwards and backwards, beside closed forms.

A simply supported beam of Rayleigh's, whose body frame spins with the shaft: every mode sin(k x), k = n pi / L, whirls
on its own.  Its sections have the angular velocity  w = (Omega (1 - r^2 / 2) - (r x r')_x / 2, r_y' - Omega r_z,
r_z' + Omega r_y)  to second order in their turn r = (0, -k z, k y) cos(k x), so that with I_x = I_y + I_z

    2 T / rho = A |(y', z') + Omega x (y, z)|^2 + I_x w_x^2 + I_y w_y^2 + I_z w_z^2

Without the inertia of tilting, a round shaft's are Gibert's sqrt(1 + l^2) +- l (Code_Aster, test V2.02.141).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw

L, E, RHO = 1.0, 1e7, 1.0


def shaft(area: float, Iy: float, Iz: float) -> lw.Model:
    """Driven at its left end by a joint that lets it tilt, in a journal that slides at its right end."""
    m = lw.Model("shaft", gravity=(0, 0, 0))
    bent = lw.beam(length=L, area=area, Iy=Iy, Iz=Iz, J=Iy + Iz, modulus=E, density=RHO, elements=12, modes=6,
                   supports={"1": "pinned", "13": "roller"}, stiffening=True)  # fmt: skip
    m.body("motor", lw.sphere(mass=1.0, radius=0.1))
    m.body("shaft", flexible=bent)
    m.body("journal", lw.sphere(mass=1e-9, radius=0.1), at=(L, 0, 0))
    m.revolute("spin", m.ground, "motor", at=(0, 0, 0), axis="x")
    m.constant_velocity("coupling", "motor", "shaft", at=(0, 0, 0), axis="x")
    m.cylindrical("bearing", m.ground, "journal", at=(L, 0, 0), axis="x")
    m.spherical("seat", "journal", "shaft", at=(L, 0, 0))
    return m


def whirl(model: lw.Model, speed: float) -> np.ndarray:
    """Frequencies in the frame of the shaft, rad/s; that of its turning, 0, left out."""
    omega = model.linearize({"spin.angle": speed}, about="start").modes().omega
    return omega[omega > 1e-6 * omega.max()]


@pytest.mark.parametrize("radius", [0.02, 0.08])
@pytest.mark.parametrize("of_critical", [0.0, 0.5, 2.0])
def test_whirl_of_a_round_shaft(radius, of_critical):
    """(A + I k^2) w^2 - 2 I k^2 Omega w = (E / rho) I k^4: w - Omega forwards, w + Omega backwards, modes 1 and 2."""
    A, I = math.pi * radius**2, math.pi * radius**4 / 4
    speed = of_critical * math.sqrt(E * I / (RHO * A)) * (math.pi / L) ** 2
    expected = []
    for k in (math.pi / L, 2 * math.pi / L):
        roots = np.roots([A + I * k**2, -2 * I * k**2 * speed, -E / RHO * I * k**4])
        expected += list(np.abs(roots - speed))
    found = whirl(shaft(A, I, I), speed)  # that of stretch is among them
    nearest = np.abs(np.subtract.outer(expected, found)).argmin(axis=1)
    assert found[nearest] == pytest.approx(expected, rel=2e-4)


def test_whirl_of_a_flat_shaft(rng):
    """The first mode of a rectangular section: two coordinates, from the energy above."""
    for _ in range(3):
        width, height = rng.uniform(0.05, 0.25, 2)
        A, Iy, Iz, k = width * height, width * height**3 / 12, height * width**3 / 12, math.pi / L
        speed = rng.uniform(0.1, 0.7) * math.sqrt(E / RHO / 12) * k**2 * min(width, height)
        # of y and z: mass A + I_z k^2, A + I_y k^2; the moments I_x, I_y, I_z cancel in y z', where A alone is left
        M = np.diag([A + Iz * k**2, A + Iy * k**2])
        C = 2 * speed * A * np.array([[0.0, -1.0], [1.0, 0.0]])
        K = np.diag([E / RHO * I * k**4 - speed**2 * (A - I * k**2) for I in (Iz, Iy)])
        state = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        expected = np.sort(np.abs(np.linalg.eigvals(state).imag))[::2]
        assert whirl(shaft(A, Iy, Iz), speed)[:2] == pytest.approx(expected, rel=2e-4)
