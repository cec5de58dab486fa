"""Friction in joints: viscous, Coulomb, and Coulomb friction with the joint's load, theory (8.4).

    e = c v + F tanh(v / v_s) against the coordinate,  and  coefficient N tanh(v / v_s) where the joint touches

The load N comes from the joint's multipliers; it depends on the accelerations, and these on the friction: after every
solution for v_dot and lam the friction is computed anew, its change is added to Q, and it is solved again until both
agree (integrators/control.py).  A secant through the last two rounds speeds this up, for each friction by itself,
theory (8.5).  Where a growing friction makes the load grow as much (a jammed joint) there is nothing to agree on, and
the rounds do not converge.

    joint                     load N                                        acts
    revolute, cylindrical     across the axis (radial)                      at `radius` about the axis
    universal                 across the pin, of the force at the centre    at `radius` about the pin
    prismatic, cylindrical    across the axis (normal)                      along the axis
    screw                     axial / cos(lead), normal of a square thread  at `radius`, along the thread
    spherical                 the whole force                               at `radius`, against the angular velocity
    planar                    normal to the plane                           at the point of M, against its sliding
    planar, its angle         normal to the plane                           at `radius` about the normal

Moments across the axis (a bearing or slide that is bent, a plate that is tilted) do not count, nor does thrust in a
revolute joint.  On a ball and on a plane the friction has no fixed line: with s the speed of turning or sliding it is
c s + (F + coefficient N) tanh(s / v_s) against the motion.  A constant-velocity joint bears its load on balls in
grooves, for which there is no law here, and has no coordinate that is one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.bodies.tree_paths import along_axis, last_axis
from linkwork.elements.constraints.relative_motion import frame_axis
from linkwork.elements.context import Context
from linkwork.elements.declaration.base import NonNegative
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import BETWEEN_FRAMES, Family, Phase, record
from linkwork.elements.forces.joint_forces import OnCoordinate
from linkwork.elements.joints.bearing import BALL, LINE, Bearing
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import JOINTS
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion
from linkwork.elements.signals.outputs import show
from linkwork.numerics.scalars import sqrt, tanh
from linkwork.numerics.vectors import add, angular, cross, dot, point_velocity, scale, sub, vector

ENOUGH = 1e-12  # of the friction that the largest multiplier would give: a smaller change is none
TINY = 1e-40  # (m/s)^2 or (rad/s)^2: at rest there is no direction
NOTHING = 1e-300
STEEPEST = 0.9  # growth of the friction with itself from which on the secant is not trusted

FRICTION = record(
    [
        ("direction", np.int32),  # LINE, BALL, PLANE of joints/bearing.py
        ("kind", np.int32),  # of the coordinate, where friction has a line
        ("i", np.int32),
        ("viscous", np.float64),  # N s/m or N m s/rad
        ("coulomb", np.float64),  # N or N m
        ("smoothing", np.float64),  # m/s or rad/s, the speed v_s
        ("coefficient", np.float64),  # friction force, N, or of a ball moment, N m, for a unit multiplier
        ("rows", np.int32, (3,)),  # whose multipliers are the load, at right angles to each other; -1: none
        ("across", np.int32),  # 1: only what is across the axis counts
        ("along", np.float64),  # a unit of load friction: force along z of F, or against the sliding
        ("about", np.float64),  # m, and moment about it, or against the turning
        ("arm", np.float64),  # m or 1: its effort along the coordinate
        ("loaded", np.int32),  # signal of the load friction, N; the two after it: force and law of the round before
        *PAIR,
    ],
    outputs=1,
)
SIZE = FRICTION.itemsize


class Friction(OnCoordinate):
    """Viscous and Coulomb friction: c v + F tanh(v / v_s).

    F is `coulomb`, and `coefficient` times the load N of the joint (times `radius` where it turns).  N is the force
    across the axis of a revolute, prismatic or cylindrical joint or of a pin of a universal joint, the normal force of
    a screw's thread or on the plane of a planar joint, the whole force of a spherical one; such a joint is always cut.
    Without a coordinate it resists all turning of a ball, all sliding on a plane.

    tanh replaces the jump at rest: at the speed v_s it gives 76 % of F, and under a lasting load the joint creeps with
    a speed below v_s.
    """

    plural: ClassVar[str] = "viscous and Coulomb friction in joints"

    viscous: NonNegative = Field(default=0.0, description="N s/m or N m s/rad, >= 0")
    coulomb: NonNegative = Field(default=0.0, description="N or N m, >= 0, friction force that does not depend on load")
    coefficient: NonNegative = Field(default=0.0, description="of Coulomb friction with the joint's load, >= 0")
    radius: NonNegative | None = Field(default=None, description="m, of the bearing, for a coordinate that turns")
    smoothing: NonNegative = Field(default=1e-3, description="m/s or rad/s, > 0, the speed v_s")

    @model_validator(mode="after")
    def _smooth(self) -> Self:
        if self.smoothing <= 0.0:
            raise ValueError(f"friction '{self.name}': smoothing is 0; give a small speed > 0 such as 1e-3")
        return self

    def against_all_motion(self, joint: Joint) -> bool:
        """Whether it has no line of its own: against the turning of a ball, or all sliding on a plane."""
        return self.coordinate is None and joint.type.friction_without_coordinate

    def check(self, surroundings: Surroundings) -> None:
        """With a load it needs a joint that bears one, and a bearing radius where that turns."""
        joint = surroundings.joints[self.joint]
        coordinate = None if self.against_all_motion(joint) else one_coordinate(joint, self.coordinate, self.who)
        if not self.coefficient:
            return
        if not joint.type.bears_load:
            bearing = ", ".join(name for name, kind in JOINTS.items() if kind.bears_load)
            raise ValueError(
                f"{self.who}: coefficient is for joints of the kinds {bearing}, and '{joint.name}' is {joint.kind}; "
                "give coulomb instead"
            )
        if joint.type.bearing(coordinate, self.radius or 0.0, joint.advance) is None:
            raise ValueError(f"{self.who}: friction on a plane resists all sliding; drop coordinate '{coordinate}'")
        turns = joint.type.friction_turns(coordinate)
        if turns and not self.radius:
            raise ValueError(f"{self.who}: '{joint.name}' turns; give the radius (m) at which friction acts, > 0")
        if not turns and self.radius is not None:
            raise ValueError(f"{self.who}: '{joint.name}' slides there; a radius is for coordinates that turn, drop it")
        if surroundings.plane is not None and not joint.type.planar_rows:
            raise ValueError(
                f"{self.who}: in a planar mechanism the {joint.kind} joint '{joint.name}' bears no load; "
                "give coulomb instead of coefficient, or leave plane out"
            )

    def loaded_joints(self) -> tuple[str, ...]:
        """Its joint, where friction depends on the load."""
        return (self.joint,) if self.coefficient else ()

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record: the law against the motion, and the rows that are the load."""
        joint = self._joint(context)
        kind, i, coordinate, arm, pair = 0, 0, None, 1.0, context.places.joint_pair(self.joint)
        if not self.against_all_motion(joint):
            number = self.number(context)
            kind, i, coordinate, pair = number.kind, number.i, number.coordinate, number.pair
        bearing = joint.type.bearing(coordinate, self.radius or 0.0, joint.advance) or Bearing(())
        if coordinate is not None and joint.type.turns(coordinate):
            arm = bearing.about + bearing.along * joint.advance
        coefficient, rows, loaded = 0.0, [-1, -1, -1], -1
        if self.coefficient:
            coefficient, loaded = self.coefficient * bearing.factor, context.signals.slots(3)
            rows = [context.rows.place(self.joint, row.equation) for row in bearing.rows] + rows
        return [(
            bearing.direction, kind, i, self.viscous, self.coulomb, self.smoothing, coefficient, rows[:3],
            bearing.across, bearing.along, bearing.about, arm, loaded, *pair,
        )]  # fmt: skip

    def _joint(self, context: Context) -> Joint:
        joint = context.element(self.joint)
        assert isinstance(joint, Joint)
        return joint

    def effort(self, context: Context) -> int:
        """The force along the coordinate; on a ball or a plane its magnitude.  With a load known after the forces."""
        return context.tables.output(self.name, "force", now=not self.coefficient)

    def unit(self, context: Context, function: str) -> str:
        """Of a force or, where it acts against turning, of a moment."""
        joint = self._joint(context)
        if self.against_all_motion(joint):
            return "N m" if joint.type.friction_turns(None) else "N"
        return super().unit(context, function)

    def is_moment(self, joints: Mapping[str, Joint]) -> bool:
        """Whether it acts against turning."""
        joint = joints[self.joint]
        return joint.type.friction_turns(None) if self.against_all_motion(joint) else super().is_moment(joints)


