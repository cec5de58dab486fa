"""The contract of a run: what each stage takes, reads, fills and returns.  Whoever binds stages imports it from here.

A run is a loop that takes its stages as values: `evaluate` (formulations/equations.py), the method's `factor`, `solve`,
`correct`, `accept` (methods/), the integrator's `step` and `interpolate`.  A stage is compiled alone for its signature,
and a loop once for all stages.  Stages allocate nothing and raise nothing; a STATUS is OK or one of numerics/status.py.

What they share:

    system    the tables of the mechanism (system/tables.py); read only
    t, y      time (s) and state (q, v, s) in one vector
    angles    counted angles at the last accepted step, then their rates; rad, rad/s
    work      the workspace (formulations/workspace.py): what is evaluated, and what the method keeps from step to step
    memory    the integrator's own; nothing else of it outlives a step
    control   one record: times, step sizes, tolerances, counters (integrators/control.py)

Kernels of families have a signature of their own, elements/family.py.
"""

from __future__ import annotations

from linkwork.compiler.argument_types import (
    COMPLEX_VECTOR,
    COMPLEX_WORK,
    CUBE,
    MATRIX,
    REAL,
    STATUS,
    SYSTEM,
    VECTOR,
    VOID,
    WHOLE,
    WHOLE_MATRIX,
    WHOLES,
    WORK,
    ArgumentType,
    records,
    signature,
)
from linkwork.expressions.kernels.crossings import BREAK
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.changes import OCCURRENCE
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS
from linkwork.integrators.loop.locate import EVENT_LOCATION

# -- of the formulation -----------------------------------------------------------------------------------------------
EVALUATE = signature(
    VOID,
    """Fill `work` with the equations of motion at the state (t, y), up to `level` (numerics/status.py).""",
    system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR, work=WORK, level=WHOLE,
)  # fmt: skip

# -- of a method ------------------------------------------------------------------------------------------------------
FACTOR = signature(
    STATUS,
    """Factor the equations at the position evaluated last; the factors stay in `work`.""",
    system=SYSTEM, work=WORK,
)  # fmt: skip
SOLVE = signature(
    STATUS,
    """Do one of three tasks (numerics/status.py) with the equations evaluated last.  FACTOR them; ACCELERATE: leave
    v_dot, lam and dy/dt in `work`; MOVE: leave in `work.delta` a motion with Phi_v delta = c, c in `work.c`.
    """,
    factor=FACTOR.stage, system=SYSTEM, work=WORK, task=WHOLE,
)  # fmt: skip
CORRECT = signature(
    STATUS,
    """Bring y back onto Phi = 0 and Phi_v v = nu; leave that position evaluated and factored.""",
    evaluate=EVALUATE.stage, factor=FACTOR.stage, solve=SOLVE.stage, system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR,
    work=WORK,
)  # fmt: skip
ACCEPT = signature(
    VOID,
    """Look at the end (t, y) of an accepted step, evaluated and solved: choose another basis or other weights.""",
    factor=FACTOR.stage, system=SYSTEM, t=REAL, y=VECTOR, work=WORK, control=records(CONTROL),
)  # fmt: skip
_STAGES = {"evaluate": EVALUATE.stage, "factor": FACTOR.stage, "solve": SOLVE.stage, "correct": CORRECT.stage}

# -- of an integrator -------------------------------------------------------------------------------------------------
STEP = signature(
    STATUS,
    """Advance y and `control.t` by one accepted step, never beyond `control.t_stop`; leave its end corrected, evaluated
    and solved.
    """,
    **_STAGES, system=SYSTEM, y=VECTOR, angles=VECTOR, work=WORK, memory=MATRIX, control=records(CONTROL),
)  # fmt: skip
INTERPOLATE = signature(
    STATUS,
    """Write to `y_out` the state at t within the last step; y stays as it is.""",
    **_STAGES, system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR, work=WORK, memory=MATRIX, control=records(CONTROL),
    y_out=VECTOR,
)  # fmt: skip
ERROR_NORM = signature(
    REAL,
    """The size of an error of y, 1: as large as the tolerances allow.""",
    error=VECTOR, y_old=VECTOR, y_new=VECTOR, scales=VECTOR, rtol=REAL, atol=REAL,
)  # fmt: skip
IMBALANCE = signature(
    VOID,
    """Write to r what the equations of motion lack at accelerations and multipliers z.""",
    system=SYSTEM, work=WORK, z=VECTOR, r=VECTOR,
)  # fmt: skip

