"""Model: a Mechanism with verbs, the first of the two things that a user touches (the other: run.py)."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter

from linkwork.analyses.diagnosis import Account, account
from linkwork.analyses.loads.loads import Place
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.elements.bodies.flexibility import BeamFlexibility
from linkwork.elements.bodies.lumped_beam import LumpedBeam
from linkwork.elements.declaration.base import Axis, Element
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.declaration.shapes import Shape
from linkwork.elements.joints.registry import floating_kind
from linkwork.errors import FileError, LinkworkError, NumericalError, OptionError, nearest
from linkwork.files.model_files import read_mechanism
from linkwork.files.settings import changed, setting_unit
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import ELEMENT_KINDS, GROUND, Mechanism, checked
from linkwork.results.result import Result
from linkwork.results.storage import Writer
from linkwork.run import JointLoads, Run
from linkwork.view.progress import compiling, counter, progress_bar

if TYPE_CHECKING:
    from linkwork.analyses.comparison import Comparison, compare
    from linkwork.analyses.kinematics.kinematics import InputSweep, at_times, kinematics, over_input
    from linkwork.analyses.kinematics.linkage import path
    from linkwork.analyses.single_state import Calls
    from linkwork.analyses.steady.equilibrium import Equilibrium, equilibrium
    from linkwork.analyses.steady.trim import Trim, trim
    from linkwork.analyses.vehicles.ride import RideMode, ride_modes
    from linkwork.analyses.vehicles.suspension import CornerSweep, corner_sweep
    from linkwork.analyses.vibration.frequency_response import FrequencyResponse, frequency_response, unbalance_response
    from linkwork.analyses.vibration.linearization import Linearization, linearize
    from linkwork.analyses.vibration.sweeps import Sweep, sweep
    from linkwork.files.writing import write_mechanism
    from linkwork.studies.variants import Study, run_study
    from linkwork.view.report.summaries import model_card
else:  # what a run does not need loads when it is used
    (Calls,) = lazy_functions("linkwork.analyses.single_state", "Calls")
    (compare,) = lazy_functions("linkwork.analyses.comparison", "compare")
    (equilibrium,) = lazy_functions("linkwork.analyses.steady.equilibrium", "equilibrium")
    frequency_response, unbalance_response = lazy_functions(
        "linkwork.analyses.vibration.frequency_response", "frequency_response", "unbalance_response"
    )
    at_times, kinematics, over_input = lazy_functions(
        "linkwork.analyses.kinematics.kinematics", "at_times", "kinematics", "over_input"
    )
    (linearize,) = lazy_functions("linkwork.analyses.vibration.linearization", "linearize")
    (path,) = lazy_functions("linkwork.analyses.kinematics.linkage", "path")
    (ride_modes,) = lazy_functions("linkwork.analyses.vehicles.ride", "ride_modes")
    (corner_sweep,) = lazy_functions("linkwork.analyses.vehicles.suspension", "corner_sweep")
    (sweep,) = lazy_functions("linkwork.analyses.vibration.sweeps", "sweep")
    (trim,) = lazy_functions("linkwork.analyses.steady.trim", "trim")
    (write_mechanism,) = lazy_functions("linkwork.files.writing", "write_mechanism")
    (run_study,) = lazy_functions("linkwork.studies.variants", "run_study")
    (model_card,) = lazy_functions("linkwork.view.report.summaries", "model_card")

Vector = Sequence[float] | np.ndarray
AxisLike = str | Vector


def beam(*, length: float, **more: Any) -> BeamFlexibility:
    """A flexible beam (m) along x of its body, for `Model.body(..., flexible=beam(...))`; nodes are "1", "2", ...

    Section: `width=` and `height=`, `radius=` (and `inner_radius=`), or `area=`, `Iy=`, `Iz=`, `J=`.  `material=` by
    name, or `modulus=` (Pa) and `density=` (kg/m3).  `elements=`, `modes=` (how many, or which), `supports=` that shape
    them ({node: "clamped" | "pinned" | "roller" | "guided"}) or `interfaces=` (nodes, Craig-Bampton), `damping=`
    (ratio), `stiffening=`, `plane=`, `theory=`, `start=` (x of node 1).
    """
    return checked(lambda: BeamFlexibility.model_validate({"length": length, **more}), "beam")


class Model:
    """A mechanism under construction, with the analyses as its verbs.  SI units, radians.

    Examples:
        >>> m = Model("pendulum", gravity=(0, 0, -9.81))
        >>> bar = m.body("bar", rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
        >>> m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
    """

    ground = GROUND

    def __init__(
        self, name: str = "mechanism", *, gravity: Vector, plane: str | None = None, duration: float | None = None,
        from_equilibrium: bool = False,
    ) -> None:  # fmt: skip
        self._head: dict[str, Any] = {
            "name": name, "gravity": gravity, "plane": plane, "duration": duration, "from_equilibrium": from_equilibrium
        }  # fmt: skip
        self._elements: dict[str, list[Element]] = {kind: [] for kind in ELEMENT_KINDS}
        self._mechanism: Mechanism | None = None

    @classmethod
    def of(cls, mechanism: Mechanism) -> Model:
        """A model with the elements of a mechanism, to be run or added to."""
        model = cls(mechanism.name, gravity=mechanism.gravity, plane=mechanism.plane, duration=mechanism.duration,
                    from_equilibrium=mechanism.from_equilibrium)  # fmt: skip
        model._elements = {kind: list(getattr(mechanism, kind)) for kind in ELEMENT_KINDS}
        return model

    @classmethod
    def read(cls, path: str | Path, settings: Mapping[str, Any] | None = None) -> Model:
        """The model of a file (.toml, .yaml, .json); `settings` give parameters, or fields as in `with_settings`."""
        return cls.of(read_mechanism(Path(path), settings))

    def with_settings(self, settings: Mapping[str, Any]) -> Model:
        """A copy with fields of elements changed: {"crank.mass": 2.0, "crank.length": "10 in", "pin.at.0": 0.1}."""
        return Model.of(changed(self.mechanism, settings))

    def save(self, path: str | Path) -> None:
        """Write the model to a file that can be edited and read back: .toml, .yaml or .json."""
        write_mechanism(self.mechanism, Path(path))

    # -- elements -----------------------------------------------------------------------------------------------
    def body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        at: Vector = (0.0, 0.0, 0.0),
        angle: float | None = None,
        axis: AxisLike = "z",
        **more: Any,
    ) -> str:
        """Add a body: a shape (rod, box, cylinder, sphere), or `mass=` (kg), `inertia=` (kg m2) and `com=` (m).

        `flexible=`: a body that bends, of a `beam(...)`, or from a mesh (`solid_body`) or arrays (`body_from_arrays`),
        with `modal_start=` and `modal_rates=` at the start.

        `at` (m) and `orientation` (Euler parameters), or `angle` (rad) about `axis`, say where its frame is at the
        start; `velocity` (m/s) and `angular_velocity` (rad/s) how it moves.  Returns the name, for joints and forces.
        """
        if angle is not None:
            more["orientation"] = {"angle": angle, "axis": axis}
        return self._add("body", name, shape=shape, at=at, **more)

    def frame(self, name: str, body: str, *, at: Vector = (0.0, 0.0, 0.0), **more: Any) -> str:
        """Add a named frame on a body; `at` (m) and `orientation` in body axes."""
        return self._add("frame", name, body=body, at=at, **more)

    def joint(self, kind: str, name: str, a: str, b: str, **more: Any) -> str:
        """Add a joint of any kind between bodies a and b, by `at=` (m) and `axis=` in the world, or by `frames=`.

        `start=` and `rate=` give its coordinate (rad or m) and velocity at the start; `cut=True` opens a loop here.
        """
        return self._add("joint", name, kind=kind, between=(a, b), **more)

    def revolute(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a revolute joint: rotation about `axis=` through `at=` (m), or by `frames=`."""
        return self.joint("revolute", name, a, b, **more)

    def prismatic(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a prismatic joint: sliding along `axis=`, placed `at=` (m), or by `frames=`."""
        return self.joint("prismatic", name, a, b, **more)

    def spherical(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a spherical joint `at=` a point (m), or by `frames=`."""
        return self.joint("spherical", name, a, b, **more)

    def fixed(self, name: str, a: str, b: str, **more: Any) -> str:
        """Weld two bodies, as they are (`at=` only says where the reaction is counted), or by `frames=`."""
        place = {} if "frames" in more or "at" in more else {"at": (0.0, 0.0, 0.0)}
        return self.joint("fixed", name, a, b, **place, **more)

    def free(self, name: str, a: str, b: str, **more: Any) -> str:
        """Say that b moves freely against a (as it does without any joint), with a name for its coordinates."""
        return self.joint("free", name, a, b, **more)

    def driver(
        self, name: str, joint: str | None = None, motion: str | float | None = None, coordinate: str | None = None,
        **more: Any,
    ) -> str:  # fmt: skip
        """Make a joint coordinate follow an expression of t: `motion` (rad or m), or `velocity=`, or `acceleration=`.

        `body=` or `distance=` instead of a joint; `since=` and `until=` (s) say when it acts.
        """
        return self._add("driver", name, joint=joint, motion=motion, coordinate=coordinate, **more)

    def lock(self, name: str, joint: str, coordinate: str | None = None, **more: Any) -> str:
        """Hold a joint coordinate where it is at the start (or `since=` s, `until=` s); a driver whose force is the
        holding force.
        """
        return self._add("driver", name, joint=joint, coordinate=coordinate, hold=True, **more)

    def spring_damper(self, name: str, a: str, b: str, *, points: Sequence[Vector], **more: Any) -> str:
        """Add a spring-damper between two points (m, world): stiffness (N/m), damping (N s/m), free_length (m)."""
        return self._add("spring_damper", name, between=(a, b), points=points, **more)

    def torsional_spring_damper(self, name: str, joint: str, **more: Any) -> str:
        """Add a spring-damper on a revolute joint: stiffness (N m/rad), damping (N m s/rad), free_angle (rad)."""
        return self._add("torsional_spring_damper", name, joint=joint, **more)

    def applied_force(self, name: str, body: str, **more: Any) -> str:
        """Add a force (N) at a point of a body and a torque (N m); numbers or expressions of t, world or body axes."""
        return self._add("applied_force", name, body=body, **more)

    def cylindrical(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a cylindrical joint: rotation about and sliding along `axis=` through `at=` (m), or by `frames=`."""
        return self.joint("cylindrical", name, a, b, **more)

    def screw(self, name: str, a: str, b: str, *, pitch: float, **more: Any) -> str:
        """Add a screw: rotation about `axis=` through `at=` (m) with an advance of `pitch` (m) a turn."""
        return self.joint("screw", name, a, b, pitch=pitch, **more)

    def universal(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a universal joint `at=` a point (m): a cross with a pin along `axis=` on a, `second_axis=` on b."""
        return self.joint("universal", name, a, b, **more)

    def constant_velocity(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a constant-velocity joint `at=` a point (m) between shafts along `axis=` and `second_axis=`."""
        return self.joint("constant-velocity", name, a, b, **more)

    def planar(self, name: str, a: str, b: str, **more: Any) -> str:
        """Add a planar joint: sliding across `axis=` in both directions and rotation about it."""
        return self.joint("planar", name, a, b, **more)

    def distance(self, name: str, a: str, b: str, *, points: Sequence[Vector], **more: Any) -> str:
        """Keep two points (m, world) of two bodies at their distance, or at `length=` (m): a massless link."""
        return self._add("distance", name, between=(a, b), points=points, **more)

    def constraint(self, kind: str, name: str, a: str, b: str, **more: Any) -> str:
        """Add a constraint: point-on-line, point-in-plane, parallel-axes, perpendicular-axes, constant-angle."""
        return self._add("constraint", name, kind=kind, between=(a, b), **more)

    def coupler(self, name: str, joints: Sequence[str], factors: Sequence[float], constant: float | None = None) -> str:
        """Tie joint coordinates: sum of factor * coordinate = constant (default: as it is at the start)."""
        return self._add("coupler", name, joints=tuple(joints), factors=tuple(factors), constant=constant)

    def gear(self, name: str, first: str, second: str, ratio: float) -> str:
        """Add a pair of gears: joint `second` turns `ratio` times as far as joint `first`."""
        return self._add("gear", name, joints=(first, second), ratio=ratio)

    def rack_and_pinion(self, name: str, pinion: str, rack: str, radius: float) -> str:
        """Add a rack: joint `rack` slides radius (m) times the angle of joint `pinion`."""
        return self._add("rack_and_pinion", name, pinion=pinion, rack=rack, radius=radius)

    def rolling_disc(self, name: str, body: str, **more: Any) -> str:
        """Let a disc of `radius=` (m) with `axis=` (body axes) roll without slipping on a plane of ground."""
        return self._add("rolling_disc", name, body=body, **more)

    def joint_force(self, name: str, joint: str, force: str | float, coordinate: str | None = None) -> str:
        """Add a force (N) or torque (N m) along a joint coordinate: a number or an expression of t, q, v, measures."""
        return self._add("joint_force", name, joint=joint, force=force, coordinate=coordinate)

    def friction(self, name: str, joint: str, **more: Any) -> str:
        """Add friction to a joint: viscous=, coulomb=, coefficient= with radius=, smoothing=."""
        return self._add("friction", name, joint=joint, **more)

    def stop(self, name: str, joint: str, **more: Any) -> str:
        """Add stops at the ends of a joint's travel: lower=, upper= (rad or m), stiffness=, exponent=, damping=."""
        return self._add("stop", name, joint=joint, **more)

    def motor(self, name: str, joint: str, curve: str, **more: Any) -> str:
        """Add a motor: the torque of table `curve` at the joint's speed, times throttle=."""
        return self._add("motor", name, joint=joint, curve=curve, **more)

    def controller(self, name: str, joint: str, target: str | float, **more: Any) -> str:
        """Add a PID-controlled actuator that moves a joint coordinate to a target: p=, i=, d=, limit=."""
        return self._add("controller", name, joint=joint, target=target, **more)

    def bushing(self, name: str, a: str, b: str, *, stiffness: Any, **more: Any) -> str:
        """Add a bushing `at=` a point (m, world), or between `frames=`: 6 x 6 stiffness (N/m, N m/rad), damping=,
        preload= (N, N m); six numbers are a diagonal; in the axes of the frame on a.
        """
        return self._add("bushing", name, between=(a, b), stiffness=stiffness, **more)

    def beam(self, name: str, a: str, b: str, *, points: Sequence[Vector] | None = None, **more: Any) -> str:
        """Add an elastic beam between points (m, world) or `frames=`: modulus=, shear_modulus= (Pa), area= (m2), Iy=,
        Iz=, J= (m4); ky=, kz= for shear, damping= (s, times the stiffness), second_axis= the section's y.
        """
        return self._add("beam", name, between=(a, b), points=points, **more)

    def lumped_beam(
        self, name: str, start: Vector, end: Vector, *, segments: int, density: float,
        ends: tuple[str | None, str | None] = (None, None), **section: Any,
    ) -> list[str]:  # fmt: skip
        """Add a beam (m, world) as a chain of rigid segments with `segments` beam elements; section as in `beam`.

        `ends` names the bodies into which it is clamped; None leaves an end free.  Returns the names of its bodies.
        Joint coordinates are deflections: each segment moves against the one at a clamped end (or the first).
        """
        said = {"name": name, "start": start, "end": end, "segments": segments, "density": density, **section}
        beam = checked(lambda: LumpedBeam.model_validate(said), f"lumped beam '{name}'")
        for segment in beam.bodies():
            self._add("body", **segment)
        for element in beam.beams():
            self._add("beam", **element)
        names = beam.names()
        clamped = {node: held for node, held in zip((0, segments), ends, strict=True) if held is not None}
        for node, held in clamped.items():
            self.fixed(f"{name} {'end' if node else 'start'}", held, names[node], at=beam.nodes[node])
        first, plane = min(clamped, default=0), self._head["plane"]
        kind, axis = floating_kind(plane).name, {} if plane is None else {"axis": PLANES[plane]}
        for node in range(segments + 1):
            if node != first and node not in clamped:
                self.joint(kind, f"{name} deflection {node}", names[first], names[node], at=beam.nodes[node], **axis)
        return names

    def contact(self, name: str, body: str, *, stiffness: float, **more: Any) -> str:
        """Let a point, sphere or box (`shape=`) of a body touch a plane (`plane_at=`, `normal=`, `against=`):
        stiffness (N/m^n), exponent=, damping= (s/m), friction=, smoothing= (m/s).
        """
        return self._add("contact", name, body=body, stiffness=stiffness, **more)

    def road(self, name: str, *pieces: Mapping[str, Any]) -> str:
        """Add a road, the sum of pieces: {"kind": "half-round", "at": 20.0, "radius": 0.1}, "cosine", "step", "ramp",
        "sine", "slope", "iso-8608", "table" (elements/tyres/road.py); heights in m over x, "side": "left" or "right".
        """
        return self._add("road", name, pieces=tuple(dict(piece) for piece in pieces))

    def tyre(self, name: str, body: str, *, radius: float, **more: Any) -> str:
        """Put a tyre on a body, `at=` the wheel's centre (m, body frame), on `road=`: radius (m), stiffness= (N/m),
        damping= (N s/m), friction=, lateral_stiffness= (N/rad), curve= "linear", "fiala" or "magic-formula".
        `spin="body"`: the body turns with the wheel; else a wheel without mass rolls freely on it.
        """
        return self._add("tyre", name, body=body, radius=radius, **more)

    def python_force(self, name: str, function: Callable[..., Any], inputs: Sequence[str] = (), **more: Any) -> str:
        """Add a force by a Python function(t, x), x being the values of the expressions in `inputs`.

        On `body=` at `at=` (the reverse on `against=`): it returns force (N), or force and torque (N, N m); along
        `joint=`: one number.  Slower than an expression, and not kept in files.
        """
        return self._add("python_force", name, function=function, inputs=tuple(inputs), **more)

    def table(self, name: str, x: Sequence[float | str], y: Sequence[float | str], **more: Any) -> str:
        """Add a table of values y over x, for expressions: `table(NAME, x)`; SI numbers, or texts such as '10 deg'."""
        return self._add("table", name, x=list(x), y=list(y), **more)

    def measure(self, name: str, of: str | float, unit: str | None = None) -> str:
        """Name a number: an expression of positions, distances, coordinates, rates, forces, energies."""
        return self._add("measure", name, of=of, unit=unit)

    def event(self, name: str, when: str, action: str = "log", **more: Any) -> str:
        """When a condition becomes true: stop, lock or release a driver, an impulse on a body, or log it."""
        return self._add("event", name, when=when, action=action, **more)

    def impulse(self, name: str, body: str, t: float, **more: Any) -> str:
        """Strike a body at a time (s) with an impulse= (N s) and moment= (N m s), world axes, at= (m, body frame)."""
        return self._add("impulse", name, body=body, t=t, **more)

    def _add(self, element: str, /, name: str, **fields: Any) -> str:
        said = {"name": name} | {key: value for key, value in fields.items() if value is not None}
        what = f"{element.replace('_', ' ')} '{name}'"
        self._elements[element].append(checked(lambda: ELEMENT_KINDS[element].model_validate(said), what))
        self._mechanism = None
        return name

    @property
    def mechanism(self) -> Mechanism:
        """The model as plain, validated data."""
        if self._mechanism is None:
            head = {key: value for key, value in self._head.items() if value is not None}
            parts = {kind: tuple(elements) for kind, elements in self._elements.items()}
            self._mechanism = checked(lambda: Mechanism.model_validate(head | parts), f"model '{self._head['name']}'")
        return self._mechanism

    def __repr__(self) -> str:
        """Its name and how many elements it has of each kind."""
        counts = [f"{kind}: {len(elements)}" for kind, elements in self._elements.items() if elements]
        return f"<Model '{self._head['name']}', {', '.join(counts) or 'empty'}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return model_card(self.mechanism)

    # -- analyses -----------------------------------------------------------------------------------------------
    def simulate(
        self, until: float | None = None, *, out: str | Path | None = None, progress: bool | None = None, **options: Any
    ) -> Run:
        """Move the mechanism from its start until a time (s); see `Options` for what can be chosen.

        `out` writes the result to an HDF5 file while the run goes on.  Ctrl-C stops and keeps what was computed.
        """
        chosen, mechanism = self._options(until, options), self.mechanism
        with ExitStack() as stack:
            bar = stack.enter_context(progress_bar(mechanism.name, chosen.until, progress))
            file = stack.enter_context(Writer(out)) if out is not None else None
            try:
                return Run(simulate(mechanism, chosen, [r for r in (bar, file) if r is not None]))
            except NumericalError as failure:
                if isinstance(failure.partial, Result):
                    failure.partial = Run(failure.partial)
                raise

    def _options(self, until: float | None, options: dict[str, Any]) -> Options:
        """What was asked for, with the model's own duration as the end; unknown names are refused."""
        end = until if until is not None else self.mechanism.duration
        if end is None:
            raise OptionError("no end time; give until = ... (s)", element="until")
        known = Options.__dataclass_fields__
        for name in options:
            if name not in known:
                raise OptionError(f"there is no option '{name}'; {nearest(name, known)}", element=name)
        return Options(until=end, **options)

    def kinematics(
        self,
        times: Sequence[float] | np.ndarray | None = None,
        *,
        until: float | None = None,
        every: float | None = None,
        sweep: InputSweep | None = None,
        formulation: str = "auto",
    ) -> Run:
        """Positions, velocities and accelerations of a fully driven mechanism, without integration.

        At `times` (s), or from 0 `until` a time (s) with samples `every` so often; or over an input coordinate:
        `sweep={"crank.angle": (from, to, how many)}` (rad or m), which needs no driver of its own; then t is the input,
        and velocities are derivatives with respect to it.  A dead point ends the analysis, and is told.
        """
        if sweep is not None and (times is not None or until is not None or every is not None):
            raise OptionError("both times and a sweep; give one of the two", element="sweep")
        mechanism = self.mechanism
        task = at_times(mechanism, times, until, every) if sweep is None else over_input(mechanism, sweep)
        with compiling(None):
            try:
                return Run(kinematics(task, formulation))
            except NumericalError as failure:
                if isinstance(failure.partial, Result):
                    failure.partial = Run(failure.partial)
                raise

    def compare(
        self,
        until: float | None = None,
        *,
        methods: Sequence[str] | None = None,
        formulations: Sequence[str] | None = None,
        **options: Any,
    ) -> Comparison:
        """Every constraint method in every formulation on this model: status, effort, drift, violation, error."""
        with compiling(None):
            return compare(self.mechanism, self._options(until, options), methods, formulations)

    def study(
        self,
        vary: Mapping[str, Sequence[Any]],
        told: Sequence[str],
        until: float | None = None,
        *,
        jobs: int | None = 1,
        progress: bool | None = None,
        **options: Any,
    ) -> Study:
        """A run for every combination of varied fields, and some numbers of each; Ctrl-C keeps the runs made.

        `vary`: values by field as in `with_settings`, {"crank.length": [0.1, 0.2]}.  `told`: max, min, span, peak,
        mean, rms, start or end of a channel, "max(slider.velocity.x)".  `jobs`: processes (None: one a core, if worth
        it); with several a script needs an `if __name__ == "__main__"`.
        """
        mechanism = self.mechanism
        with counter(mechanism.name, "runs", progress) as tell:
            units = {name: setting_unit(mechanism, name) for name in vary}
            build = partial(changed, mechanism)
            return run_study(build, vary, told, options, until=until, jobs=jobs, tell=tell, units=units)

    def loads(
        self,
        joints: Sequence[str] | None = None,
        during: float | tuple[float, float] | None = None,
        *,
        on: str | None = None,
        at: Place = "joint",
        frame: str = "world",
        way: str = "auto",
        **options: Any,
    ) -> JointLoads:
        """Simulate, and give the reactions and driving forces of the chosen joints (default: all of them).

        `during`: an end time (s), or a span (from, to) of the run.  `on`, `at`, `frame`, `way` as in `Run.reaction`;
        further options as in `simulate`, with rtol = 1e-8 unless said.
        """
        span = during if isinstance(during, tuple) else None
        end = during[1] if isinstance(during, tuple) else during
        run = self.simulate(end, **{"rtol": 1e-8, **options})
        return run.loads(joints, on=on, at=at, frame=frame, way=way, during=span)

    def equilibrium(
        self,
        speeds: Mapping[str, float] | None = None,
        *,
        independent: Sequence[str] | None = None,
        formulation: str = "joint",
        t: float = 0.0,
    ) -> Equilibrium:
        """Where the mechanism stays: at rest, or with joint coordinates running at constant `speeds` (rad/s, m/s).

        Drivers and forces that depend on time are taken at `t` (s).  Says whether it is stable; a NumericalError names
        what remains unbalanced if there is none.
        """
        with compiling(None):
            return equilibrium(self.mechanism, speeds, independent=independent, formulation=formulation, t=t)

    def linearize(
        self,
        speeds: Mapping[str, float] | None = None,
        *,
        about: Equilibrium | str = "equilibrium",
        independent: Sequence[str] | None = None,
        formulation: str = "joint",
        t: float = 0.0,
    ) -> Linearization:
        """Small motions about the equilibrium (found from the start), about one at hand, or about="start".

        M, C, K in the independent coordinates (by name, or chosen); `.modes()`, `.state_space(inputs, outputs)`.
        """
        with compiling(None):
            return linearize(self.mechanism, speeds, about=about, independent=independent, formulation=formulation, t=t)

    def sweep(
        self,
        name: str,
        values: Sequence[float] | np.ndarray,
        speeds: Mapping[str, float] | None = None,
        *,
        independent: Sequence[str] | None = None,
        orders: Sequence[int] = (1,),
        progress: bool | None = None,
    ) -> Sweep:
        """Modes over the speed of a joint coordinate (rad/s, m/s): Campbell diagram, critical speeds, limits."""
        with counter(self.mechanism.name, "speeds", progress) as tell:
            return sweep(
                self.mechanism, name, values, speeds, independent=independent, orders=orders,
                model=self.mechanism.name, tell=tell,
            )  # fmt: skip

    def frequency_response(
        self,
        input: str,
        outputs: Sequence[str],
        omega: Sequence[float] | np.ndarray,
        speeds: Mapping[str, float] | None = None,
    ) -> FrequencyResponse:
        """Complex amplitudes of outputs per unit of an input (force component or driver) at `omega` (rad/s)."""
        return frequency_response(self.linearize(speeds), input, outputs, omega)

    def unbalance_response(
        self,
        speed: str,
        values: Sequence[float] | np.ndarray,
        body: str,
        unbalance: float,
        outputs: Sequence[str],
        *,
        axis: AxisLike = "z",
        speeds: Mapping[str, float] | None = None,
        progress: bool | None = None,
    ) -> FrequencyResponse:
        """Whirl over the running speed (rad/s) for an unbalance (kg m) on a body that turns about `axis`.

        `speeds`: other coordinates that run at constant speed, rad/s or m/s.
        """
        direction = checked(lambda: TypeAdapter(Axis).validate_python(axis), "unbalance: axis")
        with counter(self.mechanism.name, "speeds", progress) as tell:
            return unbalance_response(
                self.mechanism, speed, values, body, unbalance, outputs, axis=direction, speeds=speeds, tell=tell
            )

    def trim(self, pose: Mapping[str, float], adjust: Sequence[str], speeds: Mapping[str, float] | None = None) -> Trim:
        """Forces or driver values (`adjust`, by name) for which the joint coordinates `pose` (rad, m) are balanced."""
        with compiling(None):
            return trim(self.mechanism, pose, adjust, speeds)

    def corner_sweep(self, tyre: str, travel: Sequence[float] | np.ndarray) -> CornerSweep:
        """A wheel moved up and down (m) against the chassis: camber, toe, track change, motion ratios, wheel rate."""
        with compiling(None):
            return corner_sweep(self.mechanism, tyre, travel)

    def ride_modes(self, chassis: str, speeds: Mapping[str, float] | None = None) -> list[RideMode]:
        """Bounce, pitch, roll, wheel hop of a vehicle about its equilibrium: frequency without dampers, and damping."""
        return ride_modes(self.linearize(speeds), chassis)

    def assemble(self, formulation: str = "joint") -> Start:
        """The mechanism put together, with a consistent state at t = 0."""
        return assemble(self.mechanism, formulation)

    def check(self) -> Account:
        """The account of coordinates, equations, rank, freedoms and redundant equations."""
        with compiling(None):
            return account(self.mechanism)

    def calls(self) -> Calls:
        """Forward and inverse dynamics and mass matrix, one state a call."""
        with compiling(None):
            return Calls(self.assemble("joint"))


def model_from_python(path: Path) -> Model:
    """The model that a Python file makes: the one called `model`, or the only one there is."""
    if not path.is_file():
        raise FileError(f"there is no file '{path}'; check the path")
    try:
        made = runpy.run_path(str(path))
    except LinkworkError:
        raise
    except Exception as failure:
        raise FileError(f"'{path.name}' stopped with {type(failure).__name__}: {failure}; mend the file") from failure
    found = {name: value for name, value in made.items() if isinstance(value, Model)}
    if "model" in found:
        return found["model"]
    if len(found) != 1:
        raise FileError(f"'{path.name}' makes {len(found)} models; call the one to run `model`")
    return next(iter(found.values()))
