"""Verbs for forces between bodies and in joints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from linkwork.elements.declaration.calls import stack_level
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.beam import Beam
from linkwork.elements.forces.bushing import Bushing
from linkwork.elements.forces.friction import Friction
from linkwork.elements.forces.joint_forces import Controller, JointForce, Motor
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.forces.stop import Stop
from linkwork.elements.forces.torsional_spring_damper import TorsionalSpringDamper
from linkwork.errors import ModelWarning
from linkwork.model.builder import Builder, Direction, Expression, Orientation, Point, Quantity, adds

Axes = Literal["world", "body"]
SixBySix = Sequence[Quantity] | Sequence[Sequence[Quantity]] | np.ndarray  # a diagonal of six, or 6 x 6


class ForceVerbs(Builder):
    """Springs, bushings, beams, forces on bodies, forces along joint coordinates."""

    @adds(SpringDamper)
    def spring_damper(
        self, name: str, a: str, b: str, *, points: Sequence[Point], stiffness: Quantity = 0.0,
        damping: Quantity = 0.0, free_length: Quantity | None = None, preload: Quantity = 0.0,
        force: Expression | None = None,
    ) -> str:  # fmt: skip
        """Add a spring-damper between two points (m, world): stiffness (N/m), damping (N s/m), free_length (m).

        Without a free length it is relaxed as modelled; `preload` (N): its force at the free length.  `force` (N)
        instead of the linear law: an expression of l (m), v = l' (m/s), t, measures.
        """
        _warn_of_nothing("spring damper", name, stiffness=stiffness, damping=damping, preload=preload, force=force)
        return self._add(
            SpringDamper, name, between=(a, b), points=points, stiffness=stiffness, damping=damping,
            free_length=free_length, preload=preload, force=force,
        )  # fmt: skip

    @adds(TorsionalSpringDamper)
    def torsional_spring_damper(
        self, name: str, joint: str, *, coordinate: str | None = None, stiffness: Quantity = 0.0,
        damping: Quantity = 0.0, free_angle: Quantity = 0.0, torque: Expression | None = None,
    ) -> str:  # fmt: skip
        """Add a spring-damper on a joint that turns: stiffness (N m/rad), damping (N m s/rad), free_angle (rad).

        `torque` (N m) instead of the linear law: an expression of q (rad), v = q' (rad/s), t, measures.
        """
        _warn_of_nothing("torsional spring damper", name, stiffness=stiffness, damping=damping, torque=torque)
        return self._add(
            TorsionalSpringDamper, name, joint=joint, coordinate=coordinate, stiffness=stiffness, damping=damping,
            free_angle=free_angle, torque=torque,
        )  # fmt: skip

    @adds(AppliedForce)
    def applied_force(
        self, name: str, body: str, *, force: Sequence[Expression] | np.ndarray = (0.0, 0.0, 0.0),
        torque: Sequence[Expression] | np.ndarray = (0.0, 0.0, 0.0), at: Point = (0.0, 0.0, 0.0), axes: Axes = "world",
    ) -> str:  # fmt: skip
        """Add a force (N) at a point of a body (m, body frame) and a torque (N m), in world or body `axes`.

        Components are numbers or expressions of t and measures.
        """
        _warn_of_nothing("applied force", name, force=force, torque=torque)
        return self._add(AppliedForce, name, body=body, force=force, torque=torque, at=at, axes=axes)

    @adds(JointForce)
    def joint_force(self, name: str, joint: str, force: Expression, coordinate: str | None = None) -> str:
        """Add a force (N) or torque (N m) along a joint coordinate: a number or an expression of t, q, v, measures."""
        return self._add(JointForce, name, joint=joint, force=force, coordinate=coordinate)

    @adds(Friction)
    def friction(
        self, name: str, joint: str, *, coordinate: str | None = None, viscous: Quantity = 0.0,
        coulomb: Quantity = 0.0, coefficient: float = 0.0, radius: Quantity | None = None, smoothing: Quantity = 1e-3,
    ) -> str:  # fmt: skip
        """Add friction to a joint: viscous (N s/m or N m s/rad), coulomb (N or N m), coefficient with the joint's load.

        `radius` (m): at which friction with a coefficient acts where the joint turns; `smoothing` (m/s or rad/s): the
        speed at which Coulomb friction has 76 % of its size.
        """
        _warn_of_nothing("friction", name, viscous=viscous, coulomb=coulomb, coefficient=coefficient)
        return self._add(
            Friction, name, joint=joint, coordinate=coordinate, viscous=viscous, coulomb=coulomb,
            coefficient=coefficient, radius=radius, smoothing=smoothing,
        )  # fmt: skip

    @adds(Stop)
    def stop(
        self, name: str, joint: str, *, stiffness: Quantity, lower: Quantity | None = None,
        upper: Quantity | None = None, exponent: float = 1.5, damping: Quantity = 0.0, coordinate: str | None = None,
    ) -> str:  # fmt: skip
        """Add stops at the ends of a joint's travel, `lower` and `upper` (rad or m): stiffness (N/m^n or N m/rad^n),
        exponent n, damping (s/m or s/rad).
        """
        return self._add(
            Stop, name, joint=joint, coordinate=coordinate, lower=lower, upper=upper, stiffness=stiffness,
            exponent=exponent, damping=damping,
        )  # fmt: skip

    @adds(Motor)
    def motor(
        self, name: str, joint: str, curve: str, *, throttle: Expression = 1.0, coordinate: str | None = None
    ) -> str:
        """Add a motor: the torque of table `curve` (N m over rad/s, N over m/s) at its speed, times throttle."""
        return self._add(Motor, name, joint=joint, curve=curve, throttle=throttle, coordinate=coordinate)

    @adds(Controller)
    def controller(
        self, name: str, joint: str, target: Expression, *, target_rate: Expression = 0.0, p: Quantity = 0.0,
        i: Quantity = 0.0, d: Quantity = 0.0, limit: Quantity | None = None, coordinate: str | None = None,
    ) -> str:  # fmt: skip
        """Add a PID-controlled actuator that moves a joint coordinate to a target (rad or m).

        p (N/m or N m/rad), i (the same per s), d (the same times s), greatest force `limit` (N or N m); `target_rate`
        (rad/s or m/s) for the d part.
        """
        _warn_of_nothing("controller", name, p=p, i=i, d=d)
        return self._add(
            Controller, name, joint=joint, coordinate=coordinate, target=target, target_rate=target_rate, p=p, i=i, d=d,
            limit=limit,
        )  # fmt: skip

    @adds(Bushing)
    def bushing(
        self, name: str, a: str, b: str, *, stiffness: SixBySix, damping: SixBySix | None = None,
        preload: Sequence[Quantity] | None = None, at: Point | None = None,
        orientation: Orientation | None = None, frames: Sequence[str] | None = None,
    ) -> str:  # fmt: skip
        """Add a bushing `at` a point (m, world), or between `frames`: 6 x 6 stiffness (N/m, N m/rad), damping (N s/m,
        N m s/rad), preload (N, N m); six numbers are a diagonal; in the axes of the frame on a.
        """
        return self._add(
            Bushing, name, between=(a, b), at=at, orientation=orientation, frames=frames, stiffness=stiffness,
            damping=damping, preload=preload,
        )  # fmt: skip

    @adds(Beam)
    def beam(
        self, name: str, a: str, b: str, *, modulus: Quantity, shear_modulus: Quantity, area: Quantity, Iy: Quantity,
        Iz: Quantity, J: Quantity, points: Sequence[Point] | None = None, frames: Sequence[str] | None = None,
        length: Quantity | None = None, ky: float | None = None, kz: float | None = None, damping: Quantity = 0.0,
        second_axis: Direction | None = None,
    ) -> str:  # fmt: skip
        """Add an elastic beam between points (m, world) or `frames` (with x along it, and `length` in m).

        modulus, shear_modulus (Pa), area (m2), Iy, Iz, J (m4); ky, kz: shear area / area; damping (s, times the
        stiffness); `second_axis`: the section's y, world.
        """
        return self._add(
            Beam, name, between=(a, b), points=points, frames=frames, length=length, modulus=modulus,
            shear_modulus=shear_modulus, area=area, Iy=Iy, Iz=Iz, J=J, ky=ky, kz=kz, damping=damping,
            second_axis=second_axis,
        )  # fmt: skip

    @adds(PythonForce)
    def python_force(
        self, name: str, function: Callable[..., object], inputs: Sequence[Expression] = (), *, body: str | None = None,
        at: Point = (0.0, 0.0, 0.0), against: str = "ground", axes: Axes = "world", joint: str | None = None,
        coordinate: str | None = None,
    ) -> str:  # fmt: skip
        """Add a force by a Python function(t, x), x being the values of the expressions in `inputs`.

        On `body` at `at` (m, body frame; the reverse on `against`) it returns force (N), or force and torque (N, N m);
        along a coordinate of `joint` one number.  Slower than an expression, and not kept in files.
        """
        return self._add(
            PythonForce, name, function=function, inputs=tuple(inputs), body=body, at=at, against=against, axes=axes,
            joint=joint, coordinate=coordinate,
        )  # fmt: skip


def _warn_of_nothing(kind: str, name: str, **laws: object) -> None:
    """Warn of a force none of whose laws is given."""
    if not any(np.any(np.asarray(value, object) != 0.0) for value in laws.values() if value is not None):
        which = ", ".join(list(laws)[:-1]) + f" or {list(laws)[-1]}"
        warnings.warn(f"{kind} '{name}' does nothing; give {which}", ModelWarning, stacklevel=stack_level())
