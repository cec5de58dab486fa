"""Frequency response: the steady answer y exp(i w t) of a linearized mechanism to an input u exp(i w t).

    (-w^2 M + i w C + K) x = (B_0 + i w B_1 - w^2 B_2) u,       y = (C_x + i w C_z) x + direct part

A force enters by B_0; the value of a driver (base excitation) by all three (linearization.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.ports import DriverInput, ForceInput, Output, find_input, find_output
from linkwork.analyses.steady.steadiness import SAME, times, unsteady
from linkwork.analyses.vibration.linearization import Linearization, about_point
from linkwork.errors import OptionError
from linkwork.numerics.blas_threads import one_thread
from linkwork.tables import PER_UNIT, Shown, Table, facts, table, warnings_of

ROWS = 24  # of the table


@dataclass(frozen=True, repr=False)
class FrequencyResponse(Shown):
    """Complex amplitude of each output over the frequency, for a unit of the input (or the given unbalance)."""

    input: str
    omega: np.ndarray  # rad/s
    values: dict[str, np.ndarray]  # [frequency] complex, by output
    units: dict[str, str]  # of the outputs, per unit of the input
    notes: tuple[str, ...] = ()
    model: str = ""
    asked: str = "rad/s"  # the unit in which frequencies were asked for, and are shown: rad/s, Hz, rpm

    def __getitem__(self, output: str) -> np.ndarray:
        return self.values[output]

    def amplitude(self, output: str) -> np.ndarray:
        """|y|."""
        return np.asarray(np.abs(self.values[output]))

    def phase(self, output: str) -> np.ndarray:
        """Angle of y against u, rad, between -pi and pi."""
        return np.asarray(np.angle(self.values[output]))

    def peaks(self, output: str) -> list[tuple[float, float]]:
        """Frequency (rad/s) and amplitude where the amplitude of an output is largest among its neighbours."""
        y, w = self.amplitude(output), self.omega
        return [(float(w[k]), float(y[k])) for k in range(1, len(w) - 1) if y[k - 1] < y[k] >= y[k + 1]]

    def tables(self) -> list[Table]:
        """Amplitudes and phases at some of the frequencies, and at the peaks."""
        unit, factor = self.asked, PER_UNIT[self.asked]
        tops = {w for name in self.values for w, _ in self.peaks(name)}
        each = max(1, len(self.omega) // ROWS)
        rows = []
        for k, w in enumerate(self.omega.tolist()):
            if k % each == 0 or w in tops:
                values = (self[name][k] for name in self.values)
                shown = (f"{abs(y):.5g} at {math.degrees(math.atan2(y.imag, y.real)):z.1f} deg" for y in values)
                rows.append((f"{w / factor:.6g}", *shown))
        over = "speed" if self.input == "unbalance" else "frequency"
        heads = (f"{over}, {unit}", *(f"{name}, {self.units[name]}" for name in self.values))
        found = [
            *((f"peak of {name}", f"{peak:.6g} {self.units[name]} at {w / factor:.6g} {unit}")
              for name in self.values for w, peak in self.peaks(name)),
            *warnings_of(self.notes),
        ]  # fmt: skip
        amplitudes = table(f"{self.model}: response to {self.input}", heads, rows)
        return [amplitudes, facts("", found)] if found else [amplitudes]


def frequency_response(
    linear: Linearization, input: str, outputs: Sequence[str], omega: Sequence[float] | np.ndarray
) -> FrequencyResponse:
    """y/u = C (-w^2 M + i w C + K)^-1 B from one input to several outputs, at the frequencies `omega` (rad/s).

    Inputs and outputs by name (steady/ports.py); refused: frequencies that are negative or not finite.  At an undamped
    resonance the response is infinite.  A note says where an input or output turns against the coordinates.
    """
    w = checked_frequencies(omega)
    port = find_input(linear.reduction, input)
    motion = solved(dynamic_stiffness(linear, w), excitation(linear, port, w))
    values, units = {}, {}
    for name in outputs:
        output = find_output(linear.reduction, name)
        seen, direct = observation(linear, port, output, w)
        values[name] = np.sum(seen * motion, axis=1) + direct
        units[name] = f"{output.unit}/({port.unit})" if " " in port.unit else f"{output.unit}/{port.unit}"
    return FrequencyResponse(
        input,
        w,
        values,
        units,
        (*linear.notes, *turning_notes(linear, input, outputs)),
        linear.reduction.mechanism.name,
    )


def turning_notes(linear: Linearization, input: str, outputs: Sequence[str]) -> tuple[str, ...]:
    """A note if an input or output is fixed in the world while the coordinates turn, or the reverse.

    Then its place in the equations varies with the angle of what runs, and the response has other frequencies too.
    """
    r, point = linear.reduction, linear.point
    if not np.any(point.v) or unsteady(r, point):  # which the notes of `linear` say
        return ()
    port = find_input(r, input)
    bases = {name: find_output(r, name).base for name in outputs}

    def places_of(linear: Linearization) -> dict[str, np.ndarray]:
        found = {name: np.concatenate(linear.output_matrices(base)[:2]) for name, base in bases.items()}
        return {input: linear.input_forces(port)[0], **found}

    now = places_of(linear)
    with r.later(point, times(r, point)[0]) as then:
        later = places_of(about_point(r, then))
    varying = [name for name, values in now.items() if np.abs(later[name] - values).max() > _noise(values)]
    return tuple(
        f"'{name}' keeps its direction while the coordinates turn, or the reverse: the response is that of an instant; "
        "name inputs and outputs in the axes of the coordinates"
        for name in varying
    )


def _noise(values: np.ndarray) -> float:
    return SAME * max(float(np.abs(values).max(initial=0.0)), 1e-6)


def checked_frequencies(omega: Sequence[float] | np.ndarray) -> np.ndarray:
    """Frequencies as an array, rad/s; one that is negative or not finite is refused."""
    w = np.atleast_1d(np.asarray(omega, float))
    if not len(w) or not np.all(np.isfinite(w)) or np.any(w < 0.0):
        raise OptionError("frequencies must be finite and >= 0 (rad/s)", element="omega")
    return w


def dynamic_stiffness(linear: Linearization, w: np.ndarray) -> np.ndarray:
    """D of D (x, s) = right [frequency, row, column]:

    (-w^2 M + i w C + K) x - r_s s = right,       i w s - S_x x - i w S_z x - S_s s = rates
    """
    i_w, k = 1j * w[:, None, None], linear.along_s.rates.shape[0]
    stiffness = i_w**2 * linear.M + i_w * linear.C + linear.K
    forces = np.broadcast_to(-linear.along_s.r.astype(complex), (len(w), *linear.along_s.r.shape))
    coupling = -linear.along_x.rates - i_w * linear.along_z.rates
    return np.block([[stiffness, forces], [coupling, i_w * np.eye(k) - linear.along_s.rates]])


def excitation(linear: Linearization, port: ForceInput | DriverInput, w: np.ndarray) -> np.ndarray:
    """What a unit of an input adds to the right-hand sides of forces and of rates [frequency, row]."""
    B_0, B_1, B_2 = linear.input_forces(port)
    given, rate_given = linear.input_rates(port)
    i_w = 1j * w[:, None]
    return np.hstack([B_0 + i_w * B_1 + i_w**2 * B_2, given + i_w * rate_given])


def observation(
    linear: Linearization, port: ForceInput | DriverInput, output: Output, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How an output reads the motion (x, s) [frequency, column], and what it reads of a driver itself [frequency]."""
    C_x, C_z, C_s = linear.output_matrices(output.base)
    i_w = 1j * w[:, None]
    seen = np.hstack([C_x + i_w * C_z, np.broadcast_to(C_s, (len(w), len(C_s)))])
    direct, rate = linear.output_of_driver(output.base, port) if isinstance(port, DriverInput) else (0.0, 0.0)
    dots = (1j * w) ** output.dots
    return seen * dots[:, None], (direct + 1j * w * rate) * dots


def solved(dynamic: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Complex amplitudes at every frequency; at an undamped resonance infinite."""
    found = np.empty(right.shape, complex)
    with one_thread(right.shape[1]):
        for m in range(len(right)):
            try:
                found[m] = np.linalg.solve(dynamic[m], right[m])
            except np.linalg.LinAlgError:
                found[m] = np.inf
    return found
