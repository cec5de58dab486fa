"""Why a run could not go on, in a sentence: what, when, at which joint, and what to do.

A dead centre is recognized by the rows of the constraints at the last good position: where they are all but dependent,
the combination that vanishes (the left singular vector) names the joints that are in line, and the driver that pushes
against them.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.certificate.singular.weak_direction import load_along, weak_direction
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import row_sizes, row_unit, state_scales
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.declaration.changes import Change
from linkwork.elements.forces.callbacks import failed
from linkwork.elements.forces.friction import FRICTIONS, Friction
from linkwork.elements.signals.signals import PROGRAM, SIGNAL_FAMILY
from linkwork.errors import DeadCentreError, Entry, NumericalError
from linkwork.expressions.kernels import opcodes
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import Status
from linkwork.system.compile import Compiled
from linkwork.system.layout import Expression

IN_LINE = 0.1  # smallest singular value of the rows, each of natural size, at a dead centre
WANTED = 1e-3  # of the largest rate that drivers require: the part along the vanishing combination
ENTRIES = {
    Status.STEP_TOO_SMALL: Entry.STEP_COLLAPSED, Status.NEWTON_STALLED: Entry.NO_CONVERGENCE,
    Status.NOT_FINITE: Entry.NOT_FINITE, Status.JAMMED: Entry.JAM, Status.MASS_SINGULAR: Entry.NO_INERTIA,
    Status.FILLED_IN: Entry.TOO_MUCH,
}  # fmt: skip
BESIDE = 0.05  # rad, or of the mechanism's size, from the start
MET = 1e-12  # of the size of an equation: it is not what stops a run
LARGE = 1e12  # SI units: no force, torque or length of a machine
LOADED = 1e-6  # of the largest load: the part along the motion that is not prevented
REMEDY = "try a smaller {}, or run `check` on the model"


def failure_of(
    status: Status, t: float, h: float, equations: Equations, y: np.ndarray, angles: np.ndarray, adaptive: bool = True
) -> NumericalError:
    """The error for a run that ended with `status`; `equations` as the last trial left them, y the last good state."""
    broken = failed(equations.compiled.callbacks)
    if broken is not None:
        return broken.error(f"; results until t = {t:.6g} s are kept")
    if status == Status.MASS_SINGULAR and not _finite_masses(equations):
        status = Status.NOT_FINITE
    where, element = _most_violated(equations)
    if status in (Status.STEP_TOO_SMALL, Status.NEWTON_STALLED, Status.NOT_FINITE):
        stuck = _dead_centre(t, equations, y, angles)
        if stuck is not None:
            return stuck
    remedy = REMEDY.format("rtol or hmax" if adaptive else "step")
    undefined = _undefined(equations) if status == Status.NOT_FINITE else None
    if status == Status.NOT_FINITE and not where:
        where = _fastest(equations, y)
    if undefined is not None:
        element = undefined.owner.split("'")[1] if "'" in undefined.owner else None
        remedy = "keep its argument within its domain, as by max(x, 0) or clip(x, low, high)"
        where = f": '{undefined.text}' of {undefined.owner} has no value there"
    if status == Status.NOT_FINITE and undefined is None:
        for callback in equations.compiled.callbacks:
            if callback.undefined is not None:
                element, remedy = callback.name, "fix the function"
                where = f": python force '{element}' returned no finite number at t = {callback.undefined:.6g} s"
    if status == Status.STEP_TOO_SMALL and (large := _largest(equations)) is not None:
        where += f"; '{large.text}' of {large.owner} has grown beyond {LARGE:g}"
    if status == Status.JAMMED:
        frictions = equations.compiled.table(FRICTIONS)
        assert frictions is not None
        worst = frictions.owners[int(equations.work.load_rounds[0]["worst"])]
        element = next(f.joint for f in equations.compiled.mechanism.of(Friction) if f.name == worst)
        remedy = "give its friction a smaller coefficient or radius"
    if status == Status.FILLED_IN:
        element, remedy = None, "use method 'qr' or 'auto'"
    what = {
        Status.STEP_TOO_SMALL: f"the step size collapsed to {h:.3g} s{where}",
        Status.NEWTON_STALLED: f"Newton's method did not converge{where}",
        Status.NOT_FINITE: f"a value is not finite{where}",
        Status.JAMMED: f"joint '{element}' jams: its friction and the load that makes it do not agree",
        Status.MASS_SINGULAR: "the mass matrix is not positive definite to rounding",
        Status.FILLED_IN: "the dependent coordinates of LU depend on too many others for sparse factors",
    }.get(status, f"the loop ended with status {status.name}")
    return NumericalError(
        f"at t = {t:.6g} s {what}; {remedy}; results until then are kept", element=element, t=t, remedy=remedy,
        entry=ENTRIES.get(status),
    )  # fmt: skip


def _finite_masses(equations: Equations) -> bool:
    """Whether places of bodies and masses of motions were finite in the last trial: else it went beyond all bounds."""
    work = equations.work
    return all(bool(np.isfinite(array).all()) for array in (work.R, work.p, work.inertia, work.M))


def _fastest(equations: Equations, y: np.ndarray) -> str:
    """The fastest motion of the last good state, for a message."""
    layout = equations.compiled.layout
    v = np.abs(y[layout.q_count :][: layout.v_count])
    if not len(v):
        return ""
    return f" (the fastest motion before, '{layout.v_names[int(np.argmax(v))]}', is {v.max():.3g} in SI units)"


def _undefined(equations: Equations) -> Expression | None:
    """The expression which has no finite value where the last trial was, of numbers that are finite."""
    compiled, work = equations.compiled, equations.work
    ops, signals = compiled.system.ops, np.real(work.signals)
    values = [(r["first_op"], r["op_count"], signals[r["place"]]) for r in compiled.records(SIGNAL_FAMILY)
              if r["what"] == PROGRAM]  # fmt: skip
    rows = compiled.system.rows
    values += [(row["first_op"], row["op_count"], np.real(work.Phi[i] + work.nu[i] + work.motion[i]))
               for i, row in enumerate(rows) if row["op_count"] > 0]  # fmt: skip
    for first, count, value in values:
        given, used = compiled.layout.expressions.get(int(first)), ops[first : first + count]
        of = used["value"][used["code"] == opcodes.SIGNAL].astype(int)
        if given is not None and not np.isfinite(value) and np.isfinite(signals[of]).all():
            return given
    return None


def _largest(equations: Equations) -> Expression | None:
    """The expression whose value has grown out of all proportion where the last trial was."""
    compiled, signals = equations.compiled, np.abs(np.real(equations.work.signals))
    values = [(signals[r["place"]], int(r["first_op"])) for r in compiled.records(SIGNAL_FAMILY)
              if r["what"] == PROGRAM]  # fmt: skip
    size, first = max(values, default=(0.0, -1))
    return compiled.layout.expressions.get(first) if size > LARGE else None


def driver_apart(compiled: Compiled, change: Change, occurrence: np.void) -> NumericalError:
    """A driver by position begins where its coordinate is not; the occurrence has by how much it is off."""
    row = compiled.layout.driver_rows[change.driver or ""]
    unit = "rad" if compiled.system.rows[row]["kind"] == ANGLE else "m"
    t, off = float(occurrence["t"]), abs(float(occurrence["energy"]))
    remedy = "begin its motion where the coordinate is then, hold it there, or drive its velocity"
    return NumericalError(
        f"driver '{change.driver}' begins at t = {t:.6g} s, {off:.3g} {unit} from where its coordinate is then, and "
        f"positions do not jump; {remedy}",
        element=change.driver, t=t, remedy=remedy, entry=Entry.DRIVER_APART,
    )  # fmt: skip


def _most_violated(equations: Equations) -> tuple[str, str | None]:
    """The constraint that is violated most, for a message; none where all are met to rounding."""
    Phi = np.nan_to_num(np.abs(equations.work.Phi), nan=np.inf)
    sizes = row_sizes(equations.compiled)
    if not np.any(Phi > MET * sizes):
        return "", None
    row = int(np.argmax(Phi / sizes))
    name = equations.compiled.layout.rows[row]
    off = f"{Phi[row]:.3g} {row_unit(equations.compiled, row)}"
    return f" ('{name.element}', {name.equation}, is off by {off})", name.element


def _dead_centre(t: float, equations: Equations, y: np.ndarray, angles: np.ndarray) -> DeadCentreError | None:
    """The run cannot go on from y, where rows of its constraints are in line."""
    weak = weak_direction(equations, t, y, angles)
    if weak is None or weak.size > IN_LINE or not (weak.elements or weak.drivers):
        return None
    joints = ", ".join(f"'{name}'" for name in weak.elements)
    named = f" ({joints})" if joints else ""
    wanted = abs(float(weak.combination @ equations.work.nu))
    if weak.drivers and wanted > WANTED * float(np.abs(equations.work.nu).max(initial=0.0)):
        remedy = "keep the driver's motion within reach, drive another joint, or end the run before"
        what = f"driver '{weak.drivers[0]}' requires a motion that the joints{named} do not allow beyond this position"
    else:
        remedy = "change lengths or loads so that it does not meet that position, or end the run before"
        what = f"the joints{named} are in line, and no step leads on from there"
        if load_along(equations, t, y, angles, weak.motion) > LOADED:
            what += f"; the loads press across, on {weak.in_words}, where nothing can hold them"
    return DeadCentreError(
        f"at t = {t:.6g} s the mechanism stops at a dead centre: {what}; {remedy}; results until then are kept",
        element=(weak.drivers or weak.elements)[0], t=t, remedy=remedy,
    )  # fmt: skip


def undecided(start: Start, stopped: NumericalError, y: np.ndarray) -> NumericalError:
    """The error itself, or the reason for a dead centre right beside a start in which branches cross.

    From rest each of them solves the equations of motion: to first order all are allowed at once, and the loads lead
    between them, where the loops do not close.
    """
    q = slice(0, start.compiled.layout.q_count)
    moved = np.abs((y - start.y)[q] / state_scales(start.compiled)[q]).max(initial=0.0)
    if not isinstance(stopped, DeadCentreError) or start.start_rank == start.rank or moved > BESIDE:
        return stopped
    remedy = "begin a little beside, on the branch that is meant, or with a velocity along it"
    return DeadCentreError(
        f"the start is a singular position, where branches of the motion cross ({start.start_rank} of {start.rank} "
        f"constraint equations are independent there), and the loads do not decide for one: at t = {stopped.t:.6g} s "
        f"no step leads on; {remedy}",
        element=stopped.element, t=stopped.t, remedy=remedy, entry=Entry.SINGULAR_START,
    )  # fmt: skip


def immobile(start: Start) -> NumericalError | None:
    """The error for a mechanism that cannot move from its start, and whose only position cannot bear its loads: its
    joints are in line there, so that loads across need infinite forces.
    """
    compiled = start.compiled
    if not start.stuck:
        return None
    equations = Equations(compiled)
    weak = weak_direction(equations, 0.0, start.y, start.angles)
    if weak is None or load_along(equations, 0.0, start.y, start.angles, weak.motion) < LOADED:
        return None
    joints = ", ".join(f"'{name}'" for name in weak.elements)
    remedy = "change lengths so that it is a truss, or give it a degree of freedom or a flexible body"
    return NumericalError(
        f"the mechanism cannot move, 0 degrees of freedom, and its joints are in line (equations of {joints}): the "
        f"loads press across, on {weak.in_words}, which only infinite forces could bear; {remedy}",
        element=weak.elements[0], t=0.0, remedy=remedy, entry=Entry.IN_LINE,
    )  # fmt: skip
