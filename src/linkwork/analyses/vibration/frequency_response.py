"""Frequency response: the steady answer y exp(i w t) of a linearized mechanism to an input u exp(i w t).

    (-w^2 M + i w C + K) x = (B_0 + i w B_1 - w^2 B_2) u,       y = (C_x + i w C_z) x + direct part

A force enters by B_0; the value of a driver (base excitation) by all three (linearization.py).  Unbalance is a force
U w^2 that turns with the rotor: w is the speed itself, and the mechanism is linearized anew at each speed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.steadiness import SAME, times, unsteady
from linkwork.analyses.vibration.linearization import Linearization, about_point
from linkwork.analyses.vibration.ports import DriverInput, ForceInput, find_input, find_output, force_direction
from linkwork.analyses.vibration.sweeps import Path, Tell
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import frame_with_axis


@dataclass(frozen=True)
class FrequencyResponse:
    """Complex amplitude of each output over the frequency, for a unit of the input (or the given unbalance)."""

    input: str
    omega: np.ndarray  # rad/s
    values: dict[str, np.ndarray]  # [frequency] complex, by output
    units: dict[str, str]  # of the outputs, per unit of the input
    notes: tuple[str, ...] = ()

    def __getitem__(self, output: str) -> np.ndarray:
        return self.values[output]

    def amplitude(self, output: str) -> np.ndarray:
        """|y|."""
        return np.abs(self.values[output])

    def phase(self, output: str) -> np.ndarray:
        """Angle of y against u, rad, between -pi and pi."""
        return np.angle(self.values[output])


def frequency_response(
    linear: Linearization, input: str, outputs: Sequence[str], omega: Sequence[float] | np.ndarray
) -> FrequencyResponse:
    """From one input to several outputs (analyses/vibration/ports.py), at the frequencies `omega` (rad/s)."""
    w = _frequencies(omega)
    port = find_input(linear.reduction, input)
    B_0, B_1, B_2 = linear.input_forces(port)
    given, rate_given = linear.input_rates(port)
    x, s = _solve(linear, w, B_0 + 1j * w[:, None] * B_1 - w[:, None] ** 2 * B_2, given + 1j * w[:, None] * rate_given)
    values, units = {}, {}
    for name in outputs:
        output = find_output(linear.reduction, name)
        C_x, C_z, C_s = linear.output_matrices(output.base)
        y = x @ C_x + 1j * w * (x @ C_z) + s @ C_s
        if isinstance(port, DriverInput):
            direct, rate = linear.output_of_driver(output.base, port)
            y = y + direct + 1j * w * rate
        values[name] = y * (1j * w) ** output.dots
        units[name] = f"{output.unit}/({port.unit})" if " " in port.unit else f"{output.unit}/{port.unit}"
    return FrequencyResponse(input, w, values, units, (*linear.notes, *turning(linear, input, outputs)))


def turning(linear: Linearization, input: str, outputs: Sequence[str]) -> tuple[str, ...]:
    """A note if an input or output stands in the world while the coordinates turn, or the reverse.

    Then its place in the equations varies with the angle of what runs, and an answer has other frequencies too.
    """
    r, point = linear.reduction, linear.point
    if not np.any(point.v):
        return ()
    port = find_input(r, input)
    said = {name: find_output(r, name).base for name in outputs}

    def seen(linear: Linearization) -> dict[str, np.ndarray]:
        found = {name: np.concatenate(linear.output_matrices(base)[:2]) for name, base in said.items()}
        return {input: linear.input_forces(port)[0], **found}

    now = seen(linear)
    with r.later(point, times(r, point)[0]) as then:
        later = seen(about_point(r, then))
    varying = [name for name, values in now.items() if np.abs(later[name] - values).max() > _noise(values)]
    return tuple(
        f"'{name}' keeps its direction while the coordinates turn, or the reverse: the response is that of an instant; "
        "name inputs and outputs in the axes of the coordinates"
        for name in varying
    )


def _noise(values: np.ndarray) -> float:
    return SAME * max(float(np.abs(values).max(initial=0.0)), 1e-6)


def _frequencies(omega: Sequence[float] | np.ndarray) -> np.ndarray:
    w = np.atleast_1d(np.asarray(omega, float))
    if not len(w) or not np.all(np.isfinite(w)) or np.any(w < 0.0):
        raise OptionError("frequencies must be finite and >= 0 (rad/s)", element="omega")
    return w


def _solve(linear: Linearization, w: np.ndarray, right: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and s at every frequency; at an undamped resonance infinite.

    i w s = S_x x + i w S_z x + S_s s + rates, and (-w^2 M + i w C + K) x = r_s s + right.
    """
    x, s = np.empty(right.shape, complex), np.empty(rates.shape, complex)
    n, k = right.shape[1], rates.shape[1]
    for m, each in enumerate(w):
        stiffness = -(each**2) * linear.M + 1j * each * linear.C + linear.K
        coupling = -linear.along_x.rates - 1j * each * linear.along_z.rates
        dynamic = np.block(
            [[stiffness, -linear.along_s.r.astype(complex)], [coupling, 1j * each * np.eye(k) - linear.along_s.rates]]
        )
        try:
            answer = np.linalg.solve(dynamic, np.concatenate([right[m], rates[m]]))
        except np.linalg.LinAlgError:
            answer = np.full(n + k, np.inf)
        x[m], s[m] = answer[:n], answer[n:]
    return x, s


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
    tell: Tell | None = None,
) -> FrequencyResponse:
    """Whirl amplitudes over the running speed (rad/s) for an unbalance m e (kg m) on a body that turns about `axis`.

    The force U w^2 turns with the rotor at the origin of the body's frame, in world axes.  It assumes coordinates that
    do not turn with the rotor (its bearings' side), in which the linearized equations are constant.
    """
    w = _frequencies(values)
    e = frame_with_axis(np.asarray(axis, float))
    path = Path(mechanism, speed, speeds or {}, None)
    found: dict[str, list[complex]] = {name: [] for name in outputs}
    units: dict[str, str] = {}
    spot, notes = None, None
    for n, each in enumerate(w):
        spot = path.spot(float(each), spot)
        linear = about_point(spot.reduction, spot.point)
        ports = [ForceInput(f"{body}.force.{a}", body, k, "N") for k, a in enumerate("xyz")]
        if n == 0:
            find_input(spot.reduction, ports[0].name)  # says which bodies there are
        if notes is None and each > 0.0:
            _bearing_side(linear, [port.name for port in ports])
            notes = unsteady(spot.reduction, spot.point)
        directions = np.array([force_direction(spot.reduction, spot.point, port) for port in ports])
        force = unbalance * each**2 * (e[:, 0] - 1j * e[:, 1])
        right = (linear.point.T.T @ directions.T @ force)[None]
        (x,), (s,) = _solve(linear, np.array([each]), right, np.zeros((1, len(linear.states))))
        for name in outputs:
            output = find_output(spot.reduction, name)
            C_x, C_z, C_s = linear.output_matrices(output.base)
            found[name].append(complex(((C_x + 1j * each * C_z) @ x + C_s @ s) * (1j * each) ** output.dots))
            units[name] = output.unit
        if tell is not None:
            tell(n + 1, len(w))
    return FrequencyResponse("unbalance", w, {name: np.array(y) for name, y in found.items()}, units, notes or ())


def _bearing_side(linear: Linearization, forces: Sequence[str]) -> None:
    """Refuse coordinates that turn with the rotor: in them the turning force stands still."""
    if any(turning(linear, force, ()) for force in forces):
        raise OptionError(
            "unbalance: the coordinates turn with the rotor; hang it on a body that whirls without turning (on the "
            "bearings' side), and let it spin on that",
            element=linear.independent[0],
        )