# -- the loops --------------------------------------------------------------------------------------------------------
_RECORDS: dict[str, ArgumentType] = {
    "memory": MATRIX, "control": records(CONTROL), "progress": records(PROGRESS),
}  # fmt: skip
_FILLED: dict[str, ArgumentType] = {"times": VECTOR, "samples": MATRIX, "history": records(HISTORY), "path": MATRIX}
_RUN: dict[str, ArgumentType] = {
    **_STAGES, "accept": ACCEPT.stage, "step": STEP.stage, "interpolate": INTERPOLATE.stage, "system": SYSTEM,
    "y": VECTOR, "angles": VECTOR, "work": WORK, **_RECORDS, "stops": records(BREAK), **_FILLED,
}  # fmt: skip
BEGIN_TO_WATCH = signature(
    VOID,
    """Note what holds at the start, evaluated: events, contacts, expressions that jump.""",
    system=SYSTEM, work=WORK,
)  # fmt: skip
RUN_CHUNK = signature(
    STATUS,
    """ADVANCE up to the next instant at which something happens, or may have happened.""",
    **_RUN,
)  # fmt: skip
APPLY_CHANGES = signature(
    STATUS,
    """Let the changes from `first` to `last` - 1 of the System happen at the present instant.""",
    evaluate=EVALUATE.stage, system=SYSTEM, alike=SYSTEM, y=VECTOR, angles=VECTOR, work=WORK, control=records(CONTROL),
    progress=records(PROGRESS), occurrences=records(OCCURRENCE), first=WHOLE, last=WHOLE,
)  # fmt: skip
_ADVANCE: dict[str, ArgumentType] = {
    **_RUN, "alike": SYSTEM, "event_location": records(EVENT_LOCATION), "state": VECTOR,
    "occurrences": records(OCCURRENCE),
}  # fmt: skip
ADVANCE = signature(
    STATUS,
    """Step through stops, events, locks, blows and other choices of rows until the chunk is full, something has changed
    (`occurrences` say what), the run ends or a stage fails; fill `samples` (one row a sample time), `history` and
    `path` (one row a step), and note in `progress` how far they are filled.  `alike`: the System with bodies all alike;
    `event_location`: time and number of an event that was found; `state`: scratch.
    """,
    **_ADVANCE,
)  # fmt: skip
ADVANCE_EACH = signature(
    VOID,
    """ADVANCE the runs `first` to `last` - 1, each to its last stop; `runs`: their addresses, `status`: how they ended
    (integrators/loop/side_by_side.py).
    """,
    **_STAGES, accept=ACCEPT.stage, step=STEP.stage, interpolate=INTERPOLATE.stage, runs=WHOLES, status=WHOLES,
    first=WHOLE, last=WHOLE,
)  # fmt: skip
RUN_SHARE = signature(
    VOID,
    """Run the simulations `first` to `last` - 1 of a batch from start to end, at most `most` steps each; their status.
    All that ADVANCE writes lies in `room`, 64-bit words, which holds `begun` at a start, and given[:, k] at its
    beginning; at the end found[:, k] are those from `wanted` on.  `t_low`: where the first segment begins, s; `plain`:
    1 if nothing is watched or scheduled, and active rows stay; `channels`: of samples, which are reduced, and kept at
    `places` (integrators/loop/share.py).
    """,
    **_ADVANCE, room=WHOLES, begun=WHOLES, given=WHOLE_MATRIX, wanted=WHOLE, found=WHOLE_MATRIX,
    status=WHOLES, t_low=REAL, most=WHOLE, plain=WHOLE, channels=WHOLES, places=WHOLES, reduced=MATRIX, kept=MATRIX,
    first=WHOLE, last=WHOLE,
)  # fmt: skip
STEP_SHARE = signature(
    VOID,
    """Take the simulations `first` to `last` - 1 through a step of the length dt (s), from the states in states[:, k]
    to new ones.  `room`, `begun`, `plain`: as for RUN_SHARE; given[i, k]: what the word inputs[i] of the room is in the
    step; `again`: 1 if only those are taken that a plain step has left; observed[c, k]: of the sample at the end, the
    number at the place channels[c] (integrators/loop/step_share.py).
    """,
    **_ADVANCE, room=WHOLES, begun=WHOLES, inputs=WHOLES, given=WHOLE_MATRIX, dt=REAL, plain=WHOLE, again=WHOLE,
    channels=WHOLES, states=MATRIX, observed=MATRIX, first=WHOLE, last=WHOLE,
)  # fmt: skip
DIRECTIONAL_DERIVATIVE = signature(
    STATUS,
    """Derivatives of a sample and of dy/dt along a direction of state and inputs (sensitivities/directional.py).""",
    **_STAGES, system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR, work=WORK, control=records(CONTROL), steps=COMPLEX_WORK,
    state=COMPLEX_VECTOR, along=VECTOR, given=VECTOR, driven=MATRIX, projects=WHOLE, row=VECTOR, rate=VECTOR,
)  # fmt: skip
FOLLOW = signature(
    STATUS,
    """Go through the times with a driven mechanism, from position to position; fill the same as ADVANCE.""",
    **_STAGES, system=SYSTEM, y=VECTOR, angles=VECTOR, work=WORK, **_RECORDS, **_FILLED,
)  # fmt: skip
SAMPLES_AT = signature(
    STATUS,
    """Fill `samples`, `Phi` and `rest` at given states, one row each (integrators/loop/at_states.py).""",
    evaluate=EVALUATE.stage, factor=FACTOR.stage, solve=SOLVE.stage, system=SYSTEM, times=VECTOR, states=MATRIX,
    angles=VECTOR, work=WORK, control=records(CONTROL), samples=MATRIX, Phi=MATRIX, rest=MATRIX,
)  # fmt: skip
MOVES_AT = signature(
    STATUS,
    """Fill `delta` with motions that meet Phi_v delta = c at given states, one row each.""",
    evaluate=EVALUATE.stage, factor=FACTOR.stage, solve=SOLVE.stage, system=SYSTEM, times=VECTOR, states=MATRIX,
    angles=VECTOR, work=WORK, c=MATRIX, delta=MATRIX,
)  # fmt: skip
FIXED_STEPS = signature(
    STATUS,
    """`count` steps of one length.""",
    **_STAGES, step=STEP.stage, system=SYSTEM, y=VECTOR, angles=VECTOR, work=WORK, memory=MATRIX,
    control=records(CONTROL), count=WHOLE,
)  # fmt: skip

