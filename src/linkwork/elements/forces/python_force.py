"""A user's Python function as a force: called back by its address from the compiled loop.

    function(t, x) -> force (3) or force and torque (6) on a body, or one number along a joint coordinate

x holds the values of the expressions in `inputs`, in their order.  An exception leaves NaN as the force, which ends the
run; Python then reports what happened (callbacks.py).  Each call takes some microseconds, so that a run is slower than
with an expression; unless Numba compiles the function (`@lw.force`).  For derivatives by complex steps t is real and x
complex, and so must be what the function returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from linkwork.compiler.addresses import call_back
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Expression, Vector
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import BETWEEN_FRAMES, Family, Phase, record
from linkwork.elements.forces.applied_force import into_link
from linkwork.elements.forces.callbacks import callback_of
from linkwork.elements.forces.force import QUANTITIES, Force, Shown, component, coordinate_turns
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion
from linkwork.elements.signals.outputs import show
from linkwork.errors import ModelError
from linkwork.numerics.vectors import add_wrench, angular, dot, point_velocity, rotate, scale, sub

INPUTS = 32  # most inputs of a function
# Force and torque on B, N and N m, world axes; along a coordinate the first is the force, N or N m.
OUTPUTS = {"fx": "N", "fy": "N", "fz": "N", "tx": "N m", "ty": "N m", "tz": "N m"}

PYTHON_FORCE = record(
    [
        ("address", np.int64),  # of the callback
        ("input_count", np.int64),
        ("inputs", np.int32, (INPUTS,)),  # signals
        ("along", np.int32),  # 1: one number along a joint coordinate; 0: force and torque
        ("in_body_axes", np.int32),
        ("kind", np.int32),  # of the joint coordinate
        ("i", np.int32),
        *PAIR,  # force and torque: on B at M, the reverse on A
    ],
    outputs=len(OUTPUTS),
)
SIZE = PYTHON_FORCE.itemsize


class PythonForce(Force):
    """A Python function `function(t, x)` as a force and torque on a body, or along a joint coordinate."""

    plural: ClassVar[str] = "forces by Python functions"
    in_files: ClassVar[bool] = False

    body: str | None = Field(default=None, description="name of the body on which it acts; or give a joint")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, point of application in the body frame")
    against: str = Field(default="ground", description="name of the body on which the reverse acts, at the same point")
    axes: Literal["world", "body"] = Field(default="world", description="axes of the components")
    joint: str | None = Field(default=None, description="name of the joint along whose coordinate it acts")
    coordinate: str | None = Field(default=None, description="which coordinate of the joint, if it has several")
    inputs: tuple[Expression, ...] = Field(default=(), description="expressions of positions and velocities: x")
    function: SkipJsonSchema[Callable[..., Any] | None] = Field(default=None, exclude=True)

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = f"python force '{self.name}'"
        if (self.body is None) == (self.joint is None):
            raise ValueError(f"{who}: give either a body or a joint on which it acts")
        if self.body == self.against:
            raise ValueError(f"{who}: '{self.body}' acts on itself; name another body in against")
        if len(self.inputs) > INPUTS:
            raise ValueError(f"{who}: {len(self.inputs)} inputs; it may have {INPUTS}")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        if self.joint is not None:
            return (("joint", self.joint),)
        return (("moving body", str(self.body)), ("body", self.against))

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return tuple((text, ()) for text in self.inputs)

    def check(self, surroundings: Surroundings) -> None:
        """The joint has this coordinate."""
        if self.joint is not None:
            one_coordinate(surroundings.joints[self.joint], self.coordinate, self.who)

    def attachments(self) -> tuple[Attachment, ...]:
        """Its point of application, on both bodies."""
        return tuple(Attachment(on, self.at, self.body) for on in (self.body, self.against)) if self.body else ()

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record with the signals of its inputs."""
        who, signals = self.who, context.signals
        if self.function is None:
            raise ModelError(
                f"{who}: has no function, which files do not keep; give it by model.python_force(..., function=...), "
                "and simulate again what was read from a file",
                element=self.name,
            )
        callback = callback_of(self.name, self.function, len(self.inputs), self.joint is not None)
        context.callbacks.append(callback)
        inputs = [signals.needed_now(signals.expression(text, who), who) for text in self.inputs]
        head = (callback.address, len(inputs), [*inputs, *[0] * (INPUTS - len(inputs))])
        if self.joint is not None:
            number = context.places.coordinate(self.joint, self.coordinate, who)
            return [(*head, 1, 0, number.kind, number.i, *number.pair)]
        assert self.body is not None
        point, axes = context.places.in_world(self.body, self.at), context.places.axes(self.body)
        pair = context.places.frame_pair((self.against, self.body), None, (point, point), axes)
        return [(*head, 0, self.axes == "body", 0, 0, *pair)]

    def force_signal(self, context: Context, function: str, axis: tuple[str, ...], who: str) -> int:
        """What the function returns, known only after the forces."""
        tables = context.tables
        if self.joint is None:
            parts = tuple(tables.output(self.name, name, now=False) for name in OUTPUTS)
            return component(context, parts, function, axis, who)
        if function == "torque" or axis:
            raise ModelError(f"{who}: the force of '{self.name}' is one number; write force({self.name})", element=who)
        return tables.output(self.name, next(iter(OUTPUTS)), now=False)

    def shown(self, joints: Mapping[str, Joint]) -> Shown:
        """Along a coordinate NAME.force or NAME.torque, else vectors."""
        if self.joint is None:
            return super().shown(joints)
        quantity = "torque" if coordinate_turns(joints[self.joint], self.coordinate, self.who) else "force"
        return {quantity: (("force", (self.name,)), QUANTITIES[quantity])}

    def unit(self, context: Context, function: str) -> str:
        """Of a force, a torque, or an effort along the coordinate."""
        if self.joint is None:
            return super().unit(context, function)
        return context.places.coordinate(self.joint, self.coordinate, self.who).unit


