"""Inputs of an FMU, by name:

NAME.force.x, NAME.torque.z   a component of an applied force, in place of what it is in the model; or of a force on
                              the body NAME (world axes, at the origin of its frame) beside the others; N or N m
NAME                          an applied force with a single component that is not 0, or a force along a joint
                              coordinate: that; a measure that is a number: its value; a driver: its motion or
                              velocity, with NAME.rate and NAME.acceleration
NAME.FIELD                    a field that takes an expression: 'motor.throttle', 'servo.target', 'spring.force'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.assembly import Start
from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.declaration.base import Element
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.joint_forces import JointForce
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.signals.measures import Measure
from linkwork.elements.signals.signals import GIVEN, OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.errors import ModelError, OptionError, nearest
from linkwork.expressions import OP, parse, values
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.quantities import number_from_text, units_in
from linkwork.files.settings import changed
from linkwork.fmu.frozen_run import with_tables
from linkwork.fmu.model_file import Kind, Variable
from linkwork.mechanism import Mechanism
from linkwork.system.compile import Compiled
from linkwork.system.tables import System
from linkwork.system.units import rate_unit, row_unit

AXES = "xyz"
COMPONENTS = {f"{what}.{axis}": f"{what}.{k}" for what in ("force", "torque") for k, axis in enumerate(AXES)}
OWN = "fmu_input_{}"  # names of measures that stand for inputs
# A driver's program: a + s (b + s c), s = t - t0.
SHIFTED_TIME = (opcodes.TIME, opcodes.CONST, opcodes.SUB)
DRIVER_OPS = (
    *(opcodes.CONST, opcodes.CONST, opcodes.CONST), *SHIFTED_TIME, opcodes.MUL, opcodes.ADD,
    *SHIFTED_TIME, opcodes.MUL, opcodes.ADD,
)  # fmt: skip
Quantity = float | str | None  # the start of an input: a number, or a text such as '2 kN'; None: as in the model


@dataclass(frozen=True)
class Input:
    """An input: the measure that stands for it; None: it is a driver."""

    name: str
    unit: str
    start: float
    measure: str | None = None


def with_inputs(mechanism: Mechanism, given: Sequence[str] | Mapping[str, Quantity]) -> tuple[Mechanism, list[Input]]:
    """The mechanism with measures in place of what is to be an input; their values are the starts."""
    starts: Mapping[str, Quantity] = given if isinstance(given, Mapping) else dict.fromkeys(given)
    inputs = []
    for n, (name, start) in enumerate(starts.items()):
        mechanism, found = _with_input(mechanism, name, start, OWN.format(n))
        inputs.append(found)
    return mechanism, inputs


def _with_input(mechanism: Mechanism, name: str, start: Quantity, own: str) -> tuple[Mechanism, Input]:
    """One more input; `own`: the name of the measure that stands for it."""
    owner, _, component = name.partition(".")
    element = next((each for each in mechanism.elements() if each.name == owner), None)
    if isinstance(element, Driver) and not component:
        return mechanism, _driver(element, start)
    if isinstance(element, Measure) and not component:
        port = Input(name, element.unit or "", _start(name, element.unit or "", start, _constant(element)), name)
        return changed(mechanism, {f"{name}.of": port.start}), port
    if isinstance(element, Body) and component in COMPONENTS:
        element = AppliedForce(name=f"{own} force", body=owner)
        mechanism = mechanism.with_elements(AppliedForce, (*mechanism.of(AppliedForce), element))
    if element is None or isinstance(element, Body):
        raise OptionError(f"there is no input '{name}'; {nearest(name, _known(mechanism))}", element=name)
    path = _path(element, component, name)
    unit = _unit(mechanism, element, path)
    port = Input(name, unit, _start(name, unit, start, _value(mechanism, element, path, name)), own)
    return _replaced(mechanism, f"{element.name}.{path}", port), port


def _known(mechanism: Mechanism) -> list[str]:
    loads = [*(body.name for body in mechanism.body), *(force.name for force in mechanism.of(AppliedForce))]
    others = [*mechanism.driver, *mechanism.of(JointForce), *mechanism.of(Measure)]
    return [*(f"{load}.{component}" for load in loads for component in COMPONENTS), *(each.name for each in others)]


def _start(name: str, unit: str, given: Quantity, otherwise: float) -> float:
    if not isinstance(given, str):
        return otherwise if given is None else float(given)
    try:
        return number_from_text(given, [unit] if unit else (), {})
    except ValueError as wrong:
        raise OptionError(f"input '{name}' {wrong}", element=name) from None


def _driver(driver: Driver, start: Quantity) -> Input:
    """An input that is a driver, whose start is that of the model: the assembly has met it."""
    if start is not None:
        raise OptionError(
            f"input '{driver.name}' is a driver, which starts as in the model; leave out {start!r}", element=driver.name
        )
    if driver.motion is None and driver.velocity is None:
        raise OptionError(
            f"input '{driver.name}': it is a driver by {'acceleration' if driver.acceleration else 'hold'}; one by "
            "motion or velocity can be an input",
            element=driver.name,
        )
    return Input(driver.name, "", 0.0)


def _constant(measure: Measure) -> float:
    if isinstance(measure.of, str):
        raise OptionError(
            f"input '{measure.name}': this measure is '{measure.of}'; an input is a measure that is a number",
            element=measure.name,
        )
    return float(measure.of)


# -- fields -----------------------------------------------------------------------------------------------------------
def _path(element: Element, component: str, name: str) -> str:
    """The field of an element that an input takes the place of."""
    if component:
        return COMPONENTS.get(component, component)
    if not isinstance(element, AppliedForce):
        return "force"
    used = [k for k, value in enumerate((*element.force, *element.torque)) if value != 0.0]
    if len(used) == 1:
        return list(COMPONENTS.values())[used[0]]
    raise OptionError(
        f"input '{name}': this applied force has {len(used)} components; name one, as in '{name}.force.x'", element=name
    )


def _unit(mechanism: Mechanism, element: Element, path: str) -> str:
    """SI unit of a field; of one along a joint coordinate that which goes with an angle or a length."""
    field = type(element).model_fields.get(path.partition(".")[0])
    units = units_in(field.description) if field is not None else ()
    joint = next((j for j in mechanism.joint if j.name == getattr(element, "joint", None)), None)
    if len(units) == 2 and joint is not None:
        coordinate = one_coordinate(joint, getattr(element, "coordinate", None), element.who)
        of_angle = [unit for unit in units if "rad" in unit or unit == "N m"]
        units = tuple(unit for unit in units if (unit in of_angle) == (joint.type.units[coordinate] == "rad"))
    return units[0] if len(units) == 1 else ""


def _value(mechanism: Mechanism, element: Element, path: str, name: str) -> float:
    """What a field is at the start: a number, or an expression of time at t = 0; 0 for one of the state."""
    key, _, index = path.partition(".")
    value = getattr(element, key, None)
    if index and isinstance(value, tuple):
        value = value[int(index)]
    if isinstance(value, str):
        try:
            return float(values(parse(value, scope=mechanism.scope(None, mechanism.tables())), 0.0)[0])
        except ModelError:  # an expression of the state
            return 0.0
    if not isinstance(value, (int, float)):
        raise OptionError(
            f"input '{name}': '{key}' is neither a number nor an expression; name a field that is one", element=name
        )
    return float(value)


def _replaced(mechanism: Mechanism, setting: str, port: Input) -> Mechanism:
    """The mechanism with a measure in place of a field."""
    measure = Measure(name=str(port.measure), of=port.start)
    mechanism = mechanism.with_elements(Measure, (*mechanism.of(Measure), measure))
    try:
        return changed(mechanism, {setting: measure.name})
    except (ModelError, OptionError) as wrong:
        raise OptionError(f"input '{port.name}' cannot be one: {wrong}", element=port.name) from None


# -- where the runtime finds them -------------------------------------------------------------------------------------
def place_drivers(start: Start, inputs: Sequence[Input]) -> tuple[Start, dict[str, int]]:
    """The System with programs of its own for drivers that are inputs, and their first ops by the driver's name."""
    system, layout = start.compiled.system, start.compiled.layout
    ops, rows, places = [system.ops], system.rows.copy(), {}
    mechanism = start.compiled.mechanism
    drivers = {driver.name: driver for driver in mechanism.driver}
    count = len(system.ops)
    for port in inputs:
        if port.measure is not None:
            continue
        driver = drivers[port.name]
        text = driver.motion if driver.motion is not None else driver.velocity
        f, f1, f2 = values(parse(text, scope=mechanism.scope(None, mechanism.tables())), 0.0)  # type: ignore[arg-type]
        program = np.zeros(len(DRIVER_OPS), OP)
        program["code"] = DRIVER_OPS
        program["count"] = [2 if code in (opcodes.ADD, opcodes.SUB, opcodes.MUL) else 0 for code in DRIVER_OPS]
        program["value"][:3] = (f, f1, 0.5 * f2)
        row = layout.driver_rows[port.name]
        rows["first_op"][row], rows["op_count"][row] = count, len(program)
        places[port.name] = count
        ops.append(program)
        count += len(program)
    return with_tables(start, ops=np.concatenate(ops), rows=rows), places


