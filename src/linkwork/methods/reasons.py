"""Why a method did something: the codes in its log, and the words for people."""

from __future__ import annotations

# Bases: which directions a method holds to be dependent (Z) and independent (T).
LU, QR, SVD, GRAM_SCHMIDT, PROJECTION = range(5)
BASES = ("lu", "qr", "svd", "gram-schmidt", "projection")

# Reasons.
START, TURNED, WEAK_PIVOT, SINGULAR, REGULAR, STEP_CHECK, SET_CHANGES, ENERGY, COLLAPSE, CALM_AGAIN = range(10)
REASONS = {
    START: "first choice of coordinates",
    TURNED: "the tangent plane has turned away from the kept basis",
    WEAK_PIVOT: "the dependent coordinates were about to lose their hold",
    SINGULAR: "the constraints lose rank: a singular position",
    REGULAR: "the constraints have their full rank again",
    STEP_CHECK: "the step size shrank or stayed the same; another set of coordinates is better",
    SET_CHANGES: "the independent coordinates keep changing",
    ENERGY: "the energy balance fluctuates",
    COLLAPSE: "the step size collapsed",
    CALM_AGAIN: "steady steps at the largest step size, with an unchanged choice of coordinates",
}
