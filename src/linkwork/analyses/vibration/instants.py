"""Linearization about an instant of a run: the state of a sample, its velocities and accelerations included.

    M_hat x'' + C_hat x' + K_hat x = 0        with coefficients that hold at that instant alone

The run's accelerations are found again from its state; where they are not, the state is not all that the forces depend
on, and the instant is refused, as is one at which other drivers act than at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.analyses.simulate.driver_phases import modes_at_samples
from linkwork.analyses.start.assembly import Start, start_from
from linkwork.analyses.start.rough_state import first_angles
from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.vibration.linearization import Linearization, about_start
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_ALL
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism

SAME = 1e-5  # of the accelerations of the run: what may differ


def linearize_run(result: Result, t: float, independent: Sequence[str] | None = None) -> Linearization:
    """Small motions about the sample of a run nearest to a time (s), in joint coordinates; a note says which it is."""
    sample = nearest_sample(result, t)
    at = float(result.t[sample])
    _check_drivers(result, sample)
    reduction = Reduction(result.mechanism, independent=independent, t=at, start=start_at(result, sample))
    linear = about_start(reduction)
    _check_accelerations(linear, result, sample)
    if abs(at - t) > 1e-9 * max(abs(at), abs(t)):
        linear = replace(linear, notes=(*linear.notes, f"linearized at the sample nearest to {t:g} s, t = {at:g} s"))
    return linear


def nearest_sample(result: Result, t: float) -> int:
    """The sample nearest to a time (s), which must lie within the run."""
    if not len(result.t) or not result.t[0] - 1e-9 <= t <= result.t[-1] + 1e-9:
        ends = f"from {result.t[0]:g} s to {result.t[-1]:g} s" if len(result.t) else "without samples"
        raise OptionError(f"t = {t:g} s lies outside of the run, {ends}; choose a time within it", element="t")
    return int(np.argmin(np.abs(result.t - t)))


def start_at(result: Result, sample: int) -> Start:
    """A sample of a run as a start in joint coordinates."""
    held = Equations(compile_mechanism(result.mechanism, result.certificate.formulation))
    t, y = float(result.t[sample]), np.concatenate([result.q[sample], result.v[sample], result.states[sample]])
    angles = first_angles(held, t)
    held.evaluate(t, y, angles, LEVEL_ALL)
    return start_from(result.mechanism, "joint", held, y, held.work.angle.copy(), (), t)


def _check_drivers(result: Result, sample: int) -> None:
    """The same drivers act as at the start, from which the equations are made."""
    compiled = compile_mechanism(result.mechanism, result.certificate.formulation)
    others = np.flatnonzero(modes_at_samples(result, compiled)[sample] != compiled.system.rows["mode"])
    if len(others):
        name = compiled.layout.rows[others[0]].element
        raise OptionError(
            f"t = {result.t[sample]:g} s cannot be linearized: driver '{name}' acts otherwise than at the start; "
            "choose an earlier time, or a model that begins there",
            element="t",
        )


def _check_accelerations(linear: Linearization, result: Result, sample: int) -> None:
    """What the equations give at the sample is what the run had."""
    if result.certificate.formulation != "joint":
        return
    then, now = result.v_dot[sample], linear.point.v_dot
    sizes = np.abs(then) + np.abs(now)
    off = np.abs(then - now) > SAME * sizes + SAME * float(sizes.max(initial=0.0)) * 1e-3
    if np.any(off):
        name = linear.reduction.layout.v_names[int(np.flatnonzero(off)[0])]
        raise OptionError(
            f"t = {result.t[sample]:g} s cannot be linearized: the acceleration of '{name}' does not follow from the "
            "state alone, as where a switch has acted; choose another time",
            element="t",
        )
