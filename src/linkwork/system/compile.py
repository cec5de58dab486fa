"""Compile: Mechanism -> System (tables of numbers) and Layout (names), for one formulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linkwork.elements.declaration.changes import Change
from linkwork.elements.family import Family, FamilyTable, Kink
from linkwork.elements.forces.callbacks import Callback
from linkwork.elements.signals.measures import Event, Measure
from linkwork.elements.signals.pace import PACED
from linkwork.elements.signals.signals import OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.elements.signals.states import STATES
from linkwork.errors import OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.system.compilation.changes import change_table, changes_of
from linkwork.system.compilation.context import Compilation
from linkwork.system.compilation.hanging import hanging
from linkwork.system.compilation.joint_rows import constrain_joints, hold_start
from linkwork.system.compilation.nodes import nodes_in_use
from linkwork.system.compilation.places import Places
from linkwork.system.compilation.signals import Known
from linkwork.system.compilation.tree import Tree
from linkwork.system.connections import Connections, connections_of
from linkwork.system.frames import PlacedJoints, given_poses
from linkwork.system.layout import JointArrays, Layout
from linkwork.system.pattern import is_tall, most_entries, refuse_tall, spans
from linkwork.system.tables import WHOLE, System, constant_system
from linkwork.system.topology import Topology, loaded_joints, spanning, star

FORMULATIONS = {"absolute": star, "joint": spanning}


@dataclass(frozen=True)
class Compiled:
    """A mechanism ready for arithmetic: tables and names, and the families of records that it has."""

    mechanism: Mechanism
    system: System
    layout: Layout
    connections: Connections
    families: tuple[FamilyTable, ...] = ()
    callbacks: tuple[Callback, ...] = ()  # Python functions that the tables hold the addresses of
    for_assembly: bool = False  # it is not the same as without `hold`

    @cached_property
    def body_places(self) -> np.ndarray:
        """Where each body of the model is in the tables."""
        return self.layout.places(self.connections.body.name)

    @cached_property
    def own_spans(self) -> np.ndarray:
        """Of each row, the motions on which it acts itself, where that makes the envelope narrower."""
        known = self.system.spans
        own = spans(self.system.dofs, self.system.constraints, self.system.columns, of_masses=False)
        return own if most_entries(own)[1] < most_entries(known)[1] else known

    def table(self, family: Family) -> FamilyTable | None:
        """The table of a family, if the mechanism has any of its records."""
        return next((table for table in self.families if table.family is family), None)

    def records(self, family: Family) -> np.ndarray:
        """The records of a family."""
        table = self.table(family)
        return np.zeros(0, family.record) if table is None else table.records(self.system.block)

    def as_open_tree(self, open_tree: bool) -> Compiled:
        """The same treated as an open tree, with its rows left out, or as one with rows, whose M and Q are filled."""
        if not open_tree:
            refuse_tall(self.system.dofs)
        whole = self.system.whole.copy()
        whole["open_tree"] = open_tree
        return replace(self, system=self.system.changed(whole=whole))


def compile_mechanism(mechanism: Mechanism, formulation: str, *, hold: bool = False) -> Compiled:
    """Tables and layout.  `hold`: also rows that keep what the user fixed (poses, joint coordinates), for assembly."""
    if formulation not in FORMULATIONS:
        known = nearest(formulation, FORMULATIONS)
        raise OptionError(f"there is no formulation '{formulation}'; {known}", element="formulation")
    connections = connections_of(mechanism)
    topology = FORMULATIONS[formulation](connections, hold)
    bodies = given_poses(mechanism)
    frames = PlacedJoints(connections, bodies)
    joints = hanging(topology, bodies, frames)
    places = Places(bodies, frames, topology.body, joints.on_body, nodes_in_use(frames, hold))
    tree = Tree(mechanism, places, topology, joints)
    context = Compilation(places, hold)
    held_from = _constrain(context, topology, hold)
    measures, events = _act(context)
    _enter_signals(context, tree)
    families, block = context.tables.finish()
    kinks = context.tables.kinks(families, block)
    watched = len(events) + 2 * len(kinks) + len(context.programs.switches)
    changes = changes_of(context)
    system = _system(context, tree, families, block, watched, changes)
    layout = _layout(context, tree, topology, formulation, held_from, measures, events, kinks, changes)
    differs = context.asked_if_assembling or bool(places.flexible) or held_from < len(layout.rows)
    for_assembly = hold and (differs or bool(loaded_joints(mechanism)))
    return Compiled(mechanism, system, layout, connections, families, tuple(context.callbacks), for_assembly)


def _constrain(context: Compilation, topology: Topology, hold: bool) -> int:
    """All constraint rows; the place from which on they only hold the start."""
    constrain_joints(context, topology)
    for element in context.mechanism.answering("constrain"):
        element.constrain(context)
    for element in context.mechanism.answering("drive"):
        element.drive(context)
    held_from = len(context.rows)
    if hold:
        hold_start(context)
    return held_from


def _act(context: Compilation) -> tuple[dict[str, Known], dict[str, int]]:
    """All forces, then measures with their units, and events; their signals by name."""
    for force in context.forces():
        context.enter(force.name)
    signals, mechanism = context.signals, context.mechanism
    context.blocks.give_inputs(context)
    context.programs.watching = False
    events = {e.name: signals.condition(e.when, e.who) for e in mechanism.of(Event)}
    context.programs.pacing = False
    measures = {m.name: signals.known(("measure", (m.name,)), m.who) for m in mechanism.of(Measure)}
    for element in mechanism.answering("break_times"):
        context.programs.break_times |= set(element.break_times())
    return measures, events


def _enter_signals(context: Compilation, tree: Tree) -> None:
    """Records of what the elements have left behind: signals, rates of states, flexible bodies."""
    for record in context.signals.records:
        context.tables.add(SIGNAL_FAMILY, "", record)
    for record in context.signals.late_records:
        context.tables.add(OUTPUT_FAMILY, "", record)
    for record in context.programs.paced:
        context.tables.add(PACED, "", record)
    for record in context.states.rates:
        context.tables.add(STATES, "", record)
    tree.modal.enter(context.tables)


def _system(
    context: Compilation, tree: Tree, families: tuple[FamilyTable, ...], block: np.ndarray, watched: int,
    changes: list[Change],
) -> System:  # fmt: skip
    """The tables."""
    rows, states, signals, flexible = context.rows, context.states, context.signals, bool(tree.modal.bodies)
    open_tree, whole = not rows.names and not flexible, np.zeros(1, WHOLE)
    whole[0] = (
        context.mechanism.gravity, context.places.joint_frames.connections.size, 1.0, 0.0,
        len(tree.q_names), len(tree.v_names),
        len(states.starts), signals.count, sum(len(table.family.kernels) for table in families), watched,
        len(context.programs.switches), len(context.programs.paced), flexible, tree.modal.scratch_count,
        open_tree,
    )  # fmt: skip
    dofs, (constraints, row_table, columns) = _with_rows(tree.dofs, open_tree), rows.finish(tree)
    return constant_system(
        whole=whole,
        bodies=tree.bodies,
        dofs=dofs,
        axes=tree.axes,
        constraints=constraints,
        rows=row_table,
        columns=columns,
        spans=spans(dofs, constraints, columns),
        changes=change_table(context, changes),
        ops=context.programs.table(),
        block=block,
        numbers=np.concatenate([np.zeros(0), *tree.modal.numbers]),
        known=states.known_angles(tree.q_names),
    )


def _with_rows(dofs: np.ndarray, open_tree: bool) -> np.ndarray:
    """Motions with the places of their rows in the packed mass matrix; those of a tree too tall for one share a row in
    place of it, which nothing reads.
    """
    if not is_tall(dofs):
        entries = dofs["depth"] + 1
        dofs["row"] = np.cumsum(entries) - entries
    elif not open_tree:
        refuse_tall(dofs)
    return dofs


def _layout(
    context: Compilation, tree: Tree, topology: Topology, formulation: str, held_from: int,
    measures: dict[str, Known], events: dict[str, int], kinks: tuple[Kink, ...],
    changes: list[Change],
) -> Layout:  # fmt: skip
    """The names."""
    places, states, connections = context.places, context.states, context.places.joint_frames.connections
    body_frames = places.links.every.inverse()
    return Layout(
        formulation=formulation,
        bodies=tuple(places.index),
        tree=tree.joints,
        joints=JointArrays(connections.joint_places, connections.kinds, connections.kind, places.joint_pairs),
        cut=tuple([connections.joint.name[k] for k in topology.cut.tolist()]),
        q_names=tree.q_names,
        v_names=tree.v_names,
        rows=tuple(context.rows.names),
        held_from=held_from,
        R_LB=np.ascontiguousarray(body_frames.R),
        p_LB=body_frames.p,
        angle_count=len(states.angle_starts),
        angle_starts=tuple(states.angle_starts),
        state_starts=tuple(states.starts),
        measures={name: known.place for name, known in measures.items()},
        efforts={name: at for name, at in context.signals.efforts.items() if "." not in name},
        measure_units={name: known.unit for name, known in measures.items()},
        events=events,
        late_events=tuple(place in context.signals.late for place in events.values()),
        kinks=kinks,
        changes=tuple(changes),
        works=tuple(states.works.values()),
        driver_rows=context.rows.drivers,
        break_times=tuple(sorted(context.programs.break_times)),
        crossings=tuple(context.programs.crossings),
        switches=tuple(context.programs.switches),
        expressions=context.programs.expressions,
        periods=tuple(sorted({p for e in context.mechanism.answering("period") if (p := e.period()) is not None})),
        blocks=context.blocks.places(),
        modal_sizes=tree.modal_sizes,
        units=tree.units,
    )
