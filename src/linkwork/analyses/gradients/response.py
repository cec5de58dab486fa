"""Gradients of frequency responses: amplitudes and phases at every frequency.

The response y = c . x + d with D x = b (vibration/frequency_response.py) changes along a parameter by, theory (14.4),

    dy = dc . x + dd + c . D^-1 (db - dD x)

where D, b, c, d are differenced along the line of the equilibrium (modes.py): near a resonance they are as smooth as
elsewhere, while y is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.gradients.modes import linear_along
from linkwork.analyses.gradients.stencil import Build, line_of
from linkwork.analyses.gradients.varied import Sloped, Varied
from linkwork.analyses.steady.ports import find_input, find_output
from linkwork.analyses.vibration.frequency_response import (
    checked_frequencies,
    dynamic_stiffness,
    excitation,
    frequency_response,
    observation,
    solved,
)
from linkwork.analyses.vibration.linearization import Linearization, linearize
from linkwork.errors import OptionError, nearest


@dataclass(frozen=True)
class Transfer:
    """D, b, and c, d of every output, over the frequency."""

    D: np.ndarray  # [frequency, row, column]
    b: np.ndarray  # [frequency, row]
    seen: dict[str, tuple[np.ndarray, np.ndarray]]  # c [frequency, column], d [frequency]

    @classmethod
    def of(cls, linear: Linearization, input: str, to: Sequence[str], w: np.ndarray) -> Transfer:
        """From one input to some outputs."""
        r = linear.reduction
        port = find_input(r, input)
        return cls(
            dynamic_stiffness(linear, w), excitation(linear, port, w),
            {name: observation(linear, port, find_output(r, name), w) for name in to},
        )  # fmt: skip


def response_slopes(
    build: Build, settings: Mapping[str, float], parameters: Sequence[str], options: Mapping[str, Any]
) -> Varied:
    """Amplitudes and phases of a response with their slopes."""
    for name in ("input", "to", "omega"):
        if name not in options:
            raise OptionError(
                f"analysis 'response' needs {name}; give input = NAME, to = [NAMES], omega = [rad/s]", element=name
            )
    input, w = options["input"], checked_frequencies(options["omega"])
    to = [options["to"]] if isinstance(options["to"], str) else list(options["to"])
    linear = linearize(build(settings), options.get("speeds"))
    found = frequency_response(linear, input, to, w)
    here = Transfer.of(linear, input, to, w)
    x, slopes = solved(here.D, here.b), dict[str, list[np.ndarray]]((name, []) for name in to)
    for name in parameters:
        line = line_of(build, settings, name)
        parts = [Transfer.of(one, input, to, w) for one in linear_along(linear, line)]
        dD, db = line.slope([one.D for one in parts]), line.slope([one.b for one in parts])
        dx = solved(here.D, db - np.einsum("wij,wj->wi", dD, x))
        for output in to:
            dc, dd = (line.slope([one.seen[output][k] for one in parts]) for k in range(2))
            slopes[output].append(np.sum(dc * x + here.seen[output][0] * dx, axis=1) + dd)

    def amplitude(name: str) -> Sloped:
        y, dy = found[_known(name, to)], np.stack(slopes[name], axis=-1)
        with np.errstate(all="ignore"):
            return Sloped(np.abs(y), (np.conj(y)[:, None] * dy).real / np.abs(y)[:, None], found.units[name])

    def phase(name: str) -> Sloped:
        y, dy = found[_known(name, to)], np.stack(slopes[name], axis=-1)
        with np.errstate(all="ignore"):
            return Sloped(np.angle(y), (dy / y[:, None]).imag, "rad")

    return Varied(w, lambda: to, amplitude, {"amplitude": amplitude, "phase": phase})


def _known(name: str, to: Sequence[str]) -> str:
    if name not in to:
        raise OptionError(f"there is no response of '{name}'; {nearest(name, to)}", element=name)
    return name
