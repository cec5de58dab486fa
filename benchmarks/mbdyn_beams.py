"""Beams of linkwork.reproduce.benchmarks.flexible in MBDyn, a second program beside Exudyn.

    python -m benchmarks.mbdyn_beams      prints its digits (3 minutes)

MBDyn (mbdyn.org, GPL) is no Python package: its program `mbdyn` has to be on the path.  Its beams are geometrically
exact, of three nodes, by finite volumes (Ghiringhelli, Masarati and Mantegazza, AIAA Journal 38, 2000); their mass is
lumped at the nodes, and the error falls with the square of the number of elements.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linkwork.reproduce.benchmarks.flexible import critical_shaft, dynamic_buckling, rotating_beams
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod

HINGE = "orientation, reference, global, 3, 0., 1., 0., 1, 1., 0., 0."  # axis 3 of a revolute hinge is its own
NULL = "reference, node, null"
SLENDERNESS = 3000.0  # of the blade: it hardly stretches, and its sections have hardly any inertia


@dataclass(frozen=True)
class Bar:
    """A beam of `elements` elements with three nodes each, numbered from `first` on."""

    first: int
    rod: Rod
    mass: float  # kg/m
    ends: tuple[np.ndarray, np.ndarray]  # m
    elements: int

    @property
    def last(self) -> int:
        """Number of the node at the other end."""
        return self.first + 2 * self.elements

    @property
    def spacing(self) -> float:
        """Of the nodes, m."""
        return self.rod.length / (2 * self.elements)

    @property
    def axes(self) -> str:
        """Of nodes and sections: 1 along the bar, 2 along y."""
        start, end = self.ends
        return "reference, global, 1, {:.17g}, {:.17g}, {:.17g}, 2, 0., 1., 0.".format(*(end - start))

    def nodes(self) -> Iterator[str]:
        """Lines of the nodes, at rest."""
        for k, at in enumerate(np.linspace(*self.ends, 2 * self.elements + 1)):
            place = ", ".join(f"{x:.17g}" for x in at)
            yield f"structural: {self.first + k}, dynamic, {place}, {self.axes}, null, null;"

    def bodies(self) -> Iterator[str]:
        """Lines of the mass: of half a spacing on either side of a node, with its sections' moments of inertia."""
        h, across = self.spacing, [EI / self.rod.EA for EI in reversed(self.rod.EI)]  # second moments, of Iy and Iz
        for number in range(self.first, self.last + 1):
            low, high = -0.5 * h * (number > self.first), 0.5 * h * (number < self.last)
            mass, along = self.mass * (high - low), (high - low) ** 2 / 12
            inertia = mass * np.array([sum(across), across[0] + along, across[1] + along])
            moments = ", ".join(f"{J:.17g}" for J in inertia)
            yield f"body: {number}, {number}, {mass:.17g}, {(low + high) / 2:.17g}, 0., 0., diag, {moments};"

    def beams(self) -> Iterator[str]:
        """Lines of the elements."""
        rod = self.rod
        stiffness = ", ".join(f"{k:.17g}" for k in (rod.EA, *rod.GA, rod.GJ, *reversed(rod.EI)))
        law = f"{self.axes}, linear elastic generic, diag, {stiffness}"
        for number in range(self.first, self.last, 2):
            held = ", ".join(f"{number + k}, {NULL}" for k in range(3))
            yield f"beam3: {number}, {held}, {law}, same, same;"


def source(solver: str, control: str, bars: Sequence[Bar], others: Sequence[str], shown: int | None = None) -> str:
    """MBDyn's input; `others`: lines of joints and rigid bodies; `shown`: the node whose motion is written."""
    nodes, elements = sum(2 * bar.elements + 1 for bar in bars), sum(bar.elements for bar in bars)
    rest = [*(line for bar in bars for line in (*bar.bodies(), *bar.beams())), *others]
    parts = {
        "data": "problem: initial value;",
        "initial value": f"linear solver: umfpack; max iterations: 100; {solver}",
        "control data": f"structural nodes: {nodes}; rigid bodies: {sum(line.startswith('body') for line in rest)}; "
        f"beams: {elements}; joints: {sum(line.startswith('joint') for line in rest)}; default output: none; "
        f"skip initial joint assembly; {control}",
        "nodes": "\n".join([*(line for bar in bars for line in bar.nodes()),
                            "" if shown is None else f"output: structural, {shown};"]),
        "elements": "\n".join(rest),
    }  # fmt: skip
    return "\n".join(f"begin: {name};\n{lines}\nend: {name};" for name, lines in parts.items())


def solved(text: str, suffix: str) -> str:
    """What MBDyn writes into the file of that suffix."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "beam.mbd")
        file.write_text(text)
        done = subprocess.run(["mbdyn", "-s", "-f", file], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"mbdyn: {done.stderr[-2000:]}")
        return file.with_suffix(suffix).read_text()


def motion(
    bars: Sequence[Bar], others: Sequence[str], node: int, until: float, step: float, every: float
) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and places of a node (m), one a row; the spectral radius is that which MBDyn advises."""
    solver = (
        f"initial time: 0.; final time: {until}; time step: {step}; method: ms, 0.6; tolerance: 1e-4; "
        "derivatives tolerance: 1e-3; derivatives coefficient: 1e-6;"
    )
    written = solved(source(solver, f"output frequency: {round(every / step)};", bars, others, node), ".mov")
    count = round(until / every) + 1  # a step more may follow the last
    place = np.array([line.split()[1:4] for line in written.splitlines()[:count]], dtype=float)
    return every * np.arange(count), place