@kernel
def python_forces(system, t, angles, work, first, last):
    """Calls the functions; adds what they return, and its power."""
    R, p, O, V, buffer = work.R, work.p, work.O, work.V, work.stack
    for at in range(first, last, SIZE):
        force = record_at(system.block, at, PYTHON_FORCE)
        pair = pair_of(force)
        a, b = force.body_a, force.body_b
        for k in range(force.input_count):
            buffer[k, 0] = work.signals[force.inputs[k]]
        call_back(force.address, buffer.ctypes.data, buffer.itemsize, t)
        _, p_M = ends(R, p, pair)
        if force.along:
            f, n = direction(force.kind, force.i, force.i, R, p, pair)  # a second axis has no part in it
            add_effort(work.F, O, pair, p_M, -buffer[0, 1], f, n)
            work.energy[2] += buffer[0, 1] * relative_motion(V, O, pair, p_M, f, n)
            show(work.signals, force, 0, buffer[0, 1])
            continue
        f, n = (buffer[0, 1], buffer[1, 1], buffer[2, 1]), (buffer[3, 1], buffer[4, 1], buffer[5, 1])
        if force.in_body_axes:
            f, n = rotate(R, b, into_link(force.R_BM, f)), rotate(R, b, into_link(force.R_BM, n))
        add_wrench(work.F, b, O, p_M, f, n)
        add_wrench(work.F, a, O, p_M, scale(-1.0, f), scale(-1.0, n))
        work.energy[2] += dot(f, sub(point_velocity(V, O, b, p_M), point_velocity(V, O, a, p_M)))
        work.energy[2] += dot(n, sub(angular(V, b), angular(V, a)))
        for k in range(3):
            show(work.signals, force, k, f[k])
            show(work.signals, force, 3 + k, n[k])


PYTHON_FORCES = Family(
    "python forces", PYTHON_FORCE, {Phase.FORCES: python_forces}, (PythonForce,), BETWEEN_FRAMES, OUTPUTS,
    state_alone=False,
)  # fmt: skip
