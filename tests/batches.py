"""Batches to try: chains, four-bars, springs and forces, one in which much happens; and how far two ends are apart."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import assemble
from linkwork.library import library_model
from linkwork.studies.batch import Batch, Ends

SIMULATIONS = 1024


def fixed(step: float, count: int) -> Options:
    """So many steps of one length (s)."""
    return Options(until=step * count, step=step, integrator="rk4")


def chain(links: int = 7) -> lw.Model:
    """Rods in a row along x, hinged about y, z, x, y ...; spatial, open."""
    model = lw.Model("chain", gravity=(0.0, 0.0, -9.81))
    inboard = model.ground
    for i in range(links):
        link = model.body(f"link{i}", lw.rod(mass=1.0, length=0.5, width=0.05), at=(0.5 * i + 0.25, 0.0, 0.0))
        model.revolute(f"hinge{i}", inboard, link, at=(0.5 * i, 0.0, 0.0), axis="yzx"[i % 3])
        inboard = link
    return model


def chain_batch(rng: np.random.Generator, simulations: int = SIMULATIONS, count: int = 300) -> Batch:
    start = assemble(chain().mechanism, "joint")
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, len(start.y)))
    states[:, -1] = 0.0  # no work done yet
    return Batch(start, states, fixed(1e-3, count))


def four_bar_batch(
    rng: np.random.Generator, formulation: str, simulations: int = SIMULATIONS, count: int = 300
) -> Batch:
    """Crank speeds and masses vary, and the start is off the constraints: the first correction has work to do."""
    crank = library_model("four-bar", {"angle": 60.0}).simulate(0.2, formulation=formulation, every=0.1, progress=False)
    start = assemble(library_model("four-bar", {"angle": 60.0}).mechanism, formulation)
    turning = np.concatenate([np.zeros(len(crank.result.q[0])), crank.result.v[-1], [0.0]])
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, 1)) * turning + 1e-4 * rng.normal(size=len(start.y))
    states[:, -1] = 0.0
    bodies = np.tile(start.compiled.system.bodies, (simulations, 1))
    bodies["mass"] *= rng.uniform(0.5, 2.0, bodies["mass"].shape)
    return Batch(start, states, fixed(5e-4, count), {"bodies": bodies})


def sprung_batch(rng: np.random.Generator, simulations: int = SIMULATIONS, count: int = 300) -> Batch:
    """A chain with what else runs on a GPU: springs, torsional springs, applied forces, laws, measures."""
    model = chain(3)
    model.spring_damper("spring", "ground", "link1", points=[(0, 0, 0.3), (0.8, 0, 0)], stiffness=80.0, damping=2.0)
    model.spring_damper("pull", "ground", "link2", points=[(0, 0.3, 0), (1.2, 0, 0)], force="30*(l - 1)^3 + v")
    model.torsional_spring_damper("torsion", "hinge1", stiffness=3.0, damping=0.2, free_angle=0.1)
    model.applied_force("push", "link2", force=("sin(9*t)", 0.0, "dist(link2, link0)"), torque=(0, 0.1, 0), axes="body")
    model.joint_force("motor", "hinge0", "2*cos(t) - 0.1*v + 0.1*q^2")
    start = assemble(model.mechanism, "joint")
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, len(start.y)))
    states[:, -1] = 0.0
    return Batch(start, states, fixed(1e-3, count))


def eventful_batch(integrator: str) -> Batch:
    """A torque that jumps, a joint that is held for some time, a blow, an event that ends the run."""
    model = chain(3)
    model.joint_force("motor", "hinge0", "if(t < 0.07, 20, -5)")
    model.lock("clutch", "hinge1", since=0.05, until=0.15)
    model.impulse("blow", "link2", t=0.1, impulse=(0.0, 0.3, 0.2), at=(0.1, 0.02, 0.0))
    model.event("far", "abs(coordinate(hinge2)) > 0.05", "stop")
    start = assemble(model.mechanism, "joint")
    options = Options(until=0.3, integrator=integrator, step=1e-3 if integrator == "rk4" else None)
    return Batch(start, np.tile(start.y, (3, 1)), options)


def driven_batch(rng: np.random.Generator, simulations: int = 64) -> Batch:
    """A driven hinge whose law changes on the way, friction, a blow by an event, a driver that an event lets go; speeds
    and masses of each simulation its own, so that each event comes in its own time.
    """
    model = chain(3)
    model.driver("motor", "hinge0", "if(t < 0.08, 3*t^2, 0.0192 + 0.48*(t - 0.08))")
    model.driver("brake", "hinge1", hold=True)
    model.friction("dry", "hinge2", coulomb=2e-5, viscous=2e-5, smoothing=0.1)
    model.event("let go", "coordinate(hinge0) > 0.03", "release", driver="brake")
    model.event("blow", "coordinate(hinge2) > 0.08", "impulse", body="link2", impulse=(0.0, 0.1, 0.2))
    start = assemble(model.mechanism, "joint")
    states = np.tile(start.y, (simulations, 1))
    first = start.compiled.system.whole[0]["q_count"]
    states[:, first + 2] = rng.uniform(0.3, 1.0, simulations)
    bodies = np.tile(start.compiled.system.bodies, (simulations, 1))
    bodies["mass"] *= rng.uniform(0.5, 2.0, bodies["mass"].shape)
    return Batch(start, states, Options(until=0.3, step=1e-3, integrator="rk4"), {"bodies": bodies})


def apart(a: Ends, b: Ends) -> float:
    """Largest difference of two batches, relative to the largest value of each coordinate or 1."""
    assert not a.failed.any()
    assert not b.failed.any()
    return float((np.abs(a.states - b.states) / np.maximum(np.abs(b.states).max(axis=0), 1.0)).max())