# -- along a path -----------------------------------------------------------------------------------------------------
NATURAL_ROWS = signature(
    STATUS,
    """Write to `dense` the mass-weighted rows of Phi_v at the position evaluated last, in their natural units.""",
    system=SYSTEM, work=WORK, dense=MATRIX,
)  # fmt: skip
FACTOR_ROWS = signature(
    STATUS,
    """Factor rows in the order of what is left of them beside the others; their rank (numerics/rank_revealing.py).""",
    rows=MATRIX, cut=REAL, scales=VECTOR, squares=VECTOR, diagonal=VECTOR, pivots=WHOLES,
)  # fmt: skip
MEASURE_CONDITIONING = signature(
    VOID,
    """How near to singular the constraints are along a path (analyses/certificate/singular/conditioning.py).""",
    evaluate=EVALUATE.stage, factor=FACTOR.stage, rows_of=NATURAL_ROWS.stage, factor_rows=FACTOR_ROWS.stage,
    system=SYSTEM, work=WORK, t=VECTOR, y=MATRIX, rate=MATRIX, angles=MATRIX, state=WHOLES, times=VECTOR, dense=MATRIX,
    column=WHOLES, found=MATRIX,
)  # fmt: skip
MOTION_OF_BODIES = signature(
    VOID,
    """Where the bodies are at samples, and how they move (results/body_motion.py).""",
    evaluate=EVALUATE.stage, system=SYSTEM, work=WORK, rows=MATRIX, angles=VECTOR, way=WHOLE_MATRIX, order=WHOLES,
    R_LB=CUBE, p_LB=MATRIX, last=MATRIX, position=MATRIX, e=MATRIX, velocity=MATRIX, spin=MATRIX,
)  # fmt: skip
