"""Random closed loops: any graph of joints closes as it is drawn; in space, or in the plane xz; masses of any ratio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import frame_with_axis
from random_mechanisms.trees import GROUND, PITCH, body_name, random_inertia, random_unit_vector, scalar_first

Edge = tuple[int, int, str]  # body A, body B, kind of joint


def random_linkage(edges: Sequence[Edge], seed: int) -> Mechanism:
    """Bodies anywhere, joints at random points with random axes: any graph of joints closes as it is drawn.

    It starts at rest; one without ground starts with its first body turning.
    """
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.7, 0.7, (len(edges), 3))
    axes = [random_unit_vector(rng) for _ in edges]
    return _linkage(edges, points, axes, None, (0.0, 0.0, -9.81), rng)


def random_planar_linkage(edges: Sequence[Edge], seed: int, plane: str | None) -> Mechanism:
    """The same in the plane xz: points at y = 0, hinges about y, sliders within; bodies not even parallel to it."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.7, 0.7, (len(edges), 3)) * (1.0, 0.0, 1.0)
    angles = rng.uniform(0.0, 2.0 * np.pi, len(edges))
    slides = np.column_stack([np.cos(angles), np.zeros(len(edges)), np.sin(angles)])
    hinge = np.array([0.0, 1.0, 0.0])
    axes = [slides[k] if kind == "prismatic" else hinge for k, (_, _, kind) in enumerate(edges)]
    return _linkage(edges, points, axes, plane, (0.0, 0.0, -9.81), rng)


def _linkage(
    edges: Sequence[Edge],
    points: np.ndarray,
    axes: Sequence[np.ndarray],
    plane: str | None,
    gravity: tuple[float, float, float],
    rng: np.random.Generator,
) -> Mechanism:
    bodies = []
    for i in range(1 + max(max(a, b) for a, b, _ in edges)):
        own = [point for (a, b, _), point in zip(edges, points, strict=True) if i in (a, b)]
        mass = float(rng.uniform(0.5, 3.0))
        bodies.append(
            {
                "name": body_name(i),
                "mass": mass,
                "com": rng.uniform(-0.1, 0.1, 3),
                "inertia": random_inertia(rng, mass, size=0.4),
                "at": np.mean(own, axis=0) + rng.uniform(-0.1, 0.1, 3),
                "orientation": scalar_first(Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()),
            }
        )
    if not any(GROUND in edge for edge in edges):
        bodies[0]["angular_velocity"] = (3.0, -2.0, 1.0)
    joints = []
    for k, ((a, b, kind), point, axis) in enumerate(zip(edges, points, axes, strict=True)):
        joints.append({"name": f"J{k}", "kind": kind, "between": (body_name(a), body_name(b)), "at": point})
        if kind != "spherical":
            joints[-1]["axis"] = axis
        if kind == "universal":
            joints[-1]["second_axis"] = frame_with_axis(axis)[:, 0]
        if kind == "screw":
            joints[-1]["pitch"] = PITCH
    return Mechanism(name="random linkage", gravity=gravity, plane=plane, body=bodies, joint=joints)


def with_masses(mechanism: Mechanism, factors: Sequence[float]) -> Mechanism:
    """The same bodies, each so many times as heavy."""
    bodies = tuple(
        body.model_copy(
            update={"shape": None, "mass": float(f) * body.mass_kg, "inertia": tuple(map(tuple, float(f) * body.J_C))}
        )
        for body, f in zip(mechanism.body, factors, strict=True)
    )
    return mechanism.model_copy(update={"body": bodies})
