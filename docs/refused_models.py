"""Models that are refused, drawn for "Why did my run fail" (failures.py)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from sketches import BLUE, GREEN, GREY, INK, RED, arrow, bar, boxed, plot, shows, sketch, support, text

from linkwork.errors import Entry


@shows(Entry.UNKNOWN_NAME)
def unknown_name(figure: Figure) -> None:
    """A name, and those that exist."""
    axes = sketch(figure)
    for k, (words, colour) in enumerate((("crank", GREEN), ("rod", GREY), ("slider", GREY))):
        boxed(axes, (4.2, 1.5 - 0.75 * k), words, colour)
        axes.plot([2.0, 3.4], [0.75, 1.5 - 0.75 * k], color=GREY, lw=1, zorder=0)
    boxed(axes, (1.2, 0.75), "bodies")
    boxed(axes, (-1.6, 0.75), "'crnk'", RED)
    arrow(axes, (-0.8, 0.75), (0.35, 0.75))
    text(axes, (5.2, 1.5), "did you mean 'crank'?", GREEN, "left")
    axes.set_xlim(-2.6, 8.4)
    axes.set_ylim(-0.5, 2.0)


@shows(Entry.VALUE)
def value(figure: Figure) -> None:
    """A number line with the range of a mass."""
    axes = sketch(figure)
    axes.plot([-3, 0], [0, 0], color=RED, lw=5, solid_capstyle="butt")
    arrow(axes, (0, 0), (5, 0), GREEN)
    axes.plot(0, 0, "o", ms=9, mfc="white", mec=INK, zorder=4)
    axes.plot(-1.5, 0, "x", ms=12, mew=3, color=INK, zorder=4)
    text(axes, (-1.5, 0.45), "mass = -2 kg", RED)
    text(axes, (0, -0.45), "0")
    text(axes, (2.6, 0.45), "mass > 0: what a body has", GREEN)
    text(axes, (2.6, -0.45), "finite: neither NaN nor infinite")
    axes.set_xlim(-3.2, 5.8)
    axes.set_ylim(-1.1, 1.1)


@shows(Entry.UNIT)
def unit(figure: Figure) -> None:
    """Quantities and the fields that take them."""
    axes = sketch(figure)
    for k, (quantity, field) in enumerate((("'2 lb'", "mass"), ("'30 deg'", "angle"), ("'3 m'", "mass"))):
        good, y = k < 2, 1.6 - 0.8 * k
        boxed(axes, (0, y), quantity, GREEN if good else RED)
        arrow(axes, (0.9, y), (2.6, y), GREEN if good else RED)
        boxed(axes, (3.4, y), field)
        words = ("= 0.907 kg", "= 0.524 rad", "it must be a mass, e.g. '3 kg'")[k]
        text(axes, (4.4, y), words, INK if good else RED, "left")
    axes.set_xlim(-1.2, 8.2)
    axes.set_ylim(-0.5, 2.1)


@shows(Entry.TWICE)
def twice(figure: Figure) -> None:
    """Ways to give a body its mass: one of them."""
    axes = sketch(figure)
    ways = ("shape", "mass and inertia", "flexible")
    for k, (chosen, verdict) in enumerate((((0,), "good"), ((), "none"), ((0, 1), "two"))):
        y = 1.7 - 0.85 * k
        for j, way in enumerate(ways):
            boxed(axes, (2.35 * j, y), way, (GREEN if k == 0 else RED) if j in chosen else GREY, width=2.2)
        text(axes, (6.2, y), ("one: the body is complete", "none: give one", "two: which of them?")[k],
             GREEN if verdict == "good" else RED, "left")  # fmt: skip
    axes.set_xlim(-1.2, 9.4)
    axes.set_ylim(-0.4, 2.1)


@shows(Entry.INERTIA)
def inertia(figure: Figure) -> None:
    """Principal moments of a plate, and three that no body has."""
    axes = plot(figure, "", "moment of inertia [kg m\u00b2]")
    for k, (moments, colour) in enumerate((((1.0, 2.0, 3.0), GREEN), ((1.0, 2.0, 4.2), RED))):
        at = 4 * k + np.arange(3)
        axes.bar(at, moments, color=colour, width=0.7, alpha=0.85)
        axes.plot([at[2] - 0.45, at[2] + 0.45], [3.0, 3.0], color=INK, lw=2)
    axes.set_xticks([0, 1, 2, 4, 5, 6], ["Jx", "Jy", "Jz"] * 2)
    axes.text(1, 4.3, "flat plate: Jz = Jx + Jy,\nthe most a body can have", color=GREEN, fontsize=8, ha="center")
    axes.text(4.45, 4.3, "Jz > Jx + Jy: no body", color=RED, fontsize=8, ha="center")
    axes.set_ylim(0, 5.4)
    axes.set_xlim(-0.8, 7)


@shows(Entry.WRONG_BODY)
def wrong_body(figure: Figure) -> None:
    """A joint between one body and itself."""
    axes = sketch(figure)
    for x, colour, words in ((0.0, GREEN, "between = ['crank', 'rod']"), (4.6, RED, "between = ['crank', 'crank']")):
        bar(axes, (x, 0), (x + 1.2, 0.7))
        bar(axes, (x + 1.2, 0.7), (x + 2.9, 0.35), color=GREEN)
        support(axes, (x, 0))
        axes.plot(x + 1.2, 0.7, "o", ms=15, mfc="none", mec=colour, mew=2)
        text(axes, (x + 1.5, 1.25), words, colour)
        text(axes, (x + 0.35, 0.55), "crank", BLUE)
        text(axes, (x + 2.2, 0.22), "rod", GREEN)
    axes.set_xlim(-0.5, 8)
    axes.set_ylim(-0.5, 1.5)


@shows(Entry.COORDINATE)
def coordinate(figure: Figure) -> None:
    """Joints and their coordinates."""
    axes = sketch(figure)
    joints = (
        ("revolute", "angle"),
        ("prismatic", "distance"),
        ("cylindrical", "angle, distance"),
        ("universal", "angle_a, angle_b"),
    )
    for k, (kind, names) in enumerate(joints):
        x = 2.3 * k
        boxed(axes, (x, 1.2), kind, BLUE, width=2.0)
        text(axes, (x, 0.65), names, INK)
    text(axes, (3.4, 0.0), "pin.angle of a revolute joint exists, pin.distance does not", RED)
    axes.set_xlim(-1.3, 8.2)
    axes.set_ylim(-0.4, 1.7)


@shows(Entry.PLANE)
def plane(figure: Figure) -> None:
    """A plane with an axis along its normal, and a tilted one."""
    axes = sketch(figure)
    axes.fill([-0.5, 3.2, 4.6, 0.9], [0, 0, 1.1, 1.1], fc="#e3eef6", ec=BLUE)
    for x, tilt, colour, words in ((1.3, 0.0, GREEN, "normal"), (3.0, 0.5, RED, "tilted")):
        arrow(axes, (x, 0.5), (x + 0.9 * np.sin(tilt), 0.5 + 0.9 * np.cos(tilt)), colour)
        axes.plot(x, 0.5, "o", ms=7, mfc="white", mec=INK)
        text(axes, (x + 0.9 * np.sin(tilt) + 0.1, 1.55), words, colour)
    text(axes, (0.3, 0.17), "plane", BLUE)
    text(axes, (4.9, 0.9), "a planar model moves in its plane:", INK, "left")
    text(axes, (4.9, 0.6), "axes of rotation are its normal,", INK, "left")
    text(axes, (4.9, 0.3), "slides and velocities lie in it", INK, "left")
    axes.set_xlim(-0.7, 8.6)
    axes.set_ylim(-0.2, 1.8)


@shows(Entry.EXPRESSION)
def expression(figure: Figure) -> None:
    """A text, and a caret under what cannot be read."""
    axes = sketch(figure)
    style = {"family": "monospace", "fontsize": 13, "va": "center", "ha": "left"}
    axes.text(0, 1.0, "0.1*sin(2*pi*t", color=INK, **style)
    axes.text(0, 0.72, " " * 14 + "^", color=RED, **style)
    axes.text(0, 0.2, "0.1*sin(2*pi*t)", color=GREEN, **style)
    axes.text(2.4, 0.86, "the expression ends where ')' is needed", color=RED, fontsize=8)
    axes.set_xlim(-0.1, 4.6)
    axes.set_ylim(-0.1, 1.3)


def chain(figure: Figure, names: tuple[str, ...], back: str, words: str, remedy: str) -> None:
    """What follows from what, and what goes against it."""
    axes = sketch(figure)
    for k, name in enumerate(names):
        boxed(axes, (2.6 * k, 1.0), name, BLUE, width=2.0)
        if k:
            arrow(axes, (2.6 * k - 1.6, 1.0), (2.6 * k - 1.0, 1.0), INK)
    last = 2.6 * (len(names) - 1)
    axes.annotate("", (2.6, 0.7), (last, 0.7), arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 1.8,
                                                         "connectionstyle": "arc3,rad=-0.45"})  # fmt: skip
    text(axes, (last / 2 + 1.3, -0.02), back, RED)
    text(axes, (last / 2, 1.6), words)
    text(axes, (last / 2, -0.35), remedy, GREEN)
    axes.set_xlim(-1.3, last + 1.3)
    axes.set_ylim(-0.6, 1.85)


@shows(Entry.TIME_ONLY)
def time_only(figure: Figure) -> None:
    """A driver makes the motion; it cannot depend on it."""
    chain(figure, ("time t", "driver", "motion"), "driver = '2*pin.angle'",
          "a driver gives the motion as a function of time", "feedback: controller, servo or joint_force")  # fmt: skip


@shows(Entry.ACTS_BACK)
def acts_back(figure: Figure) -> None:
    """Forces make accelerations; they cannot depend on them."""
    chain(figure, ("positions,\nvelocities", "forces", "accelerations,\nloads"), "force = '2*acceleration'",
          "one follows from the other, at every instant", "use positions and velocities")  # fmt: skip


@shows(Entry.NOT_UNIQUE)
def not_unique(figure: Figure) -> None:
    """A rigid table on three legs under a load."""
    axes = sketch(figure)
    for x, legs, words, colour in (
        (0.0, (0.1, 2.4), "two legs: each share is known", GREEN),
        (4.0, (0.1, 1.25, 2.4), "three legs: many shares bear F", RED),
    ):
        axes.fill([x, x + 2.5, x + 2.5, x], [1.0, 1.0, 1.15, 1.15], fc="#e3eef6", ec=BLUE, lw=2)
        for leg in legs:
            axes.plot([x + leg, x + leg], [0.2, 1.0], color=INK, lw=4)
            arrow(axes, (x + leg, -0.35), (x + leg, 0.18), colour)
        arrow(axes, (x + 1.7, 1.85), (x + 1.7, 1.17), INK)
        text(axes, (x + 1.9, 1.6), "F")
        text(axes, (x + 1.25, -0.6), words, colour)
    axes.set_xlim(-0.4, 7.2)
    axes.set_ylim(-0.8, 1.95)


@shows(Entry.TABLE)
def table(figure: Figure) -> None:
    """Points whose argument goes back."""
    axes = plot(figure, "x", "y")
    axes.plot([0, 1, 2, 3.2, 2.6, 4], [0, 0.5, 0.9, 1.1, 1.5, 1.7], "o-", color=BLUE, lw=1.4)
    axes.plot([3.2, 2.6], [1.1, 1.5], "o-", color=RED, lw=2)
    axes.axvline(2.9, color=GREY, ls=":", lw=1)
    axes.text(2.5, 1.5, "x goes back: two values of y for one x  ", color=RED, fontsize=8, ha="right", va="center")


@shows(Entry.MESH)
def mesh(figure: Figure) -> None:
    """A surface of triangles with a hole."""
    axes = sketch(figure)
    for x, hole in ((0.0, False), (4.0, True)):
        for i in range(4):
            for j in range(3):
                if hole and (i, j) == (2, 1):
                    continue
                a, b = np.array([x + 0.7 * i, 0.55 * j]), np.array([0.7, 0.55])
                for corners in ((a, (a[0] + b[0], a[1]), a + b), (a, a + b, (a[0], a[1] + b[1]))):
                    axes.fill(*zip(*corners, strict=True), fc="#e3eef6", ec=BLUE, lw=1)
        if hole:
            axes.plot([x + 1.4, x + 2.1, x + 2.1, x + 1.4, x + 1.4], [0.55, 0.55, 1.1, 1.1, 0.55], color=RED, lw=2.5)
        words = "is open at 4 edges: no inside, no volume" if hole else "closed: volume, centre and inertia follow"
        text(axes, (x + 1.4, -0.3), words, RED if hole else GREEN)
    axes.set_xlim(-0.3, 7.1)
    axes.set_ylim(-0.5, 1.8)


@shows(Entry.FLEXIBLE)
def flexible(figure: Figure) -> None:
    """A mesh in two parts, of which one is not supported."""
    axes = sketch(figure)
    for x, colour in ((0.0, BLUE), (2.5, RED)):
        for i in range(6):
            left, right = x + 0.35 * i, x + 0.35 * (i + 1)
            axes.fill([left, right, right, left], [0.4, 0.4, 0.9, 0.9], fc="#e3eef6", ec=colour)
    axes.fill([-0.3, 0, 0, -0.3], [0.1, 0.1, 1.2, 1.2], fc="0.85", ec=INK)
    text(axes, (1.05, 0.15), "supported", BLUE)
    text(axes, (3.55, 0.15), "another part: moves without stiffness", RED)
    axes.annotate("", (2.5, 1.15), (2.1, 1.15), arrowprops={"arrowstyle": "<->", "color": RED, "lw": 1.5})
    text(axes, (2.3, 1.4), "gap", RED)
    axes.set_xlim(-0.5, 6.2)
    axes.set_ylim(-0.1, 1.6)
