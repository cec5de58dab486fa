"""What a run says of its flexible bodies: nodes, deflections, energy, internal forces; and how they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.results.flexible import modal_body
from linkwork.view.run_scene import scene_of
from linkwork.view.scene import rotations

BEAM = {"length": 1.0, "width": 0.02, "height": 0.01, "material": "steel", "elements": 4, "supports": {"1": "clamped"}}
EI = 210e9 * 0.02 * 0.01**3 / 12


@pytest.fixture(scope="module")
def run() -> lw.Run:
    """A pointer on a pivot, bent by its weight and let go."""
    m = lw.Model("pointer", gravity=(0, 0, -9.81))
    m.body("arm", flexible=lw.beam(**BEAM, modes=3, stiffening=True), angle=0.3, axis="z")
    m.frame("tip", "arm", node="5")
    m.revolute("pivot", m.ground, "arm", at=(0, 0, 0), axis=(-np.sin(0.3), np.cos(0.3), 0))
    for axis in "xyz":
        m.measure(f"tip {axis}", f"{axis}(tip)")
    m.measure("local", "z(tip, arm)")
    return m.simulate(0.3)


def test_nodes_are_where_the_kernels_have_them(run):
    tip = np.column_stack([run[f"tip {axis}"] for axis in "xyz"])
    np.testing.assert_allclose(run.nodes("arm")[:, 4], tip, atol=1e-12)
    np.testing.assert_allclose(run.deflection("arm", "5")[:, 2], run["local"], atol=1e-12)


def test_strain_energy_is_the_part_of_the_potential_that_is_not_weight(run):
    """m g z of the centre of mass of the deformed body, foreshortening included, and 1/2 eta K eta."""
    modal = modal_body(run.result, "arm")
    eta = np.column_stack([run[f"arm.mode{k}"] for k in (1, 2, 3)])
    first = modal.h0 + eta @ modal.C_t.T + 0.5 * np.einsum("ti,kij,tj->tk", eta, modal.stiffening.acceleration, eta)
    turned = np.einsum("tab,tb->ta", rotations(run.orientation("arm")), first)
    weight = 9.81 * (modal.mass * run.position("arm")[:, 2] + turned[:, 2])
    np.testing.assert_allclose(run["arm.strain_energy"], run["energy.potential"] - weight, atol=1e-9)
    assert run.result.unit("arm.strain_energy") == "J"


def test_internal_forces_of_a_cantilever_under_a_tip_load():
    """M = P (L - x), V = P, sigma = M z / I: of all modes of the elements these are exact."""
    m = lw.Model("cantilever", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BEAM, modes=24))
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    m.applied_force("load", "bar", force=(0, 0, -3.0), at=(1, 0, 0))
    rest = m.equilibrium().coordinates
    start = [rest[f"bar.mode{k}"] for k in range(1, 25)]
    bent = m.mechanism.body[0].model_copy(update={"modal_start": tuple(start)})
    run = lw.Model.of(m.mechanism.model_copy(update={"body": (bent,)})).simulate(1e-4)
    loads = run.beam_loads("bar")
    moment = 3.0 * (1 - loads.x)
    np.testing.assert_allclose(loads.forces[0, :, 4], moment, atol=1e-6)  # on the section, from larger x
    np.testing.assert_allclose(loads.forces[0, :, 2], -3.0, atol=1e-4)
    assert loads.peak_stress[0] == pytest.approx(3.0 * 0.005 / (0.02 * 0.01**3 / 12), rel=1e-6)


def test_what_is_no_beam_has_no_internal_forces(run):
    with pytest.raises(lw.OptionError, match="no flexible body"):
        run.beam_loads("arms")


def test_the_surface_that_is_drawn_bends_with_the_nodes(run, tmp_path):
    scene = scene_of(run.result, loads=False)
    (bend,) = scene.bends
    assert bend.mesh.volume() == pytest.approx(1.0 * 0.02 * 0.01, rel=1e-12)
    sample = int(np.argmin(run["local"]))
    moved = bend.at(sample).vertices - bend.mesh.vertices
    at_tip = np.abs(bend.mesh.vertices[:, 0] - 1.0) < 1e-12
    linear = run["local"][sample]
    np.testing.assert_allclose(moved[at_tip, 2].mean(), linear, rtol=1e-6)
    run.plot_beam("arm", tmp_path / "beam.png")
    assert (tmp_path / "beam.png").stat().st_size > 10_000
