"""Contract of the kernels for the plane: whatever moves in a plane has the equations, motion and loads of space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.plane.detection import plane_tables
from linkwork.formulations.plane.records import ACROSS
from linkwork.mechanism import Mechanism
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.registry import METHODS
from linkwork.model import Model
from linkwork.numerics.rotations import rotation_matrix
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSES
from random_mechanisms import random_linkage, random_planar_linkage, scalar_first
from random_mechanisms.anything import PLANAR, SPATIAL

SEEDS = range(12)


def turned(mechanism: Mechanism, R: np.ndarray) -> Mechanism:
    """The same mechanism, and gravity, in other axes."""
    bodies, joints = [], []
    for body in mechanism.body:
        orientation = tuple(scalar_first(R @ rotation_matrix(np.array(body.orientation))))
        bodies.append(body.model_copy(update={"at": tuple(R @ body.at), "orientation": orientation}))
    for joint in mechanism.joint:
        joints.append(joint.model_copy(update={"at": tuple(R @ joint.at), "axis": tuple(R @ joint.axis)}))
    update = {"gravity": tuple(R @ mechanism.gravity), "body": tuple(bodies), "joint": tuple(joints)}
    return Mechanism.model_validate(mechanism.model_copy(update=update).model_dump(exclude_unset=True))


def with_forces(mechanism: Mechanism, rng: np.random.Generator) -> Mechanism:
    """A spring and a force that act across the plane as well, a torsional spring; where two move, a driver."""
    names = [body.name for body in mechanism.body]
    hinges = [joint.name for joint in mechanism.joint if joint.kind == "revolute"]
    a, b = rng.choice(names, 2, replace=False)
    added = {
        "spring_damper": [
            {"name": "spring", "between": (a, b), "points": rng.uniform(-0.5, 0.5, (2, 3)), "stiffness": 30.0,
             "damping": 0.5, "free_length": 0.2}
        ],
        "applied_force": [
            {"name": "push", "body": str(a), "at": rng.uniform(-0.5, 0.5, 3), "force": ("3*cos(5*t)", "2", "-4")}
        ],
        "torsional_spring_damper": [{"name": "torsion", "joint": hinges[-1], "stiffness": 2.0, "damping": 0.1}],
    }  # fmt: skip
    if len(names) == 4:  # a five-bar moves in two ways
        added["driver"] = [{"name": "drive", "joint": hinges[int(rng.integers(5))], "motion": "0.3*sin(4*t)"}]
    return Mechanism.model_validate(mechanism.model_dump(exclude_unset=True) | added)


def linkage(seed: int, forces: bool = True) -> Mechanism:
    """A random linkage in a plane that lies anyhow, given in space."""
    rng = np.random.default_rng([seed, 20])
    drawn = random_planar_linkage(PLANAR[seed % len(PLANAR)], seed, None)
    return turned(with_forces(drawn, rng) if forces else drawn, Rotation.random(random_state=seed).as_matrix())


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_equations_are_those_of_space(seed, forces):
    mechanism, rng = linkage(seed, forces), np.random.default_rng(seed)
    start = assemble(mechanism, "joint")
    space, tables = Equations(start.compiled), plane_tables(Equations(start.compiled))
    plane, held = Equations(start.compiled, plane=tables), tables.plane_rows["kind"] != ACROSS
    normal = Rotation.random(random_state=seed).as_matrix()[:, 1]
    assert np.abs(np.cross(tables.plane[0]["normal"], normal)).max() < 1e-12
    y = start.y.copy()
    y[: 2 * len(plane.system.dofs)] += rng.standard_normal(2 * len(plane.system.dofs))
    for equations in (space, plane):
        equations.evaluate(0.7, y, start.angles.copy(), LEVEL_POSES)
        equations.evaluate(0.7, y, start.angles.copy(), LEVEL_ALL)
    rows = plane.system.rows
    size = plane.system.constraints[rows["constraint"]]["column_count"]
    for name in ("M", "Q", "Phi", "J", "nu", "gamma", "energy", "rate", "V", *(("R", "p") if forces else ())):
        wanted, found = getattr(space.work, name), getattr(plane.work, name)
        if name in ("Phi", "nu", "gamma"):
            wanted, found = wanted[held], found[held]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1.0, np.abs(wanted).max()), err_msg=name)
    natural = [np.zeros((len(held), len(plane.system.dofs))) for _ in range(2)]
    for equations, found in zip((space, plane), natural, strict=True):
        natural_rows(equations.system_ref, equations.work_ref, found)
    np.testing.assert_allclose(natural[1][held], natural[0][held], rtol=0, atol=1e-12)
    across = np.repeat(~held, size)
    assert np.abs(space.work.J[across]).max(initial=0.0) < 1e-13


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_motion_and_the_loads_are_those_of_space(seed):
    model = Model.of(linkage(seed))
    options = {"integrator": "rk4", "step": 1e-3, "every": 0.02, "progress": False}
    flat, spatial = (model.simulate(0.2, planar=planar, **options) for planar in (True, False))
    assert "; planar: it moves in the plane normal to (" in flat.certificate.why
    assert "planar" not in spatial.certificate.why
    np.testing.assert_allclose(flat.result.q, spatial.result.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(flat.result.v, spatial.result.v, rtol=0, atol=1e-8)
    np.testing.assert_allclose(flat.energy, spatial.energy, rtol=0, atol=1e-9)
    for joint in model.mechanism.joint:
        found, wanted = flat.reaction(joint.name), spatial.reaction(joint.name)
        np.testing.assert_allclose(found.force, wanted.force, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(found.torque, wanted.torque, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"articulated"}))
def test_every_method_moves_in_a_plane_as_in_space(method):
    mechanism, ends = linkage(3), []
    held = plane_tables(Equations(assemble(mechanism, "joint").compiled)).plane_rows["kind"] != ACROSS
    for planar in (True, False):
        options = Options(until=0.05, method=method, integrator="rk4", step=1e-3, planar=planar)
        result = simulate(mechanism, options)
        assert ("planar" in result.certificate.why) == planar
        ends.append(np.concatenate([result.q[-1], result.v[-1], result.lam[-1, held]]))
    size = np.abs(ends[1]).max()
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9 * max(1.0, size))


def test_what_leaves_the_plane_is_in_space():
    tilted = linkage(0, forces=False)
    joint = tilted.joint[0]
    leans = joint.model_copy(update={"axis": tuple(np.array(joint.axis) + 1e-9 * np.array([1.0, 2.0, 3.0]))})
    tilted = tilted.model_copy(update={"joint": (leans, *tilted.joint[1:])})
    spatial = [random_linkage(edges, seed) for seed, edges in enumerate(SPATIAL)]
    for mechanism in (tilted, *spatial):
        for formulation in ("joint", "absolute"):
            assert not len(plane_tables(Equations(assemble(mechanism, formulation).compiled)).plane)


def test_as_printed_and_by_wish_it_is_computed_in_space():
    mechanism = linkage(0, forces=False)
    for options in ({"literal": True, "method": "lu"}, {"planar": False}):
        assert "planar" not in simulate(mechanism, Options(until=0.01, **options)).certificate.why
    assert "planar" in simulate(mechanism, Options(until=0.01)).certificate.why


def test_a_planar_model_in_absolute_coordinates():
    mechanism = random_planar_linkage(PLANAR[3], 5, "xz")
    flat, spatial = (
        simulate(mechanism, Options(0.1, formulation="absolute", integrator="rk4", step=1e-3, planar=planar))
        for planar in (True, False)
    )
    assert "planar: it moves in the plane normal to (0, 1, 0)" in flat.certificate.why
    np.testing.assert_allclose(flat.q, spatial.q, rtol=0, atol=1e-9)
