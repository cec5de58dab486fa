"""Outputs of an FMU: any channel of a run; and the states, for model exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.analyses.simulate.dynamics import Options, choose_formulation
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.samples import columns_of
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.signals.measures import Measure
from linkwork.errors import OptionError, nearest
from linkwork.fmu.frozen_run import FrozenRun
from linkwork.fmu.model_file import Kind, Variable
from linkwork.mechanism import Mechanism
from linkwork.results.channels import MOTION, multiplier_names
from linkwork.results.result import Names
from linkwork.system.compile import compile_mechanism
from linkwork.system.units import rate_unit

OWN = "fmu_output_{}"  # names of measures that stand for outputs
BODY_KINDS = {
    "position": Kind.POSITION, "velocity": Kind.VELOCITY, "angular_velocity": Kind.SPIN,
    "orientation": Kind.ORIENTATION,
}  # fmt: skip


def names_of(run: ForwardRun) -> Names:
    """What stands along the samples of a run."""
    run.recording.begin()
    return run.recording.empty.names


def with_joint_outputs(
    mechanism: Mechanism, options: Options, outputs: Sequence[str] | None
) -> tuple[Mechanism, dict[str, str]]:
    """The mechanism with a measure for each coordinate or rate of a joint that is requested and that the formulation
    does not have; the measures by the names of these channels.
    """
    joints, measures = {joint.name: joint.type for joint in mechanism.joint}, dict[str, str]()
    found = [(name, _measure_of_joint(joints, name)) for name in outputs or () if name.partition(".")[0] in joints]
    held = _coordinates_held(mechanism, options) if found else set()
    for n, (name, text) in enumerate(found):
        if text and name not in held:
            measures[name] = OWN.format(n)
            measure = Measure(name=measures[name], of=text)
            mechanism = mechanism.with_elements(Measure, (*mechanism.of(Measure), measure))
    return mechanism, measures


def _coordinates_held(mechanism: Mechanism, options: Options) -> set[str]:
    """Coordinates and velocities that are in y as the joints have them, and not from B to A."""
    formulation, _ = choose_formulation(options.formulation, mechanism, options.method)
    layout = compile_mechanism(mechanism, formulation).layout
    turned = {joint.name for joint in layout.tree if joint.turned}
    return {name for name in (*layout.q_names, *layout.v_names) if name.partition(".")[0] not in turned}


def _measure_of_joint(joints: Mapping[str, JointKind], name: str) -> str:
    """The expression of a coordinate or rate of a joint; nothing where it is not a single number."""
    joint, _, what = name.partition(".")
    kind = joints[joint]
    if what in kind.measured:
        return f"coordinate('{joint}', '{what}')"
    if what in kind.velocities and len(kind.coordinates) == len(kind.velocities):
        return f"velocity('{joint}', '{kind.coordinates[kind.velocities.index(what)]}')"
    return ""


def state_variables(run: ForwardRun, names: Names) -> list[Variable]:
    """y and dy/dt."""
    layout = run.compiled.layout
    rest = [("work", "J"), *((f"auxiliary {k}", "") for k in range(1, len(run.y) - layout.velocities.stop))]
    known = [*zip(names["q"], names["q_units"], strict=True), *zip(names["v"], names["v_units"], strict=True), *rest]
    states = [
        Variable(f"state.{name}", Kind.STATE, k, 0, unit, float(run.y[k])) for k, (name, unit) in enumerate(known)
    ]
    rates = [
        Variable(f"der(state.{name})", Kind.DERIVATIVE, k, 0, rate_unit(unit) if unit else "")
        for k, (name, unit) in enumerate(known)
    ]
    return [*states, *rates]


def output_variables(
    known: Mapping[str, Variable], requested: Sequence[str] | None, run: ForwardRun, names: Names
) -> list[Variable]:
    """The channels requested; default: measures, coordinates, velocities and the energy."""
    if requested is None:
        own = [name for name in run.compiled.layout.measures if not name.startswith("fmu_")]
        requested = [*own, *names["q"], *names["v"], "energy"]
    for name in requested:
        if name not in known:
            raise OptionError(f"there is no output '{name}'; {nearest(name, known)}", element=name)
    return [known[name] for name in dict.fromkeys(requested)]


def indicator_variables(run: ForwardRun, frozen: FrozenRun) -> list[Variable]:
    """Conditions of events, depths of contacts, and how far expressions are from their next jump."""
    layout, first = run.compiled.layout, frozen.columns["signals"]
    events = [(f"event.{name}", place) for name, place in layout.events.items()]
    kinks = [(f"contact.{k}", kink.depth) for k, kink in enumerate(layout.kinks)]
    columns = [Variable(name, Kind.COLUMN, first + place) for name, place in (*events, *kinks)]
    return [*columns, *(Variable(f"switch.{k}", Kind.SWITCH, k) for k in range(len(layout.switches)))]


def channels(run: ForwardRun, names: Names, measures: Mapping[str, str]) -> dict[str, Variable]:
    """Every output that there is, by name; `measures` stand for the channels of joints that the formulation lacks."""
    layout, mechanism, columns = run.compiled.layout, run.compiled.mechanism, columns_of(run.equations)
    found: dict[str, Variable] = {}

    def put(name: str, kind: Kind, index: int = 0, second: int = 0, unit: str = "") -> None:
        found.setdefault(name, Variable(name, kind, index, second, unit))

    put("energy", Kind.ENERGY, unit="J")
    put("energy.kinetic", Kind.COLUMN, columns.kinetic, unit="J")
    put("energy.potential", Kind.COLUMN, columns.potential, unit="J")
    put("energy.work", Kind.COLUMN, layout.velocities.stop, unit="J")
    put("energy.balance", Kind.BALANCE, unit="J")
    for b, body in enumerate(mechanism.body):
        for what, (unit, components) in MOTION.items():
            for k, component in enumerate(components):
                put(f"{body.name}.{what}.{component}", BODY_KINDS[what], b, k, unit)
    of_joints = {own: name for name, own in measures.items()}
    for name, place in layout.measures.items():
        unit = layout.measure_units[name]
        put(of_joints.get(name, name), Kind.COLUMN, columns.signals + place, unit="" if unit == "1" else unit)
    for k, (name, unit) in enumerate(zip(names["q"], names["q_units"], strict=True)):
        put(name, Kind.COLUMN, k, unit=unit)
    for k, (name, unit) in enumerate(zip(names["v"], names["v_units"], strict=True)):
        put(name, Kind.COLUMN, layout.q_count + k, unit=unit)
        put(f"{name}.dot", Kind.COLUMN, columns.v_dot + k, unit=rate_unit(unit) if unit else "")
    for k, (name, unit) in enumerate(zip(multiplier_names(names["rows"]), names["row_units"], strict=True)):
        put(name, Kind.COLUMN, columns.lam + k, unit=unit)
    return found
