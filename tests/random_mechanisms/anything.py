"""Anything that can be modelled, by seed: a structure, then what is added to it, then masses and scale.

Structures: open trees with every joint; planar loops, in the plane or in space, where their equations are redundant;
spatial loops; linkages that close by special lengths, given to some digits; starts that are flat or in line.  Added:
drivers, gears, springs, friction, a flexible arm.  Masses differ by up to 12 decades.  The scale is 1e-6 to 1e6 m; with
gravity and stiffness scaled along, the motion is the same at any scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.mechanism import Mechanism
from random_mechanisms.figures import any_masses, bennett, rods_in_line, sarrus
from random_mechanisms.loops import Edge, random_linkage, random_planar_linkage
from random_mechanisms.trees import GROUND, Shape, random_tree

R, P, S, C, U, E, H = "revolute", "prismatic", "spherical", "cylindrical", "universal", "planar", "screw"
SPATIAL: list[list[Edge]] = [
    [(GROUND, 0, R), (0, 1, S), (1, 2, S), (2, GROUND, R)],
    [(GROUND, 0, P), (0, 1, S), (1, 2, S), (GROUND, 2, R)],
    [(GROUND, 0, R), (0, 1, S), (2, 1, P), (2, GROUND, S)],
    [(GROUND, 0, R), (0, 1, U), (2, 1, U), (2, GROUND, C)],
    [(GROUND, 0, H), (1, 0, S), (1, 2, U), (2, GROUND, P)],
    [(GROUND, 0, E), (0, 1, S), (GROUND, 1, R)],
    [(0, 1, R), (1, 2, S), (2, 3, S), (3, 0, R)],
    [(GROUND, 0, R), (0, 1, S), (1, 2, S), (2, GROUND, R), (2, 3, R), (3, 4, S)],
]
PLANAR: list[list[Edge]] = [
    [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, R)],
    [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, 3, R), (GROUND, 3, R)],
    [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, P)],
    [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, R), (1, 3, R), (3, 4, R), (GROUND, 4, R)],
]
TREE_KINDS = (R, R, P, S, C, U, E, H, "fixed")
LENGTHS = {  # powers of the scale in the fields of elements that have any: kg stay kg, seconds stay seconds
    "body": {"com": 1, "inertia": 2, "at": 1, "velocity": 1},
    "joint": {"at": 1, "pitch": 1},
    "spring_damper": {"points": 1, "free_length": 1},
    "torsional_spring_damper": {"stiffness": 2, "damping": 2},
    "friction": {"viscous": 2, "coulomb": 2},
}


@dataclass
class Drawn:
    """A random mechanism, and what it is made of."""

    seed: int
    parts: dict[str, Any]
    tags: list[str] = field(default_factory=list)
    size: float = 1.0  # m

    def mechanism(self) -> Mechanism:
        return Mechanism.model_validate(self.parts)


def anything(seed: int) -> Drawn:
    """The mechanism of a seed."""
    rng = np.random.default_rng([seed, 18])
    structure = rng.choice(list(STRUCTURES), p=[0.25, 0.3, 0.3, 0.08, 0.07])
    tags = [str(structure)]
    mechanism = STRUCTURES[structure](rng, tags)
    if rng.random() < 0.3:
        decades = float(rng.choice([3.0, 6.0, 12.0]))
        mechanism = any_masses(mechanism, rng, decades)
        tags.append(f"mass ratio 1e{decades:.0f}")
    drawn = Drawn(seed, mechanism.model_dump(mode="python", exclude_unset=True), tags)
    for name in ADDED:
        if rng.random() < 0.25:
            ADDED[name](rng, drawn)
    if rng.random() < 0.3:
        scaled(drawn, 10.0 ** float(rng.integers(-6, 7)))
    return drawn


# ---------------------------------------------------------------------------------------------------------- structures
def _tree(rng: np.random.Generator, tags: list[str]) -> Mechanism:
    count = int(rng.integers(1, 6))
    kinds = [str(kind) for kind in rng.choice(TREE_KINDS, count)]
    shapes = [Shape(int(rng.integers(GROUND, i)) if i else GROUND, kind) for i, kind in enumerate(kinds)]
    if all(kind == "fixed" for kind in kinds):
        shapes[0] = Shape(GROUND, R)
    tags += sorted(set(kinds))
    return random_tree(shapes, int(rng.integers(2**31))).mechanism()


def _planar(rng: np.random.Generator, tags: list[str]) -> Mechanism:
    plane = rng.choice(["xz", ""])
    tags.append("in the plane" if plane else "redundant")
    return random_planar_linkage(PLANAR[rng.integers(len(PLANAR))], int(rng.integers(2**31)), str(plane) or None)


def _spatial(rng: np.random.Generator, tags: list[str]) -> Mechanism:
    return random_linkage(SPATIAL[rng.integers(len(SPATIAL))], int(rng.integers(2**31)))


def _special(rng: np.random.Generator, tags: list[str]) -> Mechanism:
    digits = rng.choice([0, 4, 6, 8])
    tags.append(f"given to {digits} digits" if digits else "exact")
    return bennett(rng, int(digits) or None)


def _singular(rng: np.random.Generator, tags: list[str]) -> Mechanism:
    if rng.random() < 0.5:
        tags.append("in line")
        return rods_in_line(rng, int(rng.integers(2, 4)))
    tags.append("flat")
    return sarrus(rng, float(rng.choice([0.0, 0.5])), apart=float(rng.choice([0.0, 0.2])))


STRUCTURES: dict[str, Callable[[np.random.Generator, list[str]], Mechanism]] = {
    "tree": _tree, "planar loop": _planar, "spatial loop": _spatial, "special lengths": _special,
    "singular start": _singular,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------- what is added
def _turning(drawn: Drawn) -> list[str]:
    return [joint["name"] for joint in drawn.parts["joint"] if joint["kind"] == R]


def _driver(rng: np.random.Generator, drawn: Drawn) -> None:
    if _turning(drawn):
        speed, joint = rng.uniform(-2.0, 2.0), str(rng.choice(_turning(drawn)))
        drawn.parts["driver"] = [{"name": "motor", "joint": joint, "motion": f"{speed:.3f} * t + 0.2 * sin(3 * t)"}]
        drawn.tags.append("driven")


def driven_acceleration(t: float) -> float:
    """Of the joint that is driven, rad/s2."""
    return -1.8 * float(np.sin(3.0 * t))


def _gear(rng: np.random.Generator, drawn: Drawn) -> None:
    turning = _turning(drawn)
    if len(turning) > 1:
        pair = tuple(str(name) for name in rng.choice(turning, 2, replace=False))
        drawn.parts["gear"] = [{"name": "gear", "joints": pair, "ratio": float(rng.choice([-2.0, -1.0, 0.5, 3.0]))}]
        drawn.tags.append("gear")


def _spring(rng: np.random.Generator, drawn: Drawn) -> None:
    body = drawn.parts["body"][-1]
    points = (tuple(rng.uniform(-1.0, 1.0, 3)), tuple(np.array(body["at"]) + rng.uniform(-0.1, 0.1, 3)))
    if drawn.parts.get("plane"):
        points = tuple((x, 0.0, z) for x, _, z in points)
    mass = body["mass"]
    drawn.parts["spring_damper"] = [{
        "name": "spring", "between": ("ground", body["name"]), "points": points,
        "stiffness": float(mass * rng.uniform(20.0, 200.0)), "damping": float(mass * rng.uniform(0.0, 2.0)),
    }]  # fmt: skip
    drawn.tags.append("spring")


def _friction(rng: np.random.Generator, drawn: Drawn) -> None:
    """Not on bodies of any mass: drag on a grain is stiff without end."""
    if _turning(drawn) and not any(tag.startswith("mass ratio") for tag in drawn.tags):
        joint = str(rng.choice(_turning(drawn)))
        drawn.parts["friction"] = [{"name": "drag", "joint": joint, "viscous": float(rng.uniform(0.01, 0.3))}]
        drawn.tags.append("friction")


def _flexible(rng: np.random.Generator, drawn: Drawn) -> None:
    """An arm on the first body that bends; not where a scale would turn steel into something else."""
    if drawn.parts.get("plane") or rng.random() < 0.5:
        return
    host = drawn.parts["body"][0]
    at = np.array(host["at"], float)
    drawn.parts["body"] = [*drawn.parts["body"], {
        "name": "arm", "at": at,
        "flexible": {"kind": "beam", "length": 0.8, "width": 0.02, "height": 0.02, "density": 2700.0, "modulus": 7e8,
                     "elements": 4, "modes": 2, "supports": {"1": "clamped"}},
    }]  # fmt: skip
    drawn.parts["joint"] = [*drawn.parts["joint"], {
        "name": "root", "kind": "fixed", "between": (host["name"], "arm"), "at": at
    }]  # fmt: skip
    drawn.tags.append("flexible")


ADDED: dict[str, Callable[[np.random.Generator, Drawn], None]] = {
    "driver": _driver, "gear": _gear, "spring": _spring, "friction": _friction, "flexible": _flexible,
}  # fmt: skip


def scaled(drawn: Drawn, scale: float) -> None:
    """The same mechanism so many times as large: lengths, gravity, stiffnesses against turning; masses are kept."""
    if "flexible" in drawn.tags or scale == 1.0:
        return
    parts = drawn.parts
    parts["gravity"] = tuple(scale * np.array(parts["gravity"]))
    for kind, powers in LENGTHS.items():
        for element in parts.get(kind, ()):
            for key, power in powers.items():
                if element.get(key) is not None:
                    value = np.array(element[key], float) * scale**power
                    element[key] = value.tolist()
    drawn.size = scale
    drawn.tags.append(f"scale {scale:.0e} m")
