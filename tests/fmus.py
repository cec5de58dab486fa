"""FMUs as a master sees them, for tests: by FMPy's own classes, both versions of the standard behind one face."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from native_library import needs_native_library

__all__ = ["Instance", "Unpacked", "fmpy", "needs_native_library"]
fmpy = pytest.importorskip("fmpy")
from fmpy.fmi2 import FMU2Model, FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402

CLASSES = {("2.0", False): FMU2Slave, ("2.0", True): FMU2Model, ("3.0", False): FMU3Slave, ("3.0", True): FMU3Model}


class Unpacked:
    """An FMU, unpacked: its description, and instances."""

    def __init__(self, path: Path) -> None:
        self.description = fmpy.read_model_description(str(path), validate=True)
        self.folder = Path(fmpy.extract(str(path), str(path.with_suffix(""))))
        self.version = self.description.fmiVersion
        self.number = {v.name: v.valueReference for v in self.description.modelVariables}

    def instance(self, exchange: bool = False) -> Instance:
        return Instance(self, exchange)

    def remove(self) -> None:
        shutil.rmtree(self.folder)


class Instance:
    """One instance of it, initialized."""

    def __init__(self, of: Unpacked, exchange: bool = False, **starts: float) -> None:
        self.of, self.messages = of, []
        kind = of.description.modelExchange if exchange else of.description.coSimulation
        made = CLASSES[of.version, exchange]
        self.fmu = made(
            guid=of.description.guid, unzipDirectory=str(of.folder), modelIdentifier=kind.modelIdentifier,
            instanceName="test",
        )  # fmt: skip
        self.fmu.instantiate()
        self.t = 0.0

    def begin(self, **starts: float) -> Instance:
        if self.of.version == "2.0":
            self.fmu.setupExperiment(startTime=0.0)
        self.set(starts)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def set(self, values: dict[str, float]) -> None:
        for name, value in values.items():
            (self.fmu.setReal if self.of.version == "2.0" else self.fmu.setFloat64)([self.of.number[name]], [value])

    def get(self, *names: str) -> np.ndarray:
        read = self.fmu.getReal if self.of.version == "2.0" else self.fmu.getFloat64
        return np.array(read([self.of.number[name] for name in names]))

    def step(self, by: float) -> None:
        self.fmu.doStep(currentCommunicationPoint=self.t, communicationStepSize=by)
        self.t += by

    def end(self) -> None:
        self.fmu.freeInstance()
