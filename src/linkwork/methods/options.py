"""Options of the methods by name, with their places in `work.settings` and defaults."""

from __future__ import annotations

# Options.
LITERAL, RANK_CUT, ALPHA_LIMIT, CHANGES, WINDOW, ENERGY_JUMP, COLLAPSE, RETURN_STEPS, ALPHA, BETA, RHO, HOLD = range(12)
# What a method remembers from step to step.
WEAKEST, OTHER, LAST_H, LARGEST_H, LAST_BALANCE, EXCHANGED = range(12, 18)
SIGNATURE, LAST_CHANGE, CHOICE, WELL_CHOSEN, VOLUME, STRONGEST = range(18, 24)
# And two more options (places 25 to 30: numerics/status.py).
CONSTRAINT_TOLERANCE, BETTER = 24, 31
# Logarithms of |det Phi_v Z| for the dependent coordinates which LU would choose, and for the basis in use, and of the
# volume |det (Z, T)| of that basis.
CHOICE_VOLUME, KEPT_VOLUME, BASIS_VOLUME = 32, 33, 34

PARTITION = {
    "literal": (LITERAL, 0.0),  # 1: the printed algebra, with restarts, and no rank cut
    "rank_cut": (RANK_CUT, 1e-5),  # of a row's natural size
    "better": (BETTER, 2.0),  # times the volume of the present choice of coordinates: another one is worth the change
    "constraint_tolerance": (CONSTRAINT_TOLERANCE, 0.0),  # m or rad: a violation below it is left; 0: none, to rounding
}
KEPT = PARTITION | {"alpha_limit": (ALPHA_LIMIT, 0.02)}  # 1 - z'.z' / v.v above which the basis is built anew
HYBRID = KEPT | {
    "changes": (CHANGES, 2.0),  # changes of the independent set ...
    "window": (WINDOW, 20.0),  # ... within this many steps: leave LU
    "energy_jump": (ENERGY_JUMP, 1e-4),  # of the energy exchanged, in one step: leave LU
    "hold": (HOLD, 0.1),  # weakest pivot of the dependent coordinates, of a row's natural size: below it leave LU
    "collapse": (COLLAPSE, 0.1),  # of the largest recent step: leave LU
    "return_steps": (RETURN_STEPS, 5.0),  # steps at the largest step size with an unchanged LU choice: back to LU
}
BAUMGARTE = {"alpha": (ALPHA, 0.0), "beta": (BETA, 0.0)}  # 1/s; 0: chosen from the largest step, 0.2 / hmax
PROXIMAL = {"rho": (RHO, 1e-7)}  # of the natural size of a row, squared: the regularization
