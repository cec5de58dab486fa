"""Gradients of eigenvalues: frequencies and damping of small motions.

Of (x, z, s)' = A (x, z, s) an eigenvalue that stands alone changes by its left and right eigenvectors, theory (14.3),

    ds/dp = y^H (dA/dp) x / y^H x

A is made at points of a line along which the equilibrium follows the parameter (equilibrium.py), and differenced.
Where eigenvalues coincide they part like roots beside this value: there is no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.gradients.equilibrium import alike, points_along
from linkwork.analyses.gradients.stencil import Build, Line, line_of
from linkwork.analyses.gradients.varied import Sloped, Varied
from linkwork.analyses.vibration.linearization import Linearization, about_point, about_start, linearize
from linkwork.analyses.vibration.modes import RIGID_BODY, Mode
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from scipy.linalg import eig
else:
    (eig,) = lazy_functions("scipy.linalg", "eig")

ALONE = 1e-6  # of the largest eigenvalue of two: nearer than this they coincide


def modes_slopes(
    build: Build, settings: Mapping[str, float], parameters: Sequence[str], options: Mapping[str, Any]
) -> Varied:
    """Frequencies and damping of modes with their slopes."""
    linear = linearize(build(settings), **options)
    lines = [line_of(build, settings, name) for name in parameters]
    dA = [line.slope([one.A for one in linear_along(linear, line)]) for line in lines]
    modes, reasons = linear.modes(), list[str]()
    s, left, right = eig(linear.A, left=True, right=True)

    def slopes(number: float) -> tuple[Mode, np.ndarray]:
        k = int(number)
        if k != number or not 1 <= k <= len(modes):
            raise OptionError(f"there is no mode {number:g}; count from 1 to {len(modes)}", element="modes")
        mode = modes[k - 1]
        near = np.argsort(np.abs(s - mode.eigenvalue))
        apart = abs(s[near[1]] - s[near[0]]) if len(s) > 1 else np.inf
        if mode.kind == RIGID_BODY or apart <= ALONE * abs(s[near[0]]):
            what = "a rigid-body mode" if mode.kind == RIGID_BODY else f"a repeated eigenvalue, {mode.eigenvalue:.6g}"
            reasons.append(f"mode {k}: no derivative here: it is {what}; name another mode, or move a parameter")
            return mode, np.full(len(dA), np.nan, complex)
        x, y = right[:, near[0]], left[:, near[0]].conj()
        return mode, np.array([y @ part @ x for part in dA]) / (y @ x)

    def of_mode(
        value: Callable[[Mode], float], slope: Callable[[complex, Any], Any], unit: str
    ) -> Callable[..., Sloped]:
        def found(number: float) -> Sloped:
            mode, along = slopes(number)
            return Sloped(np.asarray(value(mode)), np.asarray(slope(mode.eigenvalue, along), float), unit)

        return found

    functions = {
        "omega": of_mode(lambda mode: mode.omega, _size, "rad/s"),
        "frequency": of_mode(lambda mode: mode.frequency_hz, lambda s, ds: _size(s, ds) / (2.0 * np.pi), "Hz"),
        "damping": of_mode(lambda mode: mode.damping, _damping, ""),
    }
    return Varied(None, tuple, _no_number, functions, reasons)


def _size(s: complex, ds: np.ndarray) -> np.ndarray:
    """d|s|."""
    return np.asarray((np.conj(s) * ds).real / abs(s) if s else np.full(len(ds), np.nan))


def _damping(s: complex, ds: np.ndarray) -> np.ndarray:
    """d(-Re s / |s|)."""
    return np.asarray(-(ds.real - s.real / abs(s) * _size(s, ds)) / abs(s) if s else np.full(len(ds), np.nan))


def _no_number(name: str) -> Sloped:
    raise OptionError(f"modes have no number '{name}'; write frequency(1), omega(1) or damping(1)", element=name)


def linear_along(linear: Linearization, line: Line) -> list[Linearization]:
    """The linearization at the places of a line: about its equilibrium there, or about the start."""
    if linear.equilibrium is None:
        return [about_start(alike(linear.reduction, mechanism)) for mechanism in line.mechanisms]
    return [about_point(*one) for one in points_along(linear.reduction, linear.point, line)]
