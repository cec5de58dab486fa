"""Unbalance response: a force U w^2 that turns with the rotor; w is the speed itself.

The mechanism is linearized anew at each speed, and answers (frequency_response.py) to

    f = U w^2 (e_1 - i e_2) exp(i w t),       e_1, e_2 perpendicular to the axis, U = m e (kg m)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.steady.ports import ForceInput, find_input, find_output, force_direction
from linkwork.analyses.steady.steadiness import unsteady
from linkwork.analyses.vibration.frequency_response import (
    FrequencyResponse,
    checked_frequencies,
    dynamic_stiffness,
    observation,
    solved,
    turning_notes,
)
from linkwork.analyses.vibration.linearization import Linearization, about_point
from linkwork.analyses.vibration.over_speed.sweep_path import SweepPath, SweepPoint
from linkwork.analyses.vibration.over_speed.sweeps import Report
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import frame_with_axis


def unbalance_response(
    mechanism: Mechanism,
    speed: str,
    values: Sequence[float] | np.ndarray,
    body: str,
    unbalance: float,
    outputs: Sequence[str],
    *,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    speeds: Mapping[str, float] | None = None,
    report: Report | None = None,
) -> FrequencyResponse:
    """Whirl amplitudes over the running speed (rad/s) for an unbalance m e (kg m) on a body that turns about `axis`.

    The force turns with the rotor at the origin of the body's frame, in world axes.  Refused: coordinates that turn
    with the rotor, in which the linearized equations of its bearings are not constant.
    """
    w = checked_frequencies(values)
    e = frame_with_axis(np.asarray(axis, float))
    path = SweepPath(mechanism, speed, speeds or {}, None)
    forces = [ForceInput(f"{body}.force.{a}", body, k) for k, a in enumerate("xyz")]
    found: dict[str, list[complex]] = {name: [] for name in outputs}
    units: dict[str, str] = {}
    point: SweepPoint | None = None
    notes: tuple[str, ...] | None = None
    for n, each in enumerate(w):
        point = path.point(float(each), point)
        linear = about_point(point.reduction, point.point)
        if n == 0:
            find_input(point.reduction, forces[0].name)  # refuses a body that does not exist
        if notes is None and each > 0.0:
            _check_coordinates(linear, forces)
            notes = unsteady(point.reduction, point.point)
        at = np.array([each])
        motion = _amplitudes(linear, at, forces, unbalance * each**2 * (e[:, 0] - 1j * e[:, 1]))
        for name in outputs:
            output = find_output(point.reduction, name)
            found[name].append(complex(observation(linear, forces[0], output, at)[0][0] @ motion))
            units[name] = output.unit
        if report is not None:
            report(n + 1, len(w))
    return FrequencyResponse(
        "unbalance", w, {name: np.array(y) for name, y in found.items()}, units, notes or (), mechanism.name
    )


def _amplitudes(linear: Linearization, w: np.ndarray, forces: Sequence[ForceInput], force: np.ndarray) -> np.ndarray:
    """(x, s) at one speed w (rad/s) for a complex force (N, world axes)."""
    directions = np.array([force_direction(linear.reduction, linear.point, port) for port in forces])
    right = np.concatenate([linear.point.T.T @ directions.T @ force, np.zeros(len(linear.states))])
    return np.asarray(solved(dynamic_stiffness(linear, w), right[None])[0])


def _check_coordinates(linear: Linearization, forces: Sequence[ForceInput]) -> None:
    """Refuse coordinates that turn with the rotor: in them the turning force stands still."""
    if any(turning_notes(linear, force.name, ()) for force in forces):
        raise OptionError(
            "unbalance: the coordinates turn with the rotor; attach it to a body that whirls without turning (on the "
            "side of the bearings), and let it spin on that",
            element=linear.independent[0],
        )
