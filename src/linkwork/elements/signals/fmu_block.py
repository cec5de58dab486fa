"""An FMU in a model: a controller, a motor, a hydraulic circuit of another program, in co-simulation at its own rate.

At each communication point, t = k T, the FMU takes the step from the one before with the inputs of then, gets new
inputs, and its outputs are read.  In between outputs are held: they are auxiliary states whose rates are zero,
`fmu(NAME, output)` in expressions.  The run meets the communication points exactly.  FMPy runs the FMU.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Declaration, Element, Expression, NonNegative
from linkwork.errors import Entry, ModelError, NumericalError, nearest
from linkwork.installation import install_hint
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import shutil
    import tempfile
    import zipfile
    from xml.etree import ElementTree

    import fmpy
    from fmpy import fmi2, fmi3
else:  # for models with FMUs alone
    shutil, tempfile, zipfile = lazy_module("shutil"), lazy_module("tempfile"), lazy_module("zipfile")
    ElementTree = lazy_module("xml.etree.ElementTree")
    fmpy, fmi2, fmi3 = lazy_module("fmpy"), lazy_module("fmpy.fmi2"), lazy_module("fmpy.fmi3")


class FmuInput(Declaration):
    """An input of the FMU, and the expression that it gets."""

    input: str = Field(description="name in the FMU")
    of: Expression = Field(description="an expression of t, measures and functions of named things")


class FmuStart(Declaration):
    """A parameter of the FMU, or the start of an input."""

    variable: str = Field(description="name in the FMU")
    value: float = Field(description="in the unit of the FMU")


class FmuBlock(Element):
    """A model of another program (.fmu) that exchanges numbers with this one at times k * every."""

    plural: ClassVar[str] = "FMUs in co-simulation"

    file: str = Field(description="path of the FMU")
    every: NonNegative = Field(description="s, between communication points")
    inputs: tuple[FmuInput, ...] = Field(default=(), description="what the FMU gets")
    start: tuple[FmuStart, ...] = Field(default=(), description="parameters of the FMU")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.every <= 0.0:
            raise ValueError(f"{self.who}: every is {self.every:g} s; it must be > 0")
        names = [connection.input for connection in self.inputs]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{self.who}: input '{name}' is given twice; give it once")
        return self

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """What its inputs get."""
        return tuple((connection.of, ()) for connection in self.inputs)

    def period(self) -> float | None:
        """Between communication points, s."""
        return self.every

    def variables(self) -> dict[str, FmuVariable]:
        """What the FMU has, by name; inputs and parameters of this declaration are among them."""
        known = fmu_variables(self.file, self.who)
        given = [(c.input, "input") for c in self.inputs]
        given += [
            (s.variable, "parameter" if s.variable not in known else known[s.variable].causality) for s in self.start
        ]
        for name, causality in given:
            fitting = [n for n, variable in known.items() if variable.causality == causality]
            if name not in fitting:
                raise ModelError(
                    f"{self.who}: '{Path(self.file).name}' has no {causality} '{name}'; {nearest(name, fitting)}",
                    element=self.name,
                )
        return known

    def output(self, name: str, who: str) -> FmuVariable:
        """An output of the FMU."""
        known = {n: v for n, v in self.variables().items() if v.causality == "output"}
        if name not in known:
            raise ModelError(f"{who}: FMU '{self.name}' has no output '{name}'; {nearest(name, known)}", element=who)
        return known[name]

    def open(self) -> LiveFmu:
        """An instance of the FMU."""
        return LiveFmu(self)


# -- what an FMU has --------------------------------------------------------------------------------------------------
class FmuVariable(NamedTuple):
    """A variable of an FMU."""

    reference: int
    causality: str
    unit: str


def fmu_variables(file: str, who: str) -> dict[str, FmuVariable]:
    """The variables of an FMU by name, out of its XML."""
    path = Path(file)
    try:
        return _variables(file, path.stat().st_mtime_ns)
    except FileNotFoundError:
        raise ModelError(f"{who}: there is no file '{file}'; check the path", element=who) from None
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError) as failure:
        raise ModelError(
            f"{who}: '{file}' is not an FMU ({failure}); give a file that another program has exported as one",
            element=who,
        ) from None


@cache
def _variables(file: str, changed: int) -> dict[str, FmuVariable]:
    with zipfile.ZipFile(file) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    found = {}
    for variable in root.find("ModelVariables") or ():
        attributes = dict(variable.attrib)
        if len(variable) and variable.tag == "ScalarVariable":
            attributes |= variable[0].attrib
        reference = int(attributes["valueReference"])
        found[attributes["name"]] = FmuVariable(
            reference, attributes.get("causality", "local"), attributes.get("unit", "")
        )
    return found


# -- a live one -------------------------------------------------------------------------------------------------------
class LiveFmu:
    """An instance of an FMU at a communication point."""

    def __init__(self, block: FmuBlock) -> None:
        self.block, self.t, self._variables = block, 0.0, block.variables()
        self._folder = tempfile.mkdtemp()
        self._finalizer = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        try:
            self._fmu, self._old = self._loaded()
        except ModuleNotFoundError:
            reason = f"FMPy, which runs FMUs, is not installed; {install_hint('fmu')}"
            raise ModelError(f"{block.who}: {reason}", element=block.name) from None
        except Exception as failure:  # FMPy raises plain ones: XML that is not valid, no binary for this machine
            raise ModelError(
                f"{block.who}: '{block.file}' cannot be run here ({failure}); export it anew, for this machine",
                element=block.name,
            ) from None
        self._do(self._fmu.instantiate)

    def _loaded(self) -> tuple[Any, bool]:
        """The FMU by FMPy's class for it; whether that is of FMI 2.0."""
        description = fmpy.read_model_description(self.block.file, validate=False)
        if description.coSimulation is None:
            raise ValueError("it is for model exchange alone")
        fmpy.extract(self.block.file, self._folder)
        old = description.fmiVersion.startswith("2")
        made = fmi2.FMU2Slave if old else fmi3.FMU3Slave
        identifier = description.coSimulation.modelIdentifier
        return made(
            guid=description.guid, unzipDirectory=self._folder, modelIdentifier=identifier, instanceName=self.block.name
        ), old  # fmt: skip

    def begin(self) -> None:
        """Initialize it at t = 0."""
        if self._old:
            self._do(self._fmu.setupExperiment, startTime=0.0)
        self.set({s.variable: s.value for s in self.block.start})
        self._do(self._fmu.enterInitializationMode)
        self._do(self._fmu.exitInitializationMode)

    def step(self, until: float) -> None:
        """On to the next communication point."""
        self._do(self._fmu.doStep, currentCommunicationPoint=self.t, communicationStepSize=until - self.t)
        self.t = until

    def set(self, values: Mapping[str, float]) -> None:
        """Inputs or parameters."""
        write = self._fmu.setReal if self._old else self._fmu.setFloat64
        if values:
            self._do(write, [self._variables[name].reference for name in values], list(values.values()))

    def get(self, name: str) -> float:
        """The value of an output."""
        read = self._fmu.getReal if self._old else self._fmu.getFloat64
        return float(self._do(read, [self._variables[name].reference])[0])

    def end(self) -> None:
        """Free it."""
        self._fmu.freeInstance()
        self._finalizer()

    def _do(self, function: Any, *given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except Exception as failure:  # FMPy raises its own, and plain ones
            raise NumericalError(
                f"{self.block.who}: the FMU failed at t = {self.t:.6g} s ({failure}); look at its own messages",
                element=self.block.name, t=self.t, entry=Entry.CALLBACK,
            ) from None  # fmt: skip
