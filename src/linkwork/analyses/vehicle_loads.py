"""What shock absorbers and tyres give over a run: forces read again from the motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.record_forces import record_forces
from linkwork.analyses.replay import model_of
from linkwork.elements.tyre import TYRE, TYRES, tyres
from linkwork.mechanism import GROUND
from linkwork.numerics.rotations import rotation_entries
from linkwork.results.result import Result
from linkwork.system.frames import Pose, said_poses


def shock_loads(result: Result) -> dict[str, np.ndarray]:
    """Force of every linear spring-damper at the samples, N; > 0: it pulls its ends together."""
    mechanism = model_of(result)
    said = said_poses(mechanism)
    found = {}
    for spring in mechanism.spring_damper:
        if spring.force is not None:
            continue
        ends = [_moving(result, said, body, point) for body, point in zip(spring.between, spring.points, strict=True)]
        gap, speed = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
        length = np.linalg.norm(gap, axis=1)
        rate = np.einsum("ni,ni->n", gap, speed) / length
        found[spring.name] = spring.pull(length, rate)
    return found


def _moving(result: Result, said: dict[str, Pose], body: str, point: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a point of a body over the samples, [sample, 3]."""
    if body == GROUND:
        still = np.zeros((len(result.t), 3))
        return still + np.array(point), still
    k = result.names["bodies"].index(body)
    on_body = said[body].R.T @ (np.array(point) - said[body].p)
    R = np.stack(rotation_entries.py_func(*result.orientation[:, k].T), axis=-1).reshape(-1, 3, 3)
    arm = R @ on_body
    return result.position[:, k] + arm, result.velocity[:, k] + np.cross(result.angular_velocity[:, k], arm)


def tyre_forces(result: Result) -> dict[str, np.ndarray]:
    """Force of the road on every tyre at the samples [sample, 3], N, world axes."""
    mechanism = model_of(result)
    if not mechanism.tyre:
        return {}
    forces = record_forces(result, TYRES, tyres, TYRE, [tyre.body for tyre in mechanism.tyre])
    return {tyre.name: force for tyre, force in zip(mechanism.tyre, forces, strict=True)}
