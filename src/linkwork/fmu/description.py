"""modelDescription.xml, for both versions of the standard: what is in a Description, written as each wants it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from linkwork import __version__
from linkwork.fmu.model_file import Kind, Variable
from linkwork.fmu.units import exponents

TITLE = "linkwork"
CAUSALITY = {
    Kind.TIME: "independent", Kind.INPUT: "input", Kind.DRIVER: "input", Kind.PARAMETER: "parameter",
    Kind.STATE: "local", Kind.DERIVATIVE: "local", Kind.STEPS: "local", Kind.EVALUATIONS: "local",
}  # fmt: skip
VARIABILITY = {Kind.PARAMETER: "tunable", Kind.STEPS: "discrete", Kind.EVALUATIONS: "discrete"}


@dataclass(frozen=True)
class Description:
    """What the XML says."""

    name: str
    identifier: str
    token: str
    variables: Sequence[Variable]
    indicators: Sequence[int]  # variables, one for each event indicator
    hidden: int  # variables from here on are for the runtime and version 3 alone
    until: float  # s
    tolerance: float

    def causality(self, v: Variable, number: int) -> str:
        """Of a variable."""
        return "local" if number >= self.hidden else CAUSALITY.get(v.kind, "output")

    def numbers(self, *kinds: Kind) -> list[int]:
        """The variables of these kinds."""
        return [n for n, v in enumerate(self.variables) if v.kind in kinds]

    def outputs(self) -> list[int]:
        """The variables that are outputs."""
        return [n for n, v in enumerate(self.variables) if self.causality(v, n) == "output"]


def xml(description: Description, version: str) -> bytes:
    """The text of the file."""
    root = _version_2(description) if version == "2.0" else _version_3(description)
    indent(root, " ")
    text: bytes = tostring(root, "UTF-8", xml_declaration=True)
    return text


def _version_2(d: Description) -> Element:
    root = Element("fmiModelDescription", {"fmiVersion": "2.0", "guid": d.token} | _head(d))
    root.set("numberOfEventIndicators", str(len(d.indicators)))
    able = {
        "modelIdentifier": d.identifier, "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true",
        "providesDirectionalDerivative": "true",
    }  # fmt: skip
    SubElement(root, "ModelExchange", able)
    SubElement(root, "CoSimulation", able, canHandleVariableCommunicationStepSize="true")
    _units(root, d.variables)
    _log_categories(root)
    _experiment(root, d)
    every, states = SubElement(root, "ModelVariables"), d.numbers(Kind.STATE)
    for n, v in enumerate(d.variables):
        one = SubElement(every, "ScalarVariable", _variable(d, v, n))
        real = SubElement(one, "Real", _real(v))
        if v.kind == Kind.DERIVATIVE:
            real.set("derivative", str(states[v.index] + 1))
    structure = SubElement(root, "ModelStructure")
    rates = d.numbers(Kind.DERIVATIVE)
    for tag, numbers in (("Outputs", d.outputs()), ("Derivatives", rates), ("InitialUnknowns", _initially_unknown(d))):
        if numbers:
            part = SubElement(structure, tag)
            for n in numbers:
                SubElement(part, "Unknown", index=str(n + 1))
    return root


def _version_3(d: Description) -> Element:
    root = Element("fmiModelDescription", {"fmiVersion": "3.0", "instantiationToken": d.token} | _head(d))
    able = {
        "modelIdentifier": d.identifier, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": "true",
    }  # fmt: skip
    SubElement(root, "ModelExchange", able, needsCompletedIntegratorStep="true")
    SubElement(root, "CoSimulation", able, canHandleVariableCommunicationStepSize="true")
    _units(root, d.variables)
    _log_categories(root)
    _experiment(root, d)
    every, states = SubElement(root, "ModelVariables"), d.numbers(Kind.STATE)
    for n, v in enumerate(d.variables):
        one = SubElement(every, "Float64", _variable(d, v, n) | _real(v))
        if v.kind == Kind.DERIVATIVE:
            one.set("derivative", str(states[v.index]))
    structure = SubElement(root, "ModelStructure")
    rates = d.numbers(Kind.DERIVATIVE)
    for tag, numbers in (
        ("Output", d.outputs()), ("ContinuousStateDerivative", rates), ("InitialUnknown", _initially_unknown(d)),
        ("EventIndicator", d.indicators),
    ):  # fmt: skip
        for n in numbers:
            SubElement(structure, tag, valueReference=str(n))
    return root


def _head(d: Description) -> dict[str, str]:
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "modelName": d.name, "description": f"{d.name}, a mechanism of {TITLE}", "version": __version__,
        "generationTool": f"{TITLE} {__version__}", "generationDateAndTime": now, "variableNamingConvention": "flat",
    }  # fmt: skip


def _units(root: Element, variables: Iterable[Variable]) -> None:
    names = sorted({v.unit for v in variables if v.unit})
    if not names:
        return
    units = SubElement(root, "UnitDefinitions")
    for name in names:
        unit, known = SubElement(units, "Unit", name=name), exponents(name)
        if known is not None:
            SubElement(unit, "BaseUnit", {base: str(power) for base, power in known.items()})


def _log_categories(root: Element) -> None:
    categories = SubElement(root, "LogCategories")
    for name in ("logStatusError", "logEvents"):
        SubElement(categories, "Category", name=name)


def _experiment(root: Element, d: Description) -> None:
    SubElement(root, "DefaultExperiment", startTime="0", stopTime=repr(d.until), tolerance=repr(d.tolerance))


def _variable(d: Description, v: Variable, number: int) -> dict[str, str]:
    causality = d.causality(v, number)
    attributes = {"name": v.name, "valueReference": str(number), "causality": causality}
    attributes["variability"] = VARIABILITY.get(v.kind, "continuous")
    if v.text:
        attributes["description"] = v.text
    if v.kind in (Kind.STATE, Kind.PARAMETER):
        attributes["initial"] = "exact"
    elif causality in ("output", "local"):
        attributes["initial"] = "calculated"
    return attributes


def _real(v: Variable) -> dict[str, str]:
    attributes = {"unit": v.unit} if v.unit else {}
    return attributes if v.start is None else attributes | {"start": repr(v.start)}


def _initially_unknown(d: Description) -> list[int]:
    """What is unknown in the initialization."""
    return sorted([*d.outputs(), *d.numbers(Kind.DERIVATIVE)])
