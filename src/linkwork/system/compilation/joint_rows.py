"""Rows of joints: of those that are cut, of those that keep an equation even in the tree, and of held starts."""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.drivers import MEASURED
from linkwork.elements.constraints.rows import OTHER, POINT
from linkwork.elements.context import NewRow, Pair, PairNumber
from linkwork.elements.joints.joint import BALL, JOINTS, ROW_NAMES, Joint, JointKind
from linkwork.mechanism import GROUND
from linkwork.numerics.rotations import rotation_matrix
from linkwork.system.compilation.context import Compilation
from linkwork.system.compilation.rows import MULTIPLIER_UNITS
from linkwork.system.frames import Pose, plane_axes
from linkwork.system.topology import Topology


def constrain_joints(context: Compilation, topology: Topology) -> None:
    """Rows of cut joints, and those that a joint has even in the tree."""
    for joint in topology.cut:
        _constrain(context, joint, _rows_of(joint.joint, context.mechanism.plane))
    for link in topology.links:
        if link.joint is not None and link.joint.joint.rows_in_tree:
            _constrain(context, link.joint, link.joint.joint.rows_in_tree)


def _rows_of(kind: JointKind, plane: str | None) -> tuple[tuple[int, int, int], ...]:
    return kind.rows if plane is None else (kind.planar_rows or ())


def _constrain(context: Compilation, joint: Joint, rows: tuple) -> None:
    pair = context.places.joint_pair(joint.name)
    whole = [row for row in rows if row[0] != OTHER]
    if whole:
        context.rows.add(joint.name, pair, _new_rows(whole))
    pitch = (joint.pitch or 0.0) / (2.0 * np.pi)
    for row in rows[len(whole) :]:
        terms = [(PairNumber(kind, i, j, pair), -pitch if np.isnan(c) else c) for kind, i, j, c in joint.joint.sum_of]
        starts = [_start_angle(context, joint) if number.turns else 0.0 for number, _ in terms]
        unit = MULTIPLIER_UNITS[terms[0][0].kind]
        context.rows.add_sum(joint.name, NewRow(ROW_NAMES[row[0], row[1]], OTHER, unit=unit), terms, starts)


def _start_angle(context: Compilation, joint: Joint) -> float:
    return context.places.start_of(context.places.coordinate(joint.name, "angle", joint.who))


def _new_rows(rows: list[tuple[int, int, int]]) -> list[NewRow]:
    return [
        NewRow(ROW_NAMES[kind, i] if (kind, i, j) != (1, 0, 1) else "axis about z", kind, i, j) for kind, i, j in rows
    ]


def hold_start(context: Compilation) -> None:
    """Rows, for assembly, that keep what the user fixed: poses of bodies, joint coordinates with a start value."""
    places, mechanism = context.places, context.mechanism
    for body in mechanism.body:
        if body.fixed:
            axes = np.eye(3) if mechanism.plane is None else plane_axes(mechanism.plane)
            place = Pose(axes, places.poses[body.name].p)
            pair = places.pair(GROUND, place, body.name, places.poses[body.name].inverse() @ place)
            context.rows.add(body.name, pair, _new_rows(list(_rows_of(JOINTS["fixed"], mechanism.plane))))
    driven = {driver.joint for driver in mechanism.driver if driver.motion is not None and driver.since == 0.0}
    for joint in mechanism.joint:
        if joint.start_values is not None and joint.name not in driven:
            _hold_coordinates(context, joint, joint.start_values)
            if joint.joint.motions[-1:] == ((BALL, 0),):
                context.rows.add(joint.name, *_orientation(context, joint, joint.start_values[-4:]))


def _hold_coordinates(context: Compilation, joint: Joint, values: tuple[float, ...]) -> None:
    for coordinate, value in zip(joint.joint.coordinates, values, strict=True):
        if coordinate in MEASURED[joint.kind]:
            number = context.places.coordinate(joint.name, coordinate, joint.who)
            program = context.programs.of_time(value, joint.who)
            angle = context.states.angle() if number.turns else -1
            row = NewRow(f"{number.full_name} = {value}", number.kind, number.i, 0, program, angle)
            context.rows.add(joint.name, number.pair, [row])


def _orientation(context: Compilation, joint: Joint, parameters: tuple[float, ...]) -> tuple[Pair, list[NewRow]]:
    """Three rows that keep the relative orientation that a ball was given at the start, and their frames."""
    frames = context.places.joint_frames[joint.name]
    turned = Pose(rotation_matrix(np.array(parameters)), np.zeros(3))
    pair = context.places.pair(frames.a, frames.on_a @ turned, frames.b, frames.on_b)
    return pair, _new_rows([row for row in JOINTS["fixed"].rows if row[0] != POINT])
