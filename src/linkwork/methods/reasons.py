"""Bases of the methods that partition, and why one of them did something: codes, and the words for people."""

from __future__ import annotations

from enum import IntEnum


class Basis(IntEnum):
    """Which directions a method holds to be dependent (Z) and independent (T)."""

    NONE = -1  # the method does not partition
    LU = 0
    QR = 1
    SVD = 2
    GRAM_SCHMIDT = 3
    PROJECTION = 4


BASES = ("lu", "qr", "svd", "gram-schmidt", "projection")


class Reason(IntEnum):
    """Why a method changed its basis, or noted something."""

    NONE = -1  # it did not
    START = 0
    TURNED = 1
    SINGULAR = 2
    REGULAR = 3
    BETTER_SET = 4
    NEAR_SINGULAR = 5
    SOUND_AGAIN = 6
    SET_CHANGES = 7
    ENERGY = 8
    COLLAPSE = 9
    CALM_AGAIN = 10


REASONS = {
    Reason.START: "first choice of coordinates",
    Reason.TURNED: "the tangent plane has turned away from the kept basis",
    Reason.SINGULAR: "the constraints lose rank: a singular position",
    Reason.REGULAR: "the constraints have their full rank again",
    Reason.BETTER_SET: "elimination chooses another set of independent coordinates",
    Reason.NEAR_SINGULAR: "near a singular position: the dependent block of every partition is nearly singular",
    Reason.SOUND_AGAIN: "past the singular position: the dependent block is well conditioned again",
    Reason.SET_CHANGES: "the independent coordinates keep changing",
    Reason.ENERGY: "the energy balance fluctuates",
    Reason.COLLAPSE: "the step size collapsed",
    Reason.CALM_AGAIN: "steady steps at the largest step size, with an unchanged choice of coordinates",
}
