"""Forward dynamics of robots with many loops, each within a limb, beside Pinocchio: python -m benchmarks.local_loops

One evaluation from Python of accelerations at a consistent state: `calls.forward` of linkwork, against
`constraintDynamics` (proximal, on the sparse Cholesky factors of the whole) and `lcaba` (the loop-constrained
articulated-body algorithm) of Pinocchio, each with the settings of peers/pinocchio_peer.py; best of many rounds, in
turns, one core.  Printed are microseconds, their ratios to linkwork's, and by how much the accelerations differ from
linkwork's, of the largest: in motion and, in brackets, at rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

import linkwork as lw
from benchmarks.calls import quickest
from benchmarks.peers import load
from benchmarks.pushrods import GRAVITY, TORSO, TORSO_INERTIA, PushrodRobot

SIZES = ((4, 1), (4, 2), (4, 4), (4, 8), (4, 16), (1, 64), (64, 1))  # limbs, modules in each


def robot(r: PushrodRobot) -> lw.Model:
    """The same as a model, with links turned and turning at random."""
    rng = np.random.default_rng(r.limbs + 1000 * r.modules)
    model = lw.Model("pushrods", gravity=GRAVITY)
    bodies = [model.body("torso", mass=TORSO, inertia=TORSO_INERTIA)]
    for part in r.parts():
        R = r.turn(part.limb)
        at = R @ part.at
        inertia = (R @ part.inertia @ R.T).tolist()
        body = model.body(part.name, mass=part.mass, inertia=inertia, com=0.5 * R @ part.along, at=at)
        bodies.append(body)
        name, first = f"at {part.name}", R @ part.axes[0]
        if len(part.axes) == 2:
            second = R @ part.axes[1]
            model.universal(name, bodies[part.parent], body, at=at, axis=first, second_axis=second)
        elif part.name.startswith("link"):
            angle, rate = rng.uniform(-0.3, 0.3), rng.uniform(-1.0, 1.0)
            model.revolute(name, bodies[part.parent], body, at=at, axis=first, start=angle, rate=rate)
        else:
            model.revolute(name, bodies[part.parent], body, at=at, axis=first)
    for n, (rod, link, eye) in enumerate(r.eyes()):
        model.spherical(f"eye {n}", bodies[rod], bodies[link], at=r.turn(list(r.parts())[rod - 1].limb) @ eye)
    return model


class Ours:
    """linkwork at the state of the model; vectors for others in the order of the parts, the torso first."""

    def __init__(self, r: PushrodRobot) -> None:
        model = robot(r)
        self.calls, start = model.calls(), model.assemble("joint")
        names = ["torso", *(f"at {part.name}" for part in r.parts())]
        self.q_order, self.v_order = (_in_order_of(names, of) for of in (self.calls.q_names, self.calls.v_names))
        ends = np.cumsum([0, len(self.q_order), len(self.v_order)])
        self.q, self.v = (start.y[first:end].copy() for first, end in pairwise(ends))
        self.tau = np.random.default_rng(1).uniform(-5.0, 5.0, self.v.size)

    def accelerations(self, v: np.ndarray) -> np.ndarray:
        """At these velocities, in the order of the parts."""
        return self.calls.forward(self.q, v, self.tau)[self.v_order]

    def call(self) -> Callable[[], object]:
        """What is timed."""
        return partial(self.calls.forward, self.q, self.v, self.tau, np.zeros(self.v.size))


def _in_order_of(names: list[str], channels: tuple[str, ...]) -> np.ndarray:
    places: dict[str, list[int]] = {name: [] for name in names}
    for k, channel in enumerate(channels):
        places[channel.rpartition(".")[0]].append(k)
    return np.concatenate([places[name] for name in names])


def compared(r: PushrodRobot) -> str:
    """A line of the table."""
    ours, peer = Ours(r), load("pinocchio")
    calls: dict[str, Callable[[], object]] = {"linkwork": ours.call()}
    differences = []
    for algorithm in () if isinstance(peer, str) else peer.LOOP_SETTINGS:
        solve = peer.pushrod_robot(r, algorithm)
        q, v, tau = ours.q[ours.q_order], ours.v[ours.v_order], ours.tau[ours.v_order]
        apart = []
        for own, theirs in ((ours.v, v), (0.0 * ours.v, 0.0 * v)):
            expected = ours.accelerations(own)
            apart.append(np.abs(solve(q, theirs, tau)() - expected).max() / np.abs(expected).max())
        differences.append(apart)
        calls[algorithm] = solve(q, v, tau)
    best = quickest(calls)
    one = best.pop("linkwork")
    line = f"{r.limbs} x {r.modules:<4} {r.limbs * r.modules:6} {ours.v.size:8} {1e6 * one:10.1f}"
    for wall, (moving, resting) in zip(best.values(), differences, strict=True):
        line += f" {1e6 * wall:10.1f} {wall / one:6.2f} {moving:8.0e} ({resting:.0e})"
    return line


def main() -> None:
    """A line for each robot."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peer = load("pinocchio")
    names = [peer] if isinstance(peer, str) else [f"{name:>35}" for name in peer.LOOP_SETTINGS]
    print(f"{'robot':8} {'loops':>6} {'motions':>8} {'linkwork':>10}", *names)
    for limbs, modules in SIZES:
        print(compared(PushrodRobot(limbs, modules)), flush=True)


if __name__ == "__main__":
    main()
