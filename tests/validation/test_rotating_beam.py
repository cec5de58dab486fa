"""Frequencies of a rotating cantilever in three ways: modal data alone, a body with modes in a model, a lumped chain.

All speeds 0 to 10 (without dimension), flapwise and chordwise, axially stiff and with a soft axis.

From the modal data: the body frame is clamped to the hub, spins with omega, and its origin, at the hub radius, is
accelerated by -omega^2 r.  In it   M_e eta'' + C eta' + (K_e + K_geo + K_spin) eta = 0,  with C and K_spin taken from
`velocity_forces`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.flexible.bodies import flexible_beam
from linkwork.flexible.finite_elements.beam_elements import Beam
from linkwork.flexible.finite_elements.materials import Material
from linkwork.flexible.finite_elements.sections import Section
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.modal_equations import geometric_stiffness, mass_matrix, velocity_forces
from validation.rotating_beam import COUPLED, FLAP, in_plane_frequencies


# -- the modal data alone ---------------------------------------------------------------------------------------------
def cantilever(slenderness: float, plane: str, modes: int) -> ModalBody:
    """A classical beam (no rotary inertia) with L = 1 m, T = 1 s: rho A = 1 kg/m, EI = 1 N m2."""
    I = 1 / slenderness**2
    beam = Beam("blade", 1.0, Section(1.0, I, I, I), Material(slenderness**2, 1.0), elements=24, plane=plane,
                rotary_inertia=False)  # fmt: skip
    return flexible_beam(beam, modes=modes, supports={"1": "clamped"})


def frequencies(body: ModalBody, speed: float, hub: float, stiffening: bool = True) -> np.ndarray:
    """omega T of small motions about the undeformed body, spinning about z."""
    m, w, rest = body.modes, np.array([0.0, 0.0, speed]), np.zeros(3)
    zero = np.zeros(m)
    a_O = (-hub * speed**2, 0.0, 0.0)
    force = velocity_forces(body, zero, rest, w, zero)[6:]
    K = body.K_e - np.array([velocity_forces(body, e, rest, w, zero)[6:] - force for e in np.eye(m)]).T
    C = -np.array([velocity_forces(body, zero, rest, w, e)[6:] - force for e in np.eye(m)]).T
    if stiffening:
        K = K + geometric_stiffness(body, acceleration=a_O, omega=w)
    first_order = np.block([[np.zeros((m, m)), np.eye(m)], [-np.linalg.solve(body.M_e, np.hstack([K, C]))]])
    roots = np.linalg.eigvals(first_order)
    assert np.abs(roots.real).max() < 1e-6 * np.abs(roots).max()
    return np.sort(roots.imag[roots.imag > 0])


@pytest.mark.parametrize("hub", FLAP)
def test_flapwise_and_chordwise_frequencies(hub):
    flapping, lagging = (cantilever(1000.0, plane, 10) for plane in ("xz", "xy"))
    for speed, expected in FLAP[hub].items():
        exact = np.array(expected[:3])
        assert frequencies(flapping, speed, hub)[:3] == pytest.approx(exact, rel=1e-3)
        assert frequencies(lagging, speed, hub)[:3] == pytest.approx(np.sqrt(exact**2 - speed**2), rel=1e-3)


@pytest.mark.parametrize("case", COUPLED, ids=str)
def test_chordwise_frequencies_of_a_beam_that_stretches(case):
    slenderness, hub, speed = case
    body = cantilever(slenderness, "xy", 20)
    assert frequencies(body, speed, hub)[:5] == pytest.approx(COUPLED[case], rel=2e-3)


def test_without_stiffening_a_fast_beam_loses_the_stiffness_it_should_gain():
    body = cantilever(1000.0, "xy", 6)
    assert frequencies(body, 3.0, 0.0, stiffening=False)[0] < 2.0 < 3.7 < frequencies(body, 3.0, 0.0)[0]
    m, w = body.modes, np.array([0.0, 0.0, 4.0])  # faster than the first frequency, 3.516: unstable
    spin = np.array([velocity_forces(body, e, np.zeros(3), w, np.zeros(m))[6:] for e in np.eye(m)])
    assert np.linalg.eigvalsh(body.K_e - spin)[0] < 0


# -- a body with modes in a model -------------------------------------------------------------------------------------
def blade(slenderness: float, plane: str, modes: int, hub: float) -> lw.Model:
    """A classical beam in a hub: L = 1 m, rho A = 1 kg/m, EI = 1 N m2; its unit of time is 1 s."""
    m, I = lw.Model("blade", gravity=(0, 0, 0)), 1 / slenderness**2
    m.body("hub", lw.sphere(mass=1.0, radius=0.5))
    m.revolute("spin", m.ground, "hub", at=(0, 0, 0), axis="z")
    bent = lw.beam(length=1.0, area=1.0, Iy=I, Iz=I, J=I, modulus=slenderness**2, density=1.0, elements=16, plane=plane,
                   rotary_inertia=False, modes=modes, supports={"1": "clamped"}, stiffening=True)  # fmt: skip
    m.body("blade", flexible=bent, at=(hub, 0, 0))
    m.fixed("root", "hub", "blade", at=(hub, 0, 0))
    return m


@pytest.mark.parametrize("hub", FLAP)
@pytest.mark.parametrize("plane", ["xz", "xy"])
def test_frequencies_by_modes(plane, hub):
    """Out of the plane of rotation and in it, speeds 0 to 10, to 0.05 % where 0.5 % is asked for."""
    model = blade(1000.0, plane, 12, hub)
    for speed, expected in FLAP[hub].items():
        exact = np.array(expected[:3])
        found = model.linearize({"spin.angle": speed}, about="start").modes().omega[:3]
        assert found == pytest.approx(exact if plane == "xz" else np.sqrt(exact**2 - speed**2), rel=5e-4)


@pytest.mark.parametrize("slenderness", [70.0, 1000.0])
@pytest.mark.parametrize("hub", [0.0, 1.0, 5.0])
def test_frequencies_by_modes_of_a_beam_that_stretches(slenderness, hub):
    """Coupled in the plane: the stretch modes are among those kept; about the undeformed beam, as the table is."""
    model = blade(slenderness, "xy", 16, hub)
    for (of, at, speed), exact in COUPLED.items():
        if (of, at) == (slenderness, hub):
            found = model.linearize({"spin.angle": speed}, about="start").modes().omega[:5]
            assert found == pytest.approx(exact, rel=2e-3)


# -- the lumped chain -------------------------------------------------------------------------------------------------
def chain(slenderness: float, segments: int, hub: float = 0.0, plane: str | None = None) -> lw.Model:
    """The same beam as rigid segments with beam elements, without the rotary inertia of its section."""
    m, I = lw.Model("chain", gravity=(0, 0, 0), plane=plane), 1 / slenderness**2
    m.body("hub", lw.sphere(mass=1.0, radius=0.5))
    m.revolute("spin", m.ground, "hub", at=(0, 0, 0), axis="z")
    m.lumped_beam("blade", (hub, 0, 0), (hub + 1, 0, 0), segments=segments, density=1.0, ends=("hub", None),
                  modulus=slenderness**2, shear_modulus=slenderness**2, area=1.0, Iy=I, Iz=I, J=I)  # fmt: skip
    hub_body, *pieces = m.mechanism.body
    thin = [
        piece.model_copy(update={"inertia": (0.1 * across, across, across)})
        for piece in pieces
        for across in [piece.inertia[1] - piece.mass * I]  # the rest is that of the segment's length
    ]
    return lw.Model.of(m.mechanism.model_copy(update={"body": (hub_body, *thin)}))


def test_frequencies_by_the_lumped_chain():
    """Axially stiff, 24 segments in space: three flapwise and three chordwise, to 0.5 % at every speed."""
    model = chain(1000.0, 24)
    for speed, expected in FLAP[0.0].items():
        flap = np.array(expected[:3])
        exact = np.sort(np.concatenate([flap, np.sqrt(flap**2 - speed**2)]))
        assert model.linearize({"spin": speed}).modes().omega[:6] == pytest.approx(exact, rel=5e-3)


SOFT = [case[1:] for case in COUPLED if case[0] == 70.0 and case[1] < 5.0]


@pytest.mark.parametrize(("hub", "speed"), SOFT)
def test_frequencies_by_a_lumped_chain_that_stretches(hub, speed):
    """A soft axis: the coupled values to 0.5 %, and what is left is the steady stretch, which these neglect.

    The chain rests as its tension stretches it (0.7 % on average at speed 10).  Extrapolated from 16 and 32 segments it
    has the frequencies of the same equations about the stretched beam; these without the stretch are the table.
    """
    coarse, fine = (chain(70.0, n, hub, "xy").linearize({"spin": speed}).modes().omega[:5] for n in (16, 32))
    assert in_plane_frequencies(70.0, hub, speed, False) == pytest.approx(COUPLED[70.0, hub, speed], rel=1e-7)
    stretched = in_plane_frequencies(70.0, hub, speed, True)
    assert (4 * fine - coarse) / 3 == pytest.approx(stretched, rel=2e-4)
    if hub == 0.0:  # three bending modes and the stretch
        found = chain(70.0, 64, hub, "xy").linearize({"spin": speed}).modes().omega[:4]
        assert found == pytest.approx(COUPLED[70.0, hub, speed][:4], rel=5e-3)


# -- spin-up, from the modal data -------------------------------------------------------------------------------------
def spin_up(stiffening: bool) -> np.ndarray:
    """Tip deflection (m) of a cantilever brought to 6 rad/s in 15 s: omega = 6/15 (t - 15 / 2 pi sin(2 pi t / 15)).

    Kane, Ryan & Banerjee, J. Guidance 10 (1987); data of Simo & Vu-Quoc (1986): L = 10 m, EI = 1.4e4 N m2,
    EA = 2.8e7 N, rho A = 1.2 kg/m.
    """
    I = 1.4e4 / 2.8e7
    section, material = Section(1.0, I, I, I), Material(2.8e7, 1.2)
    beam = Beam("boom", 10.0, section, material, elements=10, plane="xy", rotary_inertia=False)
    body = flexible_beam(beam, modes=2, supports={"1": "clamped"})
    m, rest = body.modes, np.zeros(3)

    def rates(t, y):
        eta, rate = y[:m], y[m:]
        speed = 6 / 15 * (t - 15 / (2 * np.pi) * np.sin(2 * np.pi * t / 15)) if t < 15 else 6.0
        alpha = 6 / 15 * (1 - np.cos(2 * np.pi * t / 15)) if t < 15 else 0.0
        w = np.array([0.0, 0.0, speed])
        M = mass_matrix(body, eta)
        f = velocity_forces(body, eta, rest, w, rate)[6:] - M[6:, 5] * alpha - body.K_e @ eta
        if stiffening:
            f = f - geometric_stiffness(body, omega=w, angular_acceleration=(0, 0, alpha)) @ eta
        return np.concatenate([rate, np.linalg.solve(M[6:, 6:], f)])

    run = solve_ivp(rates, (0.0, 20.0), np.zeros(2 * m), rtol=1e-5, atol=1e-7)
    return body.nodes.S[-1, 1] @ run.y[:m]


def test_kanes_spin_up_needs_the_stiffening():
    """With it the tip lags by some 0.57 m (Simo & Vu-Quoc, figure), then stays near the axis; without it runs away."""
    tip = spin_up(True)
    assert tip.min() == pytest.approx(-0.57, abs=0.02)
    assert np.abs(tip[-20:]).max() < 0.02
    assert np.abs(spin_up(False)).max() > 100.0
