"""Internal forces and stresses of flexible beams against closed forms and the reactions, whatever modes are kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.library import library_model

STEEL = {"modulus": 210e9, "density": 7850.0}  # Pa, kg/m3


def random_beam(rng: np.random.Generator) -> tuple[dict[str, Any], float, float]:
    """A beam of rectangular section with some modes, its length (m) and area (m2)."""
    length, b, h = rng.uniform(0.5, 2.0), rng.uniform(0.01, 0.03), rng.uniform(0.01, 0.03)
    given = {"length": length, "width": b, "height": h, "elements": int(rng.integers(6, 14)), **STEEL,
             "modes": int(rng.integers(1, 9)), "supports": {"1": "clamped"}}  # fmt: skip
    return given, length, b * h


# -------------------------------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("seed", range(8))
def test_a_spinning_blade_is_pulled_by_what_is_beyond_the_section(seed: int) -> None:
    """N(x) = rho A w^2 (L^2 - x^2) / 2, sigma = N / A, with 1 to 8 modes, none of which may stretch it."""
    rng = np.random.default_rng(seed)
    given, L, A = random_beam(rng)
    w = rng.uniform(20.0, 120.0)  # rad/s
    m = lw.Model("blade", gravity=(0, 0, 0))
    m.body("blade", flexible=lw.beam(**given, stiffening=True))
    m.revolute("hub", m.ground, "blade", at=(0, 0, 0), axis="z")
    m.driver("motor", "hub", f"{w}*t")
    run = m.simulate(0.05, rtol=1e-8, every=0.01)
    loads = run.beam_loads("blade")
    pull = STEEL["density"] * A * w**2 * (L**2 - loads.x**2) / 2
    np.testing.assert_allclose(
        loads.forces[:, :, 0], np.broadcast_to(pull, loads.forces.shape[:2]), atol=1e-5 * pull[0]
    )
    assert loads.peak_stress[-1] == pytest.approx(pull[0] / A, rel=1e-5)
    force = np.linalg.norm(run.reaction("hub").force, axis=1)
    np.testing.assert_allclose(loads.forces[:, 0, 0], force, rtol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_a_cantilever_at_rest_bears_its_weight_and_loads_at_any_nodes(seed: int) -> None:
    """Forces beyond the section, and their moments, in three directions; so small that the beam is all but straight."""
    rng = np.random.default_rng(100 + seed)
    given, L, A = random_beam(rng)
    g = rng.normal(size=3) * 1e-3
    m = lw.Model("cantilever", gravity=tuple(g))
    m.body("bar", flexible=lw.beam(**given, damping=0.05))
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    x, forces = np.linspace(0.0, L, given["elements"] + 1), []
    for k, node in enumerate(rng.choice(np.arange(2, len(x) + 1), 3, replace=False)):
        forces.append((float(x[node - 1]), 1e-3 * rng.normal(size=3)))
        m.applied_force(f"load{k}", "bar", force=tuple(forces[-1][1]), at=(forces[-1][0], 0, 0))
    loads = m.simulate(1e-5, rtol=1e-8, every=1e-5, from_equilibrium=True).beam_loads("bar")
    q = STEEL["density"] * A * g
    for k, s in enumerate(x):
        V, M = q * (L - s), np.cross([(L - s) / 2, 0, 0], q * (L - s))
        for at, f in forces:
            weight = 1.0 if at > s + 1e-9 else 0.0
            if abs(at - s) < 1e-9:  # the mean of both sides, the beam's own at its end
                weight = 1.0 if k == len(x) - 1 else 0.5
            V, M = V + weight * f, M + weight * np.cross([at - s, 0, 0], f)
        size = np.linalg.norm(q * L) + sum(np.linalg.norm(f) for _, f in forces)
        np.testing.assert_allclose(loads.forces[0, k, :3], V, atol=1e-5 * size)
        np.testing.assert_allclose(loads.forces[0, k, 3:], M, atol=1e-5 * size * L)


# ----------------------------------------------------------------------------------------------------------- reactions


@pytest.mark.parametrize("modes", [1, 2, 5])
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_internal_forces_at_a_swinging_beams_ends_are_the_reactions(modes: int, formulation: str) -> None:
    """A beam that swings on a pin with a body at its tip: force and moment at both ends, at every sample."""
    m = lw.Model("swing", gravity=(0, 0, -9.81))
    m.body("bar", flexible=lw.beam(length=1.0, radius=0.004, modes=modes, supports={"1": "clamped"}, **STEEL))
    m.body("bob", lw.sphere(mass=0.3, radius=0.05), at=(1.0, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    m.fixed("weld", "bar", "bob", at=(1.0, 0, 0))
    run = m.simulate(0.3, formulation=formulation, rtol=1e-8, every=0.01)
    loads = run.beam_loads("bar")
    for joint, end in (("pin", 0), ("weld", -1)):
        found = run.reaction(joint, on="bar", frame="bar")
        force, moment = np.linalg.norm(found.force, axis=1), np.linalg.norm(found.torque, axis=1)
        size = force.max()
        np.testing.assert_allclose(np.linalg.norm(loads.forces[:, end, :3], axis=1), force, atol=1e-6 * size)
        np.testing.assert_allclose(np.linalg.norm(loads.forces[:, end, 3:], axis=1), moment, atol=1e-6 * size)
    assert (
        math.isfinite(loads.peak_stress.max()) and np.abs(loads.forces[:, 0, 4]).max() < 1e-6
    )  # a pin bears no moment


def test_the_coupler_of_a_four_bar_hangs_between_its_pins() -> None:
    run = library_model("four-bar-flexible").simulate(0.5, rtol=1e-8, every=0.02)
    loads = run.beam_loads("coupler")
    for joint, end in (("B", 0), ("C", -1)):
        force = np.linalg.norm(
            run.reaction(joint, on="coupler").force[:, [0, 2]], axis=1
        )  # across its plane: not unique
        np.testing.assert_allclose(np.linalg.norm(loads.forces[:, end, [0, 2]], axis=1), force, atol=1e-6 * force.max())


def test_stresses_do_not_depend_on_how_many_modes_are_kept() -> None:
    """A blade of 1 m at 32.86 rad/s, 4.24 MPa at its root: from 1 to 20 modes, of which the last few stretch it."""
    peaks = []
    for modes in (1, 4, 20):
        m = lw.Model("blade", gravity=(0, 0, 0))
        bent = lw.beam(
            length=1.0,
            width=0.01,
            height=0.025,
            modes=modes,
            supports={"1": "clamped"},
            stiffening=True,
            damping=0.7,
            **STEEL,
        )
        m.body("blade", flexible=bent)
        m.revolute("hub", m.ground, "blade", at=(0, 0, 0), axis="z")
        m.driver("motor", "hub", "32.86*t")
        peaks.append(m.simulate(0.3, rtol=1e-6, every=0.1).beam_loads("blade").peak_stress[-1])
    np.testing.assert_allclose(peaks, STEEL["density"] * 32.86**2 / 2, rtol=5e-5)  # stretched by 1.3e-5 it is more