def lifted_beam(elements: int, step: float = 5e-5) -> np.ndarray:
    """The quantities of dynamic_buckling.KNOWN; the link has a quarter of the beam's elements, the crank an eighth."""
    given = dynamic_buckling
    tip, C = np.array([given.BEAM.length, 0.0, 0.0]), np.array([given.BEAM.length, given.BESIDE, 0.0])
    B = C - [0.0, 0.0, given.LINK.length]
    A = B - [given.CRANK.length, 0.0, 0.0]
    beam = Bar(1000, given.BEAM, given.MASS["beam"], (np.zeros(3), tip), elements)
    link = Bar(3000, given.LINK, given.MASS["link"], (C, B), elements // 4)
    crank = Bar(4000, given.CRANK, given.MASS["crank"], (B, A), elements // 8)
    hub = ", ".join(f"{x:.17g}" for x in A)
    joints = [
        f"joint: 1, clamp, {beam.first}, node, node;",
        f"joint: 2, spherical hinge, {beam.last}, 0., {given.BESIDE}, 0., {link.first}, null;",
        f"joint: 3, revolute hinge, {link.last}, null, {HINGE}, {crank.first}, null, {HINGE};",
        f"joint: 4, total pin joint, {crank.last}, position, {NULL}, rotation orientation, reference, global, eye, "
        f"position, {hub}, rotation orientation, eye, position constraint, active, active, active, null, orientation "
        f"constraint, active, active, active, 0., -1., 0., cosine, 0., pi/{given.TURN}, pi/2, half, 0.;",
    ]
    t, place = motion((beam, link, crank), joints, beam.first + elements, given.UNTIL, step, given.EVERY)
    return given.measured(t, np.abs(place[:, 1]))


def shaft(elements: int) -> np.ndarray:
    """How far the disc of critical_shaft.py is from the axis (m), at most and at the end; finite deflections.

    Steps are halved with the elements: the error of both falls with the square.
    """
    given = critical_shaft
    rod = Rod(given.LENGTH, given.EA, (given.GA, given.GA), given.GJ, (given.EI, given.EI))
    bar = Bar(1, rod, given.MASS, (np.zeros(3), np.array([given.LENGTH, 0.0, 0.0])), elements)
    middle, step = bar.first + elements, 0.016 / elements
    tilting = given.DISC * (given.RADIUS**2 / 4 + given.THICKNESS**2 / 12)
    polar = given.DISC * given.RADIUS**2 / 2
    speed = ", ".join(
        f"cosine, {begin}, pi/{end - begin}, {(high - low) / 2}, half, 0." for begin, end, low, high in given.RAMPS
    )
    others = [
        f"joint: 1, total pin joint, {bar.first}, position, {NULL}, position, null, "
        "position constraint, active, active, active, null, orientation constraint, "
        f"angular velocity, angular velocity, angular velocity, 1., 0., 0., array, {len(given.RAMPS)}, {speed};",
        f"joint: 2, total joint, {bar.first}, position, {given.LENGTH}, 0., 0., {bar.last}, position, {NULL}, "
        "position constraint, inactive, active, active, null, orientation constraint, active, active, active, null;",
        f"body: 1000, {middle}, {given.DISC}, 0., {given.OFF}, 0., diag, {polar}, {tilting}, {tilting};",
    ]
    _, place = motion([bar], others, middle, given.UNTIL, step, 1e-3)
    return given.extremes(np.hypot(place[:, 1], place[:, 2]))


def blade(elements: int) -> np.ndarray:
    """The frequencies below 100 of the cantilever of rotating_beams.py that turns with the speed 10: no dimension.

    About its stretched rest in axes that turn with it, from QZ.
    """
    soft, stiff = 1.0, SLENDERNESS**2
    bar = Bar(1, Rod(1.0, stiff, (stiff, stiff), soft, (soft, soft)), 1.0, (np.zeros(3), np.eye(3)[0]), elements)
    solver = (
        "initial time: 0.; final time: 50.; time step: 10.; method: implicit euler; tolerance: 1e-5; "
        "derivatives tolerance: 1e6; eigenanalysis: 45., output eigenvectors, parameter, 0.01, "
        f"lower frequency limit, 0.1, upper frequency limit, {100.0 / (2.0 * math.pi)}, use lapack;"
    )
    turning = f"rigid body kinematics: const, angular velocity, 0., 0., {rotating_beams.SPEED};"
    found = solved(source(solver, turning, [bar], ["joint: 1, clamp, 1, node, node;"]), ".out")
    return np.sort([float(line.split()[3]) for line in found.splitlines() if " j " in line])


def extrapolated(quantities: Callable[[int], np.ndarray], elements: int) -> np.ndarray:
    """From that many elements and from half of them."""
    coarse, fine = quantities(elements // 2), quantities(elements)
    return np.asarray(fine + (fine - coarse) / 3.0)


if __name__ == "__main__":
    print("rotating cantilever, chordwise and flapwise in turn:", extrapolated(blade, 40))
    print("shaft, disc 0.05 m off, distance from the axis:", extrapolated(shaft, 64))
    for (what, *_), value in zip(dynamic_buckling.KNOWN, extrapolated(lifted_beam, 64), strict=True):
        print(f"lifted beam, {what}: {value:.6f}")
