"""A user's Python function as a force: called back by its address from the compiled loop.

    function(t, x) -> force (3) or force and torque (6) on a body, or one number along a joint coordinate

x holds the values of the expressions in `inputs`, in their order.  An exception leaves NaN as the force, which ends the
run; Python then tells what happened (`failed`).  Each call takes some microseconds, so that a run is slower than with
an expression.  For derivatives by complex steps t is real and x complex, and so must be what the function returns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from linkwork.compiler.addresses import call_back
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.declaration.base import Element, Expression, Vector
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import FORCES, Family
from linkwork.elements.forces.applied_force import into_link
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion
from linkwork.errors import ModelError
from linkwork.numerics.vectors import add_wrench, angular, dot, point_velocity, rotate, scale, sub

INPUTS = 32  # most inputs of a function
ROOM = (40, 3)  # of work.stack, through which inputs (column 0) and outputs (column 1) travel

PYTHON_FORCE = np.dtype(
    [
        ("address", np.int64),  # of the callback
        ("input_count", np.int64),
        ("inputs", np.int32, (INPUTS,)),  # signals
        ("along", np.int32),  # 1: one number along a joint coordinate; 0: force and torque
        ("in_body_axes", np.int32),
        ("kind", np.int32),  # of the joint coordinate
        ("i", np.int32),
        *PAIR,  # force and torque: on B at M, the reverse on A
        ("told", np.int32),  # first of the signals for those who ask: the number, or force and torque on B, world axes
    ],
    align=True,
)
SIZE = PYTHON_FORCE.itemsize


class PythonForce(Element):
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


class Callback:
    """The function behind an address, and how it failed, if it did."""

    def __init__(self, name: str, function: Callable[..., Any], inputs: int, along: bool) -> None:
        self.name, self.function, self.inputs, self.outputs = name, function, inputs, 1 if along else 6
        self.failure: BaseException | None = None
        self.t = 0.0
        self._rooms: dict[int, np.ndarray] = {}
        self._c = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)(self._call)
        self.address = int(ctypes.cast(self._c, ctypes.c_void_p).value or 0)

    def _call(self, room_at: int, item: int, t: float) -> None:
        """One call from a kernel: inputs from column 0 of the room at that address, outputs to column 1."""
        room = self._room(room_at, item)
        try:
            if self.failure is None:
                room[: self.outputs, 1] = self._wrench(self.function(t, room[: self.inputs, 0].copy()))
                return
        except BaseException as failure:
            self.failure, self.t = failure, t
        room[: self.outputs, 1] = np.nan

    def _wrench(self, given: Any) -> np.ndarray:
        values = np.atleast_1d(np.asarray(given)).ravel()
        if self.outputs == 6 and len(values) == 3:
            return np.append(values, np.zeros(3))
        if len(values) != self.outputs:
            wanted = "one number" if self.outputs == 1 else "three (N) or six (N, N m) numbers"
            raise ValueError(f"it returned {len(values)} numbers, not {wanted}")
        return values

    def _room(self, at: int, item: int) -> np.ndarray:
        key = at * 2 + item // 16
        if key not in self._rooms:
            room: Any = (ctypes.c_char * (ROOM[0] * ROOM[1] * item)).from_address(at)
            self._rooms[key] = np.frombuffer(room, np.complex128 if item == 16 else np.float64).reshape(ROOM)
        return self._rooms[key]

    def message(self) -> str:
        """What happened, for people."""
        failure = self.failure
        return f"python force '{self.name}' stopped with {type(failure).__name__}: {failure} (t = {self.t:.6g} s)"


def failed(callbacks: Sequence[Callback]) -> Callback | None:
    """The first whose function raised an exception."""
    return next((callback for callback in callbacks if callback.failure is not None), None)


def pass_on_interrupt(callbacks: Sequence[Callback]) -> None:
    """Ctrl-C that came while a function was running."""
    if any(isinstance(callback.failure, KeyboardInterrupt) for callback in callbacks):
        raise KeyboardInterrupt


@kernel
def python_forces(system, t, angles, work, first, last):
    """Calls the functions; adds what they return, and its power."""
    R, p, O, V, room = work.R, work.p, work.O, work.V, work.stack
    for at in range(first, last, SIZE):
        force = record_at(system.block, at, PYTHON_FORCE)
        pair = pair_of(force)
        a, b = force.body_a, force.body_b
        for k in range(force.input_count):
            room[k, 0] = work.signals[force.inputs[k]]
        call_back(force.address, room.ctypes.data, room.itemsize, t)
        _, p_M = ends(R, p, pair)
        if force.along:
            f, n = direction(force.kind, force.i, force.i, R, p, pair)  # a second axis has no part in it
            add_effort(work.F, O, pair, p_M, -room[0, 1], f, n)
            work.energy[2] += room[0, 1] * relative_motion(V, O, pair, p_M, f, n)
            if force.told >= 0:
                work.signals[force.told] = room[0, 1]
            continue
        f, n = (room[0, 1], room[1, 1], room[2, 1]), (room[3, 1], room[4, 1], room[5, 1])
        if force.in_body_axes:
            f, n = rotate(R, b, into_link(force.R_BM, f)), rotate(R, b, into_link(force.R_BM, n))
        add_wrench(work.F, b, O, p_M, f, n)
        add_wrench(work.F, a, O, p_M, scale(-1.0, f), scale(-1.0, n))
        work.energy[2] += dot(f, sub(point_velocity(V, O, b, p_M), point_velocity(V, O, a, p_M)))
        work.energy[2] += dot(n, sub(angular(V, b), angular(V, a)))
        if force.told >= 0:
            for k in range(3):
                work.signals[force.told + k], work.signals[force.told + 3 + k] = f[k], n[k]


def python_record(places, force: PythonForce) -> tuple:
    """The record of one function, whose inputs become signals; but for its last field."""
    who = f"python force '{force.name}'"
    if force.function is None:
        raise ModelError(
            f"{who}: has no function, which files do not keep; give it by model.python_force(..., function=...), and "
            "simulate again what was read from a file",
            element=force.name,
        )
    callback = Callback(force.name, force.function, len(force.inputs), force.joint is not None)
    places.callbacks.append(callback)
    signals = [places.needed_now(places.expression(text, who), who) for text in force.inputs]
    head = (callback.address, len(signals), [*signals, *[0] * (INPUTS - len(signals))])
    if force.joint is not None:
        number = places.coordinate(force.joint, force.coordinate, who)
        return (*head, 1, 0, number.kind, number.i, *number.pair)
    body = places.poses[force.body]
    point = body.p + body.R @ np.array(force.at)
    pair = places.frame_pair((force.against, force.body), None, (point, point), body.R)
    return (*head, 0, force.axes == "body", 0, 0, *pair)


def _names(places) -> list[str]:
    return [force.name for force in places.mechanism.python_force]


def _records(places) -> list[tuple]:
    """With the place of the signals, known when all who ask for them have been heard."""
    asked = (places.told.get((name, "python force"), -1) for name in _names(places))
    return [(*record, told) for record, told in zip(places.python_forces, asked, strict=True)]


PYTHON_FORCES = Family(
    "python_forces",
    PYTHON_FORCE,
    {FORCES: python_forces},
    _records,
    _names,
)
