"""Mechanisms whose start hides what they are: in line, flat, or closed by special lengths alone."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.mechanism import Mechanism
from random_mechanisms.loops import with_masses
from random_mechanisms.trees import random_unit_vector, scalar_first

GRAVITY = (0.0, 0.0, -9.81)


def posed(name: str, at: np.ndarray, R: np.ndarray, mass: float = 1.0, size: float = 1.0) -> dict:
    """A body that looks like nothing in particular."""
    J = mass * size**2 * np.array([0.05, 0.08, 0.07])
    return {"name": name, "mass": mass, "inertia": J, "at": at, "orientation": scalar_first(R)}


def hinge(name: str, a: str, b: str, at: np.ndarray, axis: np.ndarray) -> dict:
    return {"name": name, "kind": "revolute", "between": (a, b), "at": at, "axis": axis}


def rods_in_line(rng: np.random.Generator, count: int, size: float = 1.0) -> Mechanism:
    """`count` rods in line between two pins, fully stretched, in any direction: it cannot move."""
    along = random_unit_vector(rng)
    axis = np.cross(along, random_unit_vector(rng))
    axis /= np.linalg.norm(axis)
    lengths = size * rng.uniform(0.4, 1.6, count)
    points = size * rng.uniform(-0.5, 0.5, 3) + np.concatenate([[0.0], np.cumsum(lengths)])[:, None] * along
    names = ["ground", *(f"rod {k}" for k in range(count)), "ground"]
    R = np.column_stack([along, np.cross(axis, along), axis])
    bodies = [posed(names[k + 1], (points[k] + points[k + 1]) / 2, R, 1.0, lengths[k]) for k in range(count)]
    joints = [hinge(f"pin {k}", names[k], names[k + 1], points[k], axis) for k in range(count + 1)]
    return Mechanism(name="rods in line", gravity=GRAVITY, body=bodies, joint=joints)


def sarrus(rng: np.random.Generator, height: float, size: float = 1.0, apart: float = 0.0) -> Mechanism:
    """Sarrus's linkage: two pairs of plates, hinges across each other; `height` 0: flat.  One degree of freedom.

    `apart`: by how much the lower plates are longer; 0: flat, the hinges of top and ground coincide.
    """
    turn = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    upper = rng.uniform(0.6, 1.2)
    lower, z = upper + apart, np.array([0.0, 0.0, height])
    bodies = [posed("top", size * turn @ z, turn, 1.0, size)]
    joints = []
    for name, u in (("x", np.array([1.0, 0.0, 0.0])), ("y", np.array([0.0, 1.0, 0.0]))):
        axis, foot = np.cross((0.0, 0.0, 1.0), u), 0.3 * u
        knee = elbow(foot, foot + apart * u + z, lower, upper, u)
        points = [size * turn @ p for p in (foot, knee, foot + apart * u + z)]
        parts = ["ground", f"lower {name}", f"upper {name}", "top"]
        for k in (0, 1):
            bodies.append(posed(parts[k + 1], (points[k] + points[k + 1]) / 2, turn, 1.0, size))
        joints += [hinge(f"{name}{k}", parts[k], parts[k + 1], points[k], turn @ axis) for k in range(3)]
    return Mechanism(name="Sarrus", gravity=(3.0, 1.0, -9.0), body=bodies, joint=joints)


def elbow(a: np.ndarray, b: np.ndarray, of_a: float, of_b: float, towards: np.ndarray) -> np.ndarray:
    """The point at these distances from a and b, on the side of `towards` in the plane of it and z."""
    d = float(np.linalg.norm(b - a))
    if d == 0.0:
        return a + of_a * towards
    along = (b - a) / d
    x = (d**2 + of_a**2 - of_b**2) / (2.0 * d)
    across = towards - (towards @ along) * along
    size = np.linalg.norm(across)
    across = across / size if size > 1e-9 else across
    return a + x * along + math.sqrt(max(of_a**2 - x**2, 0.0)) * across


def bennett(rng: np.random.Generator, digits: int | None = None, size: float = 1.0) -> Mechanism:
    """Bennett's linkage of four hinges, a sin(beta) = b sin(alpha); points and axes given to so many digits.

    Bennett 1903; Denavit and Hartenberg: opposite links are equal (a, alpha), (b, beta), no offsets.
    """
    alpha, beta = rng.uniform(0.4, 1.2, 2)
    a = size * rng.uniform(0.6, 1.2)
    b, theta = a * math.sin(beta) / math.sin(alpha), rng.uniform(0.7, 2.2)
    ratio = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
    angles = [theta, phi := 2.0 * math.atan(ratio / math.tan(theta / 2)), -theta, -phi]
    pose, poses = np.eye(4), []
    for angle, length, twist in zip(angles, (a, b, a, b), (alpha, beta, alpha, beta), strict=True):
        poses.append(pose)
        turn, tilt = np.eye(4), np.eye(4)
        turn[:3, :3] = Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()
        tilt[:3, :3] = Rotation.from_rotvec([twist, 0.0, 0.0]).as_matrix()
        tilt[0, 3] = length
        pose = pose @ turn @ tilt
    assert np.allclose(pose, np.eye(4), atol=1e-9), "it does not close"
    rounded = (
        (lambda x: x) if digits is None else (lambda x: np.round(x / size, digits) * (size if x is not None else 1))
    )
    points = [rounded(p[:3, 3]) for p in poses]
    axes = [p[:3, 2] if digits is None else np.round(p[:3, 2], digits) for p in poses]
    names = ["ground", "one", "two", "three"]
    bodies = [posed(names[k], (points[k - 1] + points[k]) / 2, np.eye(3), 1.0, size) for k in (1, 2, 3)]
    joints = [hinge(f"H{k}", names[k - 1], names[k], points[k], axes[k]) for k in range(4)]
    return Mechanism(name="Bennett", gravity=GRAVITY, body=bodies, joint=joints)


def any_masses(mechanism: Mechanism, rng: np.random.Generator, decades: float) -> Mechanism:
    """The same with masses that differ by up to so many decades."""
    exponents = rng.uniform(-decades, 0.0, len(mechanism.body))
    exponents[0], exponents[-1] = 0.0, -decades if len(exponents) > 1 else 0.0
    return with_masses(mechanism, 10.0 ** rng.permutation(exponents))
