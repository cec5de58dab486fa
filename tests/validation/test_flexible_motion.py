"""Flexible bodies in the time loop, equilibrium and linearization, against closed forms and published solutions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import linkwork as lw
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.reproduce.benchmarks import crank as data
from linkwork.reproduce.benchmarks.crank import simeons_crank
from linkwork.reproduce.benchmarks.flexible.rotating_beams import boom

BAR = {"length": 1.0, "width": 0.02, "height": 0.01, "material": "steel"}
EI, RHO_A = 210e9 * 0.02 * 0.01**3 / 12, 7850 * 2e-4


# -- Simeon's slider-crank --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_the_published_solution_of_simeons_slider_crank(formulation):
    """All digits that the stiff stretch modes (1e5 rad/s) leave at this tolerance; DAE of index 2 and 3 there."""
    run = simeons_crank().simulate(data.END, formulation=formulation, rtol=1e-8)
    modes = [f"rod.mode{k}" for k in (1, 2, 3, 4)]
    assert run["slider.position.x"][-1] == pytest.approx(data.REFERENCE[2], rel=1e-9)
    assert [run[name][-1] for name in modes] == pytest.approx(data.REFERENCE[3:], rel=2e-5)
    assert run["slider.velocity.x"][-1] == pytest.approx(data.REFERENCE_RATES[2], rel=1e-6)
    assert run["rod.angular_velocity.z"][-1] == pytest.approx(data.REFERENCE_RATES[1], rel=1e-7)
    assert [run[f"{name}_rate"][-1] for name in modes] == pytest.approx(data.REFERENCE_RATES[3:], rel=2e-3)
    assert run.certificate.energy_drift < 1e-10


# -- a boom that spins up ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_kanes_spin_up_needs_the_stiffening(formulation):
    """The tip lags by some 0.57 m and comes back; without stiffening it runs away."""
    lag = boom(True).simulate(20.0, formulation=formulation, rtol=1e-7)["lag"]
    assert lag.min() == pytest.approx(-0.57, abs=0.02)
    assert np.abs(lag[-50:]).max() < 0.01
    assert np.abs(boom(False).simulate(12.0, formulation=formulation)["lag"]).max() > 20.0


def test_the_spin_up_converges_with_the_modes():
    """-0.5750, -0.57579, -0.575814 m by 2, 4 and 6 modes; the cantilever's modes and a turning frame are all but
    dependent, and M has to stay positive definite.
    """
    deepest = [boom(True, modes).simulate(8.0, formulation="absolute", rtol=1e-7)["lag"].min() for modes in (2, 4, 6)]
    assert np.abs(np.diff(deepest)) == pytest.approx([8e-4, 3e-5], rel=0.1)


# -- supports made by joints ------------------------------------------------------------------------------------------
ROOTS = {  # beta L of Euler-Bernoulli beams (Blevins 1979)
    ("fixed", None): (1.87510407, 4.69409113, 7.85475744),
    ("fixed", "fixed"): (4.73004074, 7.85320462, 10.9956078),
    ("fixed", "revolute"): (3.92660231, 7.06858275, 10.2101761),
    ("revolute", "revolute"): (np.pi, 2 * np.pi, 3 * np.pi),
    ("fixed", "prismatic"): (2.36502037, 5.49780392, 8.63937983),
    (None, None): (4.73004074, 7.85320462, 10.9956078),
}


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("ends", ROOTS, ids=str)
def test_one_body_has_the_frequencies_of_whatever_joints_hold_it(ends, formulation):
    """All Craig-Bampton shapes of the free beam: the joints at its nodes make the supports, in rows or in the tree."""
    m = lw.Model("beam", gravity=(0, 0, 0), plane="xz")
    bent = lw.beam(**BAR, elements=16, plane="xz", rotary_inertia=False, interfaces=("1", "17"), modes=48)
    m.body("beam", flexible=bent)
    for end, (kind, x) in enumerate(zip(ends, (0.0, 1.0), strict=True)):
        if kind is not None:
            axis = {"revolute": {"axis": "-y"}, "prismatic": {"axis": "z"}, "fixed": {}}[kind]
            m.joint(kind, f"end {end}", m.ground, "beam", at=(x, 0, 0), **axis)
    found = m.linearize(about="start", formulation=formulation).modes().omega
    exact = np.array(ROOTS[ends]) ** 2 * np.sqrt(EI / RHO_A)
    assert found[found > 1.0][:2] == pytest.approx(exact[:2], rel=1e-4)


def test_static_deflection_under_a_tip_load():
    """PL^3 / 3EI and the slope PL^2 / 2EI, exactly: the constraint modes hold them."""
    m = lw.Model("cantilever", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BAR, elements=3, interfaces=("1", "4"), modes=18))
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    m.applied_force("load", "bar", force=(0, 0, -2.0), at=(1, 0, 0))
    found = m.equilibrium().coordinates
    eta = np.array([found[f"bar.mode{k}"] for k in range(1, 19)])
    nodes = m.mechanism.body[0].modal.nodes
    tilt = 2 * found["bar.e2"]  # of the chord, on which the frame lies
    assert -tilt == pytest.approx(-2.0 / (3 * EI), rel=1e-5)
    assert tilt + nodes.Theta[3, 1] @ eta == pytest.approx(2.0 / (2 * EI), rel=1e-5)


# -- three models of one beam -----------------------------------------------------------------------------------------
def test_modes_finite_elements_and_lumped_chain_move_alike():
    """A clamped bar struck by a short push at its tip: all modes kept, the elements' own equations, rigid segments."""
    span, push = 0.02, 5.0
    m = lw.Model("modes", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BAR, elements=6, plane="xz", supports={"1": "clamped"}, modes=18))
    m.frame("tip", "bar", node="7")
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    m.applied_force("push", "bar", force=(0, 0, push), at=(1, 0, 0))
    m.measure("z", "z(tip)")
    modal = m.simulate(span, rtol=1e-9)

    elements = finite_model(Beam("bar", 1.0, rectangle(0.02, 0.01), material("steel"), 6, plane="xz"))
    K, M = (matrix.toarray()[3:, 3:] for matrix in (elements.K, elements.M))
    f = np.zeros(len(K))
    f[-2] = push
    squares, shapes = scipy.linalg.eigh(K, M)
    share = (shapes.T @ f) / squares * shapes[-2]
    full = (1 - np.cos(np.sqrt(squares) * modal.t[:, None])) @ share
    np.testing.assert_allclose(modal["z"], full, atol=1e-7 * np.abs(full).max() + 1e-9)

    chain = lw.Model("chain", gravity=(0, 0, 0), plane="xz")
    names = chain.lumped_beam(
        "bar", (0, 0, 0), (1, 0, 0), segments=12, density=7850.0, ends=("ground", None), modulus=210e9,
        shear_modulus=80e9, area=2e-4,
        Iy=0.02 * 0.01**3 / 12, Iz=0.02**3 * 0.01 / 12, J=1e-9, second_axis=(0, 1, 0),
    )  # fmt: skip
    chain.applied_force("push", names[-1], force=(0, 0, push))
    lumped = chain.simulate(span, rtol=1e-6)
    np.testing.assert_allclose(lumped[f"{names[-1]}.position.z"], full, atol=0.01 * np.abs(full).max())