@part
def _directions(record, work, p_M):
    """(f, n) of a unit of the law and of a unit of load friction, and the speed that both resist."""
    pair = pair_of(record)
    a, b = record.body_a, record.body_b
    z = frame_axis(work.R, a, record.R_AF, 2)
    if record.direction == LINE:
        f, n = direction(record.kind, record.i, record.i, work.R, work.p, pair)
        speed = relative_motion(work.V, work.O, pair, p_M, f, n)
        return f, n, scale(record.along, z), scale(record.about, z), speed
    if record.direction == BALL:
        motion = sub(angular(work.V, b), angular(work.V, a))
    else:
        v = sub(point_velocity(work.V, work.O, b, p_M), point_velocity(work.V, work.O, a, p_M))
        motion = sub(v, scale(dot(v, z), z))
    speed = sqrt(dot(motion, motion) + TINY)
    u = scale(1.0 / speed, motion)
    f, n = scale(record.along, u), scale(record.about, u)
    return f, n, f, n, speed


@part
def _load(record, work):
    """N of the present multipliers."""
    z = frame_axis(work.R, record.body_a, record.R_AF, 2)
    square, along = 0.0 * z[0], 0.0 * z[0]
    for i in range(3):
        r = record.rows[i]
        if r >= 0:
            square += work.lam[r] * work.lam[r]
            if record.across:
                along += work.lam[r] * dot((work.W[r, 6], work.W[r, 7], work.W[r, 8]), z)
    across = square - along * along
    return sqrt(across) if across.real > 0.0 else 0.0 * across


