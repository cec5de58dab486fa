"""A linearized mechanism as a state space: x' = A x + B u, y = C x + D u, with named inputs and outputs.

The states are (x, z, s, values u of the drivers, their rates u'); the input of a driver is its acceleration u''.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.steady.ports import DriverInput, ForceInput, Output, find_input, find_output
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization


@dataclass(frozen=True)
class StateSpace:
    """x' = A x + B u, y = C x + D u, with names; unpacks as (A, B, C, D) for scipy.signal and control."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: dict[str, str]  # of inputs and outputs

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B, self.C, self.D))


def state_space(linear: Linearization, inputs: Sequence[str], outputs: Sequence[str] | None) -> StateSpace:
    """A, B, C, D for inputs and outputs by name (steady/ports.py); default outputs: the independent coordinates."""
    ports = [find_input(linear.reduction, name) for name in inputs]
    named = [find_output(linear.reduction, name) for name in (linear.independent if outputs is None else outputs)]
    drivers = [port for port in ports if isinstance(port, DriverInput)]
    A, B = _driven(linear, ports, drivers)
    rows = [_output_rows(linear, output, drivers, A, B) for output in named]
    C, D = (np.array([row[k] for row in rows]) for k in (0, 1))
    units = {p.name: p.unit if isinstance(p, ForceInput) else f"{p.unit}/s2" for p in ports}
    x, driven = linear.independent, [p.name for p in drivers]
    states = (*x, *(f"{name}'" for name in x), *linear.states, *driven, *(f"{name}'" for name in driven))
    return StateSpace(
        A, B, C.reshape(len(named), len(A)), D.reshape(len(named), len(ports)), states,
        tuple(p.name for p in ports), tuple(o.name for o in named), units | {o.name: o.unit for o in named},
    )  # fmt: skip


def _driven(
    linear: Linearization, ports: Sequence[ForceInput | DriverInput], drivers: Sequence[DriverInput]
) -> tuple[np.ndarray, np.ndarray]:
    """A and B of the states (x, z, s, values of the drivers, their rates)."""
    n, k, own = len(linear.M), len(drivers), len(linear.A)
    A, B = np.zeros((own + 2 * k, own + 2 * k)), np.zeros((own + 2 * k, len(ports)))
    A[:own, :own] = linear.A
    for i, port in enumerate(ports):
        B_0, B_1, B_2 = (np.linalg.solve(linear.M, right) if n else right for right in linear.input_forces(port))
        if isinstance(port, ForceInput):
            B[n : 2 * n, i] = B_0
            continue
        u = own + drivers.index(port)
        A[u, u + k] = B[u + k, i] = 1.0
        A[2 * n : own, u], A[2 * n : own, u + k] = linear.input_rates(port)
        A[n : 2 * n, u], A[n : 2 * n, u + k], B[n : 2 * n, i] = B_0, B_1, B_2
    return A, B


def _output_rows(
    linear: Linearization, output: Output, drivers: Sequence[DriverInput], A: np.ndarray, B: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of C and D of an output, which may be a derivative: y' = C x' = C A x + C B u."""
    n, k, own = len(linear.M), len(drivers), len(linear.A)
    row, direct = np.zeros(len(A)), np.zeros(B.shape[1])
    row[:n], row[n : 2 * n], row[2 * n : own] = linear.output_matrices(output.base)
    for j, port in enumerate(drivers):
        row[own + j], row[own + k + j] = linear.output_of_driver(output.base, port)
    for _ in range(output.dots):
        if np.any(direct):
            raise OptionError(
                f"output '{output.name}': it would need the derivative of an input; take one '.dot' less",
                element=output.name,
            )
        row, direct = row @ A, row @ B
    return row, direct
