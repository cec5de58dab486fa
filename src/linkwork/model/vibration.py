"""Verbs for equilibrium, small motions about it, and vehicles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import TypeAdapter

from linkwork.elements.declaration.base import Axis
from linkwork.files.settings import changed
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism, checked
from linkwork.model.builder import Builder, Direction
from linkwork.view.progress import compiling, counter

if TYPE_CHECKING:
    from linkwork.analyses.steady.equilibrium import Equilibrium, equilibrium
    from linkwork.analyses.steady.trim import Trim, trim
    from linkwork.analyses.vehicles.ride import RideMode, ride_modes
    from linkwork.analyses.vehicles.suspension import CornerSweep, corner_sweep
    from linkwork.analyses.vibration.frequency_response import FrequencyResponse, frequency_response
    from linkwork.analyses.vibration.linearization import Linearization, linearize
    from linkwork.analyses.vibration.over_speed.sweeps import Sweep, sweep
    from linkwork.analyses.vibration.over_speed.unbalance import unbalance_response
    from linkwork.analyses.vibration.periodic.floquet import Floquet, floquet
    from linkwork.analyses.vibration.periodic.stability_chart import StabilityChart, chart_axes, stability_chart
else:  # what a run does not need loads when it is used
    (equilibrium,) = lazy_functions("linkwork.analyses.steady.equilibrium", "equilibrium")
    (trim,) = lazy_functions("linkwork.analyses.steady.trim", "trim")
    (ride_modes,) = lazy_functions("linkwork.analyses.vehicles.ride", "ride_modes")
    (corner_sweep,) = lazy_functions("linkwork.analyses.vehicles.suspension", "corner_sweep")
    (frequency_response,) = lazy_functions("linkwork.analyses.vibration.frequency_response", "frequency_response")
    (floquet,) = lazy_functions("linkwork.analyses.vibration.periodic.floquet", "floquet")
    chart_axes, stability_chart = lazy_functions(
        "linkwork.analyses.vibration.periodic.stability_chart", "chart_axes", "stability_chart"
    )
    (linearize,) = lazy_functions("linkwork.analyses.vibration.linearization", "linearize")
    (sweep,) = lazy_functions("linkwork.analyses.vibration.over_speed.sweeps", "sweep")
    (unbalance_response,) = lazy_functions("linkwork.analyses.vibration.over_speed.unbalance", "unbalance_response")


class VibrationVerbs(Builder):
    """Analyses of balance and of small motions."""

    def equilibrium(
        self,
        speeds: Mapping[str, float] | None = None,
        *,
        independent: Sequence[str] | None = None,
        formulation: str = "joint",
        t: float = 0.0,
    ) -> Equilibrium:
        """Where the mechanism stays: at rest, or with joint coordinates running at constant `speeds` (rad/s, m/s).

        Drivers and forces that depend on time are taken at `t` (s).  A NumericalError names what remains unbalanced if
        there is none.
        """
        with compiling(None):
            return equilibrium(self.mechanism, speeds, independent=independent, formulation=formulation, t=t)

    def linearize(
        self,
        speeds: Mapping[str, float] | None = None,
        *,
        about: Equilibrium | str = "equilibrium",
        independent: Sequence[str] | None = None,
        formulation: str = "joint",
        t: float = 0.0,
    ) -> Linearization:
        """Small motions about the equilibrium (found from the start), about one at hand, or about="start".

        M, C, K in the independent coordinates (by name, or chosen); `.modes()`, `.state_space(inputs, outputs)`.
        """
        with compiling(None):
            return linearize(self.mechanism, speeds, about=about, independent=independent, formulation=formulation, t=t)

    def sweep(
        self,
        name: str,
        values: Sequence[float] | np.ndarray,
        speeds: Mapping[str, float] | None = None,
        *,
        independent: Sequence[str] | None = None,
        orders: Sequence[int] = (1,),
        progress: bool | None = None,
    ) -> Sweep:
        """Modes over the speed of a joint coordinate (rad/s, m/s): Campbell diagram, critical speeds, limits."""
        with counter(self.mechanism.name, "speeds", progress) as tell:
            return sweep(
                self.mechanism, name, values, speeds, independent=independent, orders=orders,
                model=self.mechanism.name, report=tell,
            )  # fmt: skip

    def floquet(self, speeds: Mapping[str, float] | None = None, period: float | None = None) -> Floquet:
        """The periodic motion with joint coordinates at constant `speeds` (rad/s, m/s), its Floquet multipliers, and
        whether it is stable.

        `period` (s): of all that varies, if it is not one turn of the slowest coordinate.
        """
        with compiling(None):
            return floquet(self.mechanism, speeds, period)

    def stability_chart(
        self,
        axes: Mapping[str, Sequence[float] | np.ndarray],
        speeds: Mapping[str, float] | None = None,
        period: float | None = None,
        *,
        progress: bool | None = None,
    ) -> StabilityChart:
        """The largest Floquet multiplier over one or two axes: speeds of joint coordinates (rad/s, m/s), or fields of
        elements as in `with_settings`, {"spin": [...], "springs.damping": [...]}.
        """
        mechanism = self.mechanism
        turning = chart_axes(mechanism, list(axes))

        def build(at: dict[str, float]) -> tuple[Mechanism, dict[str, float]]:
            fields = {name: value for name, value in at.items() if name not in turning}
            running = {name: value for name, value in at.items() if name in turning}
            return changed(mechanism, fields) if fields else mechanism, {**(speeds or {}), **running}

        with counter(mechanism.name, "points", progress) as tell:
            return stability_chart(build, axes, period, model=mechanism.name, units=turning, report=tell)

    def frequency_response(
        self,
        input: str,
        outputs: Sequence[str],
        omega: Sequence[float] | np.ndarray,
        speeds: Mapping[str, float] | None = None,
    ) -> FrequencyResponse:
        """Complex amplitudes of outputs per unit of an input (force component or driver) at `omega` (rad/s)."""
        return frequency_response(self.linearize(speeds), input, outputs, omega)

    def unbalance_response(
        self,
        speed: str,
        values: Sequence[float] | np.ndarray,
        body: str,
        unbalance: float,
        outputs: Sequence[str],
        *,
        axis: Direction = "z",
        speeds: Mapping[str, float] | None = None,
        progress: bool | None = None,
    ) -> FrequencyResponse:
        """Whirl over the running speed (rad/s) for an unbalance (kg m) on a body that turns about `axis`.

        `speeds`: other coordinates that run at constant speed, rad/s or m/s.
        """
        direction = checked(lambda: TypeAdapter(Axis).validate_python(axis), "unbalance: axis")
        with counter(self.mechanism.name, "speeds", progress) as tell:
            return unbalance_response(
                self.mechanism, speed, values, body, unbalance, outputs, axis=direction, speeds=speeds, report=tell
            )

    def trim(self, pose: Mapping[str, float], adjust: Sequence[str], speeds: Mapping[str, float] | None = None) -> Trim:
        """Forces or driver values (`adjust`, by name) for which the joint coordinates `pose` (rad, m) are balanced."""
        with compiling(None):
            return trim(self.mechanism, pose, adjust, speeds)

    def corner_sweep(self, tyre: str, travel: Sequence[float] | np.ndarray) -> CornerSweep:
        """A wheel moved up and down (m) against the chassis: camber, toe, track change, motion ratios, wheel rate."""
        with compiling(None):
            return corner_sweep(self.mechanism, tyre, travel)

    def ride_modes(self, chassis: str, speeds: Mapping[str, float] | None = None) -> list[RideMode]:
        """Bounce, pitch, roll, wheel hop of a vehicle about its equilibrium: frequency without dampers, and damping."""
        return ride_modes(self.linearize(speeds), chassis)
