"""Rows of joints: of those that are cut, of those that keep an equation even in the tree, and of held starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.elements.constraints.rows import OTHER
from linkwork.elements.context import NewRow, Pair, PairNumber
from linkwork.elements.declaration.planes import plane_axes
from linkwork.elements.joints.equations import SAME_AXES, Row
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import JOINTS
from linkwork.mechanism import GROUND
from linkwork.numerics.rotations import rotation_matrix
from linkwork.system.compilation.context import Compilation
from linkwork.system.connections import given
from linkwork.system.frames import Pose
from linkwork.system.topology import Topology
from linkwork.system.units import generalized_force_unit, row_unit


def constrain_joints(context: Compilation, topology: Topology) -> None:
    """Rows of cut joints, and those that a joint has even in the tree."""
    connections = context.places.joint_frames.connections
    _constrain(context, topology.cut, [connections.rows_of(kind) for kind in connections.kinds])
    held = topology.joint[topology.joint >= 0]
    _constrain(context, held, [kind.rows_in_tree for kind in connections.kinds])


def _constrain(context: Compilation, own: np.ndarray, rows: Sequence[Sequence[Row]]) -> None:
    """Rows between the frames of these joints, of each kind as given; one of the kind OTHER is a sum of terms."""
    connections = context.places.joint_frames.connections
    kind = connections.kind
    whole = [[NewRow(row.equation, row.kind, row.i, row.j) for row in of_kind if row.kind != OTHER] for of_kind in rows]
    sums = [[row for row in of_kind if row.kind == OTHER] for of_kind in rows]
    has_sum = np.array([len(of_kind) > 0 for of_kind in sums], bool)[kind[own]]
    for run in np.split(own, np.flatnonzero(has_sum) + 1):  # each up to a joint that has one
        plain = [k for k in run.tolist() if whole[kind[k]]]
        if plain:
            names = [connections.joint.name[k] for k in plain]
            pairs = [column[plain] for column in context.places.joint_pairs]
            context.rows.add_many(names, pairs, whole, kind[plain].tolist())
        for k in run[-1:]:
            for row in sums[kind[k]]:
                _add_sum(context, context.mechanism.joint[k], row)


def _add_sum(context: Compilation, joint: Joint, row: Row) -> None:
    """The row of a joint that is a sum."""
    pair = context.places.joint_pair(joint.name)
    terms = [(PairNumber(t.kind, t.i, t.j, pair), t.factor) for t in joint.type.sum_terms(joint.advance)]
    starts = [_start_angle(context, joint) if number.turns else 0.0 for number, _ in terms]
    unit = generalized_force_unit(row_unit(terms[0][0].kind))
    context.rows.add_sum(joint.name, NewRow(row.equation, OTHER, unit=unit), terms, starts)


def _start_angle(context: Compilation, joint: Joint) -> float:
    """The angle about z of a joint at the start, rad."""
    angle = next(c for c in joint.type.coordinates if joint.type.turns(c))
    return context.places.start_of(context.places.coordinate(joint.name, angle, joint.who))


def _new_rows(rows: Sequence[Row]) -> list[NewRow]:
    return [NewRow(row.equation, row.kind, row.i, row.j) for row in rows]


def hold_start(context: Compilation) -> None:
    """Rows, for assembly, that keep what the user fixed: poses of bodies, joint coordinates with a start value."""
    places, mechanism = context.places, context.mechanism
    connections = places.joint_frames.connections
    for name, fixed in zip(connections.body.name, connections.body.fixed, strict=True):
        if fixed:
            axes = np.eye(3) if mechanism.plane is None else plane_axes(mechanism.plane)
            place = Pose(axes, places.poses[name].p)
            pair = places.pair(GROUND, place, name, places.poses[name].inverse() @ place)
            context.rows.add(name, pair, _new_rows(connections.rows_of(JOINTS["fixed"])))
    driven = {driver.joint for driver in mechanism.driver if driver.motion is not None and driver.since == 0.0}
    for joint in (mechanism.joint[k] for k in given(connections.joint.start)):
        if joint.start_values is not None and joint.name not in driven:
            _hold_coordinates(context, joint, joint.start_values)
            if joint.type.euler_parameters:
                pair = _turned_pair(context, joint, joint.start_values[-4:])
                context.rows.add(joint.name, pair, _new_rows(SAME_AXES))


def _hold_coordinates(context: Compilation, joint: Joint, values: Sequence[float]) -> None:
    for coordinate, value in zip(joint.type.coordinates, values, strict=True):
        if coordinate in joint.type.measured:
            number = context.places.coordinate(joint.name, coordinate, joint.who)
            program = context.programs.of_time(value, joint.who)
            angle = context.states.angle() if number.turns else -1
            row = NewRow(f"{number.full_name} = {value}", number.kind, number.i, 0, program, angle)
            context.rows.add(joint.name, number.pair, [row])


def _turned_pair(context: Compilation, joint: Joint, parameters: Sequence[float]) -> Pair:
    """The frames of a joint, F turned by the Euler parameters that its ball has at the start."""
    frames = context.places.joint_frames[joint.name]
    turned = Pose(rotation_matrix(np.array(parameters)), np.zeros(3))
    return context.places.pair(frames.a, frames.on_a @ turned, frames.b, frames.on_b)