def input_variables(start: Start, inputs: Sequence[Input], drivers: Mapping[str, int]) -> list[Variable]:
    """The inputs as the runtime finds them."""
    found = []
    for port in inputs:
        if port.measure is not None:
            place = start.compiled.layout.measures[port.measure]
            found.append(Variable(port.name, Kind.INPUT, place, 0, port.unit, port.start))
            continue
        first, ops = drivers[port.name], start.compiled.system.ops
        driver = next(driver for driver in start.compiled.mechanism.driver if driver.name == port.name)
        row = start.compiled.layout.driver_rows[port.name]
        unit = row_unit(start.compiled.system.rows[row]["kind"])
        unit = unit if driver.motion is not None else rate_unit(unit)
        names = ("", ".rate", ".acceleration") if driver.motion is not None else ("", ".rate")
        for k, suffix in enumerate(names):
            value = float(ops["value"][first + k]) * (2.0 if k == 2 else 1.0)
            found.append(Variable(port.name + suffix, Kind.DRIVER, first, k, unit, value, row=row))
            unit = rate_unit(unit)
    return found


def given_signals(compiled: Compiled, inputs: Sequence[Input]) -> dict[int, float]:
    """The places of signals that are inputs, and their starts."""
    return {compiled.layout.measures[port.measure]: port.start for port in inputs if port.measure is not None}


def input_ops(compiled: Compiled, inputs: Sequence[Input]) -> dict[str, int]:
    """By the names of inputs that are signals: the op whose value they are; each measure is a program of one number."""
    first = {
        int(one["place"]): int(one["first_op"])
        for table in compiled.families
        if table.family is SIGNAL_FAMILY
        for one in table.records(compiled.system.block)
    }
    return {port.name: first[compiled.layout.measures[port.measure]] for port in inputs if port.measure is not None}


def with_given(compiled: Compiled, system: System, inputs: Sequence[Input]) -> System:
    """The System in which signals that are inputs stay as they were put into the workspace."""
    block, places = system.block.copy(), list(given_signals(compiled, inputs))
    for table in compiled.families:
        if table.family in (SIGNAL_FAMILY, OUTPUT_FAMILY):
            records = table.records(block)
            records["what"][np.isin(records["place"], places)] = GIVEN
    return system.changed(block=block)