def test_energies_and_effective_masses_of_modes_that_bend():
    """A uniform cantilever: 61.31, 18.83, 6.47 % of its mass, (2 s / beta L)^2, s = (cosh + cos) / (sinh + sin).

    With a knob at its tip: shares of both bodies, whose sum is the whole kinetic energy; all stiffness is the bar's.
    """
    m = lw.Model("cantilever", gravity=(0, 0, 0))
    bent = lw.beam(**BAR, elements=16, plane="xz", rotary_inertia=False, supports={"1": "clamped"}, modes=3)
    m.body("bar", flexible=bent)
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    modes = m.linearize(about="start").modes()
    x = np.array(ROOTS["fixed", None])
    exact = (2 * (np.cosh(x) + np.cos(x)) / (np.sinh(x) + np.sin(x)) / x) ** 2
    found = [modes.effective_mass(n)[2] for n in range(3)]
    assert found == pytest.approx(RHO_A * exact, rel=1e-3)
    m.body("knob", lw.sphere(mass=0.5, radius=0.03), at=(1, 0, 0))
    m.fixed("tip", "bar", "knob", at=(1, 0, 0))
    m.applied_force("push", "knob", force=(0, 0, 0.1))
    modes = m.linearize(about="start").modes()
    for n in range(2):
        shape, M = modes[n].shape, modes.linear.M
        shares = modes.kinetic_energy(n)
        knob = modes.body_shapes(n)["knob"]
        energy = 0.5 * abs(knob.translation[2]) ** 2 + 0.4 * 0.5 * 0.03**2 * abs(knob.rotation[1]) ** 2
        assert set(shares) == {"bar", "knob"} and sum(shares.values()) == pytest.approx(1.0)
        assert shares["knob"] == pytest.approx(energy / np.real(np.conj(shape) @ M @ shape), rel=1e-9)
        assert modes.potential_energy(n)["bar"] == pytest.approx(1.0, abs=1e-9)
