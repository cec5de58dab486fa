"""Why a run could not go on, in a sentence: what, when, at which joint, and what to do.

A dead centre is recognized by the rows of the constraints at the last good position: where they are all but dependent,
the combination that vanishes (the left singular vector) names the joints that are in line, and the driver that pushes
against them.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.forces.callbacks import failed
from linkwork.elements.forces.friction import FRICTIONS, Friction
from linkwork.errors import DeadCentreError, NumericalError
from linkwork.formulations.equations import Equations
from linkwork.methods.normal_step import natural_rows
from linkwork.numerics.status import LEVEL_POSITION, Status

IN_LINE = 0.1  # smallest singular value of the rows, each of natural size, at a dead centre
SHARE = 0.02  # of the vanishing combination: the least part of a joint that is named
DRIVES = 1e-5  # and of a driver
REMEDY = "try a smaller rtol, a smaller hmax, or run `check` on the model"


def failure_of(
    status: Status, t: float, h: float, equations: Equations, y: np.ndarray, angles: np.ndarray
) -> NumericalError:
    """The error for a run that ended with `status`; `equations` as the last trial left them, y the last good state."""
    broken = failed(equations.compiled.callbacks)
    if broken is not None:
        return NumericalError(
            f"{broken.message()}; fix the function; results until t = {t:.6g} s are kept", element=broken.name, t=t
        )
    where, element = _most_violated(equations)
    if status in (Status.STEP_TOO_SMALL, Status.NEWTON_STALLED, Status.NOT_FINITE):
        stuck = _dead_centre(t, equations, y, angles)
        if stuck is not None:
            return stuck
    remedy = REMEDY
    if status == Status.JAMMED:
        frictions = equations.compiled.table(FRICTIONS)
        assert frictions is not None
        worst = frictions.owners[int(equations.work.load_rounds[0]["worst"])]
        element = next(f.joint for f in equations.compiled.mechanism.of(Friction) if f.name == worst)
        remedy = "give its friction a smaller coefficient or radius"
    what = {
        Status.STEP_TOO_SMALL: f"the step size collapsed to {h:.3g} s{where}",
        Status.NEWTON_STALLED: f"Newton's method did not converge{where}",
        Status.NOT_FINITE: f"a value is not finite{where}",
        Status.JAMMED: f"joint '{element}' jams: its friction and the load that makes it do not agree",
        Status.MASS_SINGULAR: "a motion has no inertia, or more loops are singular than can be solved densely",
    }.get(status, f"the loop ended with status {status.name}")
    return NumericalError(
        f"at t = {t:.6g} s {what}; {remedy}; results until then are kept", element=element, t=t, remedy=remedy
    )


def _most_violated(equations: Equations) -> tuple[str, str | None]:
    """The constraint that is violated most, for a message."""
    Phi = np.nan_to_num(np.abs(equations.work.Phi), nan=np.inf)
    if not len(Phi):
        return "", None
    row = int(np.argmax(Phi))
    name = equations.compiled.layout.rows[row]
    return f" ('{name.element}', {name.equation}, is off by {Phi[row]:.3g})", name.element


def _dead_centre(t: float, equations: Equations, y: np.ndarray, angles: np.ndarray) -> DeadCentreError | None:
    """The mechanism cannot go on from y because rows of its constraints are in line there."""
    system, names = equations.system, equations.compiled.layout.rows
    rows = np.zeros((len(system.rows), len(system.dofs)))
    if not len(rows) or not np.all(np.isfinite(y)):
        return None
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    natural_rows(equations.system_ref, equations.work_ref, rows)
    active = np.sort(system.active["row"])
    left, sizes, _ = np.linalg.svd(rows[active], full_matrices=False)
    if sizes[-1] > IN_LINE:
        return None
    shares: dict[str, float] = {}
    for part, row in zip(left[:, -1] ** 2, active, strict=True):
        shares[names[row].element] = shares.get(names[row].element, 0.0) + float(part)
    drivers = [d.name for d in equations.compiled.mechanism.driver if shares.get(d.name, 0.0) > DRIVES]
    in_line = [
        name for name in sorted(shares, key=lambda n: -shares[n]) if shares[name] > SHARE and name not in drivers
    ]
    joints = ", ".join(f"'{name}'" for name in in_line)
    if drivers:
        remedy = "keep the driver's motion within reach, drive another joint, or end the run before"
        what = f"driver '{drivers[0]}' requires a motion that the joints ({joints}) do not allow beyond this position"
    else:
        remedy = "change lengths or loads so that it does not meet that position, or end the run before"
        what = f"the joints ({joints}) are in line, and the loads let it neither pass nor return"
    return DeadCentreError(
        f"at t = {t:.6g} s the mechanism stops at a dead centre: {what}; {remedy}; results until then are kept",
        element=(drivers or in_line)[0], t=t, remedy=remedy,
    )  # fmt: skip