@kernel
def friction_forces(system, t, angles, work, first, last):
    """The friction of the multipliers at hand, those of the evaluation before: a first guess."""
    for at in range(first, last, SIZE):
        record = record_at(system.block, at, FRICTION)
        pair = pair_of(record)
        _, p_M = ends(work.R, work.p, pair)
        f, n, f_load, n_load, speed = _directions(record, work, p_M)
        saturation = tanh(speed / record.smoothing)
        e = record.viscous * speed + record.coulomb * saturation
        add_effort(work.F, work.O, pair, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(work.V, work.O, pair, p_M, f, n)
        if record.loaded >= 0:
            loaded = record.coefficient * _load(record, work) * saturation
            work.signals[record.loaded] = loaded
            add_effort(work.F, work.O, pair, p_M, loaded, f_load, n_load)
            work.energy[2] -= loaded * relative_motion(work.V, work.O, pair, p_M, f_load, n_load)
            e += record.arm * loaded
        _show(work, record, e)


@part
def _show(work, record, e):
    """The friction force along the coordinate, or its magnitude on a ball or a plane."""
    show(work.signals, record, 0, -e if record.direction == LINE else e)


@kernel
def friction_of_loads(system, t, angles, work, first, last):
    """The friction that the present multipliers make; its change goes into Q and into the power."""
    largest, steepest, rounds = 0.0, 0.0, work.load_rounds[0]
    for r in range(work.lam.shape[0]):
        largest, steepest = max(largest, abs(work.lam[r].real)), max(steepest, abs(work.lam[r].imag))
    for at in range(first, last, SIZE):
        record = record_at(system.block, at, FRICTION)
        place = record.loaded
        if place < 0:
            continue
        _, p_M = ends(work.R, work.p, pair_of(record))
        _, _, f, n, speed = _directions(record, work, p_M)
        saturation = tanh(speed / record.smoothing)
        law = record.coefficient * _load(record, work) * saturation
        e, e_before, law_before = work.signals[place], work.signals[place + 1], work.signals[place + 2]
        step = law - e
        off = abs(step.real) / (ENOUGH * record.coefficient * largest + NOTHING)
        slope = abs(law.imag) + record.coefficient * steepest  # of a complex step, which settles as well
        off = max(off, abs(step.imag) / (ENOUGH * slope + NOTHING))
        if not off <= rounds.change:
            rounds.change, rounds.worst = off, (at - first) // SIZE
        if rounds.round > 0 and e != e_before:
            growth = (law - law_before) / (e - e_before)
            if growth.real < STEEPEST:
                step = step / (1.0 - growth)
        work.signals[place], work.signals[place + 1], work.signals[place + 2] = e + step, e, law
        work.energy[2] -= step * relative_motion(work.V, work.O, pair_of(record), p_M, f, n)
        _add_to_forces(system, work, record.body_b, p_M, f, n, -step)
        _add_to_forces(system, work, record.body_a, p_M, f, n, step)
        _show(work, record, record.viscous * speed + record.coulomb * saturation + record.arm * (e + step))


@part
def _add_to_forces(system, work, body, p_M, f, n, factor):
    """Q += factor (f at p_M, n) on a body: along every motion on the path to it."""
    moment = add(cross(sub(p_M, vector(work.O, body)), f), n)
    a = last_axis(system.bodies, body)
    while a >= 0:
        work.Q[system.axes[a].dof] += factor * along_axis(work.S, a, f, moment)
        a = system.axes[a].before


FRICTIONS = Family(
    "frictions", FRICTION, {Phase.FORCES: friction_forces, Phase.LOADS: friction_of_loads}, (Friction,),
    BETWEEN_FRAMES, {"force": "N"},
)  # fmt: skip
