"""Records of the workspace: what outlives an evaluation, with a name and a unit for every number.

A kernel reads `work.method[0].rank`, or takes the record once (`method = work.method[0]`, a reference) and uses its
fields.  The fields are the same for all methods, so that nothing is compiled anew for another one.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

OWN = 8  # numbers that a method from outside the package may keep, and options of its own that it may have
LOG_SIZE = 4096  # most decisions of a method that are kept


class Factors(IntEnum):
    """What the factors at hand are good for."""

    NOTHING = 0  # there are none
    REGULAR = 1  # positions nearby as well
    DELICATE = 2  # near a singular position: that one alone


# What a constraint method remembers from one evaluation to the next, and its counters.  A pivot is in units of its
# row's natural size (methods/normal_step.py); a volume is the logarithm of one.
METHOD = np.dtype(
    [
        ("factorizations", np.int64),  # so far
        ("rank_revealing", np.int64),  # of these by the rank-revealing factorization
        ("iterations", np.int64),  # of the position correction
        ("decisions", np.int64),  # in the log
        ("active_count", np.int64),  # of the rows in work.active
        ("factors", np.int64),  # Factors
        ("by_recursion", np.int64),  # 1: those of methods/loop_recursion.py
        ("rank", np.int64),  # independent rows of Phi_v
        ("full_rank", np.int64),  # the same away from singular positions
        ("weakest_pivot", np.float64),
        ("volume", np.float64),  # that the constraint rows span
        ("other_rows_pivot", np.float64),  # weakest, with a better choice of active rows; 0: those at hand serve
        # Of methods that partition (methods/partitioning/).
        ("basis", np.int64),  # Basis in use
        ("other_basis", np.int64),  # to which a hybrid switches; Basis.NONE: no hybrid
        ("rebuild", np.int64),  # 1: build the basis anew at the next position
        ("new_basis", np.int64),  # 1: built since it was brought up to date last
        ("singular", np.int64),  # 1: rows were dropped at the last accepted step
        ("strongest_pivot", np.float64),  # weakest pivot at the best position so far
        ("kept_volume", np.float64),  # |det Phi_v Z| of the basis in use
        ("basis_volume", np.float64),  # |det (Z, T)| of that basis
        ("choice_requested", np.int64),  # 1: `factor` shall only find LU's choice of coordinates
        ("choice_known", np.int64),  # 1: there is a choice to compare with
        ("choice_rank", np.int64),  # independent rows with LU's choice found last
        ("choice_volume", np.float64),  # |det Phi_v Z| of it
        ("choice_volume_before", np.float64),  # that of the choice at the step before
        ("choice_pivot", np.float64),  # its weakest pivot
        ("choice_pivot_best", np.float64),  # that at the best position so far
        ("choice_changes", np.int64),  # within the window of steps
        ("choice_changed_at", np.int64),  # accepted steps at the last change
        ("equal_steps", np.int64),  # accepted steps of the same length, since the choice was checked
        ("calm_steps", np.int64),  # of a hybrid: accepted steps in a row that speak for LU
        ("h_last", np.float64),  # s, last accepted step
        ("h_largest", np.float64),  # s, of the recent ones; of printed hybrids
        ("balance_last", np.float64),  # J, energy balance at the last accepted step; of printed hybrids
        ("exchanged", np.float64),  # J, largest kinetic energy so far; of printed hybrids
        ("own", np.float64, (OWN,)),  # of one method alone, also from outside the package
    ],
    align=True,
)


class Option(NamedTuple):
    """An option of a method, a number >= 0."""

    default: float
    meaning: str
    per_largest_step: float = 0.0  # where the value is 0: this over the largest step, 1/s


OPTIONS = {
    "literal": Option(0.0, "1: as printed in its paper, with restarts, and no rank cut"),
    "corrected": Option(0.0, "1: with `literal`, I_R and P_T updated where P3 prints the kept ones"),
    "rank_cut": Option(1e-5, "of a row's natural size: what is left of a row below it is dependent"),
    "better": Option(2.0, "times the volume of the present choice of coordinates: another one is worth the change"),
    "constraint_tolerance": Option(0.0, "m or rad: a violation below it is left; 0: none, to rounding"),
    "alpha_limit": Option(0.02, "1 - z'.z' / v_f.v_f, v_f = v - Zh nu, above which the basis is built anew"),
    # When LU looks for better coordinates (P1 step 3).
    "shrunk": Option(0.9, "of the step before: after a shorter one LU checks its choice of coordinates"),
    "steady": Option(5.0, "steps of the same length, after which LU checks its choice of coordinates"),
    # When a hybrid changes its basis.
    "leave_below": Option(0.01, "weakest pivot of LU's dependent block, of its best so far: below it leave LU"),
    "return_above": Option(0.02, "the same: above it, at both ends of a step, return to LU"),
    "foresee_below": Option(0.3, "the same: below it the end of the next step counts as well"),
    # The same as printed (P1 steps 3 and 13).
    "changes": Option(2.0, "literal: changes of the independent set, within `window` steps: leave LU"),
    "window": Option(20.0, "literal: steps"),
    "energy_jump": Option(1e-4, "literal: of the energy exchanged, in one step: leave LU"),
    "collapse": Option(0.1, "literal: of the largest recent step: below it leave LU"),
    "fades": Option(0.98, "literal: what is left of the largest recent step with each step"),
    "return_steps": Option(5.0, "literal: steps at the largest step size with an unchanged LU choice: back to LU"),
    "at_maximum": Option(0.99, "literal: of the largest step size: what counts as a step at it"),
    "alpha": Option(0.0, "1/s; 0: 0.2 over the largest step", per_largest_step=0.2),
    "beta": Option(0.0, "1/s; 0: 0.2 over the largest step", per_largest_step=0.2),
    "rho": Option(1e-11, "of the natural size of a row, squared: the regularization"),
}
METHOD_OPTIONS = np.dtype(
    [
        *((name, np.float64) for name in OPTIONS),
        ("regular_only", np.float64),  # 1: where the active rows are nearly dependent, CHOOSE_ROWS and no more
        ("own", np.float64, (OWN,)),
    ],
    align=True,
)

# The present segment between break times, within which expressions are read.
SEGMENT = np.dtype(
    [
        ("t_low", np.float64),  # s
        ("t_high", np.float64),  # s
        ("t_accepted", np.float64),  # s, of the last accepted step
        # For the step to come (phase PACE).
        ("pace", np.float64),  # s, the longest that it may be
        ("h_limit", np.float64),  # s, that the user permits
        ("tolerance", np.float64),  # relative
        ("t_paced", np.float64),  # s, when the rates of the signals were found last; not finite: they are not known
        ("paced_step", np.float64),  # s, the step until then; 0: not known
        ("pivot", np.float64),  # weakest pivot of the constraints at the start of the last step
        ("predicted", np.int64),  # 1: the state is a prediction, at which what follows the motion is not wanted
    ],
    align=True,
)

# Rounds of friction and the joint's load that makes it (elements/forces/friction.py).
LOAD_ROUNDS = np.dtype(
    [
        ("round", np.int64),
        ("change", np.float64),  # in this round; up to 1: none that matters
        ("worst", np.int64),  # whose change it was
    ],
    align=True,
)

# A decision of a method, for its log.
DECISION = np.dtype(
    [
        ("t", np.float64),  # s
        ("why", np.int32),  # Reason
        ("before", np.int32),  # Basis in use before
        ("after", np.int32),  # and after
        ("rank", np.int32),  # independent rows after
        ("independent", np.int32, (8,)),  # LU's independent motions, the first eight; -1: none
    ],
    align=True,
)

# What a run watches after each step: an event, the touch-down or lift-off of a contact, an expression that leaves its
# cell (expressions/kernels/of_state.py).  Each has a number that is positive where it holds, or must change.
WATCH = np.dtype(
    [
        ("signal", np.int64),  # sign times the signal is that number; -1: a switch
        ("sign", np.float64),
        ("switch", np.int64),  # place in `work.switches`, or -1
        ("before", np.float64),  # the number at the last accepted step but one
        ("now", np.float64),  # at the last accepted step
        ("slope", np.float64),  # 1/s, its mean rate over the step before the last; NaN: not known
        ("older", np.float64),  # while a step is searched: at the last instant but one
        ("old", np.float64),  # and at the last instant
        ("rate", np.int64),  # of contacts: signal of the speed, or -1
        ("slow", np.float64),  # of contacts: a speed below which the change does not matter
        ("late", np.int64),  # 1: of events whose number is known only after the forces
        ("occurred", np.int64),  # of events: how often
    ],
    align=True,
)
