"""Mechanisms that cannot start or go on, drawn for "Why did my run fail" (failures.py)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from sketches import BLUE, GREEN, GREY, INK, RED, arrow, bar, meeting, plot, ring, shows, sketch, support, text

import linkwork as lw
from linkwork.errors import Entry


@shows(Entry.OPEN_LOOP)
def open_loop(figure: Figure) -> None:
    """Links that do not reach each other."""
    axes = sketch(figure)
    A, D, B = (0.0, 0.0), (3.4, 0.0), (0.55, 0.83)
    bar(axes, A, B)
    bar(axes, B, (1.9, 1.1), color=GREEN)
    bar(axes, D, (2.75, 0.99), color=BLUE)
    for centre, radius in ((B, 1.377), (D, 1.183)):
        turn = np.linspace(0, 2 * np.pi, 200)
        axes.plot(centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn), ":", color=GREY, lw=1)
    arrow(axes, (2.3, 1.06), (1.98, 1.1))
    arrow(axes, (2.3, 1.06), (2.68, 1.0))
    text(axes, (2.3, 1.3), "stays open", RED)
    support(axes, A)
    support(axes, D)
    axes.set_xlim(-0.5, 4.6)
    axes.set_ylim(-0.4, 1.75)


@shows(Entry.CONTRADICTION)
def contradiction(figure: Figure) -> None:
    """A door on hinges that do not agree."""
    axes = sketch(figure)
    axes.fill([0.5, 2.2, 2.2, 0.5], [0, 0, 2, 2], fc="#e3eef6", ec=BLUE, lw=2)
    axes.fill([-0.2, 0.1, 0.1, -0.2], [-0.2, -0.2, 2.2, 2.2], fc="0.85", ec=INK)
    for y, tilt in ((0.45, 0.0), (1.55, 0.16)):
        axes.plot([0.1, 0.5], [y, y], color=INK, lw=5)
        axes.plot([0.3 - 0.65 * tilt, 0.3 + 0.65 * tilt], [y - 0.42, y + 0.42], "-.", color=RED, lw=1.6)
        axes.plot(0.3, y, "o", ms=8, mfc="white", mec=INK)
    text(axes, (2.5, 1.55), "this axis is tilted:", RED, "left")
    text(axes, (2.5, 1.2), "no angle of the door meets both hinges", INK, "left")
    text(axes, (2.5, 0.45), "one hinge alone guides the door", INK, "left")
    axes.set_xlim(-0.4, 5.6)


@shows(Entry.MISFIT)
def misfit(figure: Figure) -> None:
    """A loop that is open by a little."""
    axes = sketch(figure)
    A, B, D = (0.0, 0.0), (0.5, 1.0), (2.4, 0.0)
    C = (2.7, 1.15)
    bar(axes, A, B)
    bar(axes, B, C, color=GREEN)
    bar(axes, D, C)
    support(axes, A)
    support(axes, D)
    axes.add_artist(ring(C, 0.22))
    axes.plot([C[0] + 0.2, 3.75], [C[1] + 0.08, 1.2], color=GREY, lw=1)
    axes.add_artist(ring((4.4, 0.8), 0.75))
    for x, colour in ((4.3, GREEN), (4.5, BLUE)):
        axes.plot(x, 0.8, "o", ms=16, mfc="white", mec=colour, mew=3)
    text(axes, (4.4, 0.3), "2 \u00b5m", RED)
    text(axes, (4.4, 1.3), "magnified")
    axes.set_xlim(-0.4, 5.3)
    axes.set_ylim(-0.35, 1.65)


@shows(Entry.NO_INERTIA)
def no_inertia(figure: Figure) -> None:
    """A point mass that can turn."""
    axes = sketch(figure)
    bar(axes, (0, 0), (2.2, 0))
    support(axes, (0, 0))
    axes.plot(2.2, 0, "o", ms=13, color=INK, zorder=4)
    turn = np.linspace(0.3, 5.6, 60)
    axes.plot(2.2 + 0.42 * np.cos(turn), 0.42 * np.sin(turn), color=RED, lw=1.8)
    arrow(axes, (2.49, -0.31), (2.56, -0.2))
    text(axes, (2.8, 0.2), "point mass on a pin: it can turn, and its inertia is 0,", RED, "left")
    text(axes, (2.8, -0.12), "so any torque turns it infinitely fast", INK, "left")
    axes.set_xlim(-0.4, 7.2)
    axes.set_ylim(-1, 1)


def pushed_slider() -> lw.Model:
    """A slider-crank whose slider is pushed outwards at a constant speed."""
    given = {"crank": 0.1, "rod_length": 0.31, "angle": 60.0, "speed": 0.0}
    model = lw.library_model("slider-crank", given)
    model.driver("push", "guide", "0.2 * t")
    return model


@shows(Entry.DEAD_CENTRE)
def dead_centre(figure: Figure) -> None:
    """A slider-crank pushed to full stretch, by its run."""
    try:
        pushed_slider().simulate(1.0, progress=False, every=0.002)
    except lw.NumericalError as failure:
        run, end = failure.partial, failure.t
    assert isinstance(run, lw.Run) and end is not None
    axes, push = sketch(figure, (1, 2, 1)), 0.05 + np.sqrt(0.31**2 - 0.75 * 0.1**2)
    for x, colour, style in ((push, GREY, "--"), (0.41, BLUE, "-")):
        bar(axes, (0, 0), meeting((0, 0), 0.1, (x, 0), 0.31), (x, 0), color=colour, style=style)
    support(axes, (0, 0), 0.018)
    arrow(axes, (0.43, 0), (0.5, 0))
    text(axes, (0.36, -0.05), "driver pushes on", RED)
    axes.set_xlim(-0.05, 0.52)
    axes.set_ylim(-0.1, 0.15)
    curve = plot(figure, "time [s]", "speed of the crank [rad/s]", (1, 2, 2))
    curve.plot(run.t, np.abs(run["crank.angular_velocity.y"]), color=BLUE)
    curve.axvline(end, color=RED, ls="--", lw=1)
    curve.text(end, curve.get_ylim()[1], "dead centre ", color=RED, fontsize=8, ha="right", va="top")


@shows(Entry.SINGULAR_START)
def singular_start(figure: Figure) -> None:
    """A parallelogram in line, and its two branches."""
    for k, (words, angles) in enumerate(
        (
            ("start: all in line", (0, 0)),
            ("one branch: parallelogram", (0.7, 0.7)),
            ("other branch: crossed", (0.7, -0.9)),
        )
    ):
        axes = sketch(figure, (1, 3, k + 1))
        B = (0.6 * np.cos(angles[0]), 0.6 * np.sin(angles[0]))
        C = (1.5 + 0.6 * np.cos(angles[1]), 0.6 * np.sin(angles[1]))
        if k == 2:
            C = meeting(B, 1.5, (1.5, 0), 0.6, -1.0)
        bar(axes, (0, 0), B)
        bar(axes, B, C, color=GREEN)
        bar(axes, (1.5, 0), C)
        text(axes, (1.0, 1.05), words, RED if k == 0 else INK)
        support(axes, (0, 0), 0.11)
        support(axes, (1.5, 0), 0.11)
        axes.set_xlim(-0.3, 2.3)
        axes.set_ylim(-0.75, 1.2)


@shows(Entry.IN_LINE)
def in_line(figure: Figure) -> None:
    """Two bars in line under a load across."""
    axes = sketch(figure)
    bar(axes, (0, 0), (1.5, 0), (3, 0))
    support(axes, (0, 0))
    support(axes, (3, 0))
    arrow(axes, (1.5, 0.9), (1.5, 0.12))
    text(axes, (1.6, 0.6), "F", RED, "left")
    text(axes, (3.4, 0.3), "bars in line bear a load across", INK, "left")
    text(axes, (3.4, 0.0), "only by infinite forces:", INK, "left")
    text(axes, (3.4, -0.3), "F / (2 sin 0)", RED, "left")
    axes.set_xlim(-0.4, 6.1)
    axes.set_ylim(-0.7, 1.1)


@shows(Entry.NOT_MET)
def not_met(figure: Figure) -> None:
    """A slider driven beyond its reach."""
    axes, curve = sketch(figure, (1, 2, 1)), plot(figure, "time [s]", "position of the slider [m]", (1, 2, 2))
    bar(axes, (0, 0), (0.08, 0.05), (0.38, 0))
    support(axes, (0, 0), 0.018)
    axes.plot([0.41, 0.41], [-0.05, 0.07], ":", color=RED)
    arrow(axes, (0.39, 0), (0.5, 0))
    text(axes, (0.38, -0.085), "end of its reach", RED)
    axes.set_xlim(-0.05, 0.52)
    axes.set_ylim(-0.12, 0.12)
    t = np.linspace(0, 1, 300)
    wanted = 0.3 + 0.2 * t
    curve.plot(t, wanted, color=RED, label="required by the driver")
    curve.plot(t, np.minimum(wanted, 0.41), color=BLUE, label="allowed by the joints")
    curve.legend(fontsize=7, frameon=False, loc="upper left")


@shows(Entry.JAM)
def jam(figure: Figure) -> None:
    """Forces outside and within the friction cone."""
    for k, (words, angle, colour) in enumerate((("slides", 0.9, GREEN), ("jams", 0.25, RED))):
        axes = sketch(figure, (1, 2, k + 1))
        axes.fill([-1.5, 1.5, 1.5, -1.5], [0, 0, -0.15, -0.15], fc="0.85", ec=INK)
        axes.fill([-0.5, 0.5, 0.5, -0.5], [0, 0, 0.4, 0.4], fc="#e3eef6", ec=BLUE, lw=2)
        cone = 0.54
        axes.fill([0, -1.3 * np.tan(cone), 1.3 * np.tan(cone)], [0, 1.3, 1.3], color=GREY, alpha=0.3, lw=0)
        arrow(axes, (-1.25 * np.sin(angle), 1.25 * np.cos(angle)), (0, 0), colour)
        text(axes, (0, 1.55), f"{words}: force {'outside' if k == 0 else 'within'} the friction cone", colour)
        axes.set_xlim(-1.9, 1.9)
        axes.set_ylim(-0.3, 1.75)


@shows(Entry.BRANCH_LEFT)
def branch_left(figure: Figure) -> None:
    """A parallelogram that crosses where it is in line."""
    axes = sketch(figure)
    for shift, words, side in (
        (0.0, "before", 1.0),
        (2.75, "singular: all in line", 0.0),
        (5.6, "after: crossed", -1.0),
    ):
        A, D = (shift, 0.0), (shift + 1.5, 0.0)
        angle = 0.6 * side
        B = (shift + 0.6 * np.cos(angle), 0.6 * np.sin(angle))
        C = (B[0] + 1.5, B[1]) if side >= 0 else meeting(B, 1.5, D, 0.6, 1.0)
        bar(axes, A, B)
        bar(axes, B, C, color=GREEN if side >= 0 else RED)
        bar(axes, D, C)
        if side < 0:
            bar(axes, B, (B[0] + 1.5, B[1]), D, color=GREY, style="--")
        support(axes, A)
        support(axes, D)
        text(axes, (shift + 1.0, 1.0), words, RED if side < 0 else INK)
    axes.set_xlim(-0.3, 8.0)
    axes.set_ylim(-0.8, 1.2)
