"""Verbs for other simulation programs: the model as an FMU, or as data for a program in C; FMUs in the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.lazy_import import lazy_functions
from linkwork.model.builder import Expression, Quantity, adds
from linkwork.model.motion import MotionVerbs, RunOptions
from linkwork.view.progress import compiling

if TYPE_CHECKING:
    from linkwork.fmu.export import Ports, write_fmu, write_model
else:
    Ports, write_fmu, write_model = lazy_functions("linkwork.fmu.export", "Ports", "write_fmu", "write_model")


class ExchangeVerbs(MotionVerbs):
    """Models for others."""

    @adds(FmuBlock)
    def fmu_block(
        self, name: str, file: str | Path, *, every: Quantity, inputs: Mapping[str, Expression] | None = None,
        start: Mapping[str, float] | None = None,
    ) -> str:  # fmt: skip
        """Add an FMU of another program, which exchanges numbers with this model `every` so often (s).

        `inputs`: expressions by the names of its inputs; what it gives is held in between, `fmu(NAME, output)` in
        expressions of forces, motors, measures.  `start`: its parameters.  FMPy runs it: pip install 'linkwork[fmu]'.
        """
        return self._add(
            FmuBlock, name, file=str(file), every=every,
            inputs=[{"input": variable, "of": of} for variable, of in (inputs or {}).items()],
            start=[{"variable": variable, "value": value} for variable, value in (start or {}).items()],
        )  # fmt: skip

    def fmu(
        self,
        path: str | Path,
        *,
        inputs: Sequence[str] | Mapping[str, Quantity | None] = (),
        outputs: Sequence[str] | None = None,
        parameters: Sequence[str] = (),
        version: str = "2.0",
        until: float | None = None,
        **options: Unpack[RunOptions],
    ) -> Path:
        """Write the model as an FMU (.fmu), for model exchange and co-simulation by FMI `version` 2.0 or 3.0; its path.

        `inputs`: what others give, "drive.force.x", "coupler.torque.z" (a body), "motor.throttle", a driver, or a
        measure that is a number; as a mapping with start values, {"drive.force.x": "2 kN"}.  `outputs`: channels of a
        run; default: measures, coordinates, velocities and the energy.  `parameters`: fields that others may change,
        "spring.stiffness".  `until` (s) and options as in `simulate`: co-simulation steps by them.
        """
        ports = Ports(inputs, outputs, tuple(parameters))
        with compiling(None):
            return write_fmu(self.mechanism, path, self._options(until, options), ports, version)

    def export_c(
        self,
        path: str | Path,
        *,
        inputs: Sequence[str] | Mapping[str, Quantity | None] = (),
        outputs: Sequence[str] | None = None,
        parameters: Sequence[str] = (),
        until: float | None = None,
        **options: Unpack[RunOptions],
    ) -> Path:
        """Write the model as data (.linkwork) for a program in C, which runs it by linkwork_model.h; as `fmu`."""
        ports = Ports(inputs, outputs, tuple(parameters))
        with compiling(None):
            return write_model(self.mechanism, path, self._options(until, options), ports)
