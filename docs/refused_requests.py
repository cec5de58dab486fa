"""Files, options and analyses that are refused or find nothing, drawn for "Why did my run fail" (failures.py)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from sketches import BLUE, GREEN, GREY, INK, RED, arrow, bar, boxed, plot, shows, sketch, support, text

from linkwork.errors import Entry


def rows(figure: Figure, pairs: tuple[tuple[str, str, bool], ...], width: float = 2.4, wide: float = 7.6) -> None:
    """What is given, what becomes of it, and whether that is good."""
    axes = sketch(figure)
    for k, (given, becomes, good) in enumerate(pairs):
        y, colour = -0.75 * k, GREEN if good else RED
        boxed(axes, (0, y), given, colour, width=width)
        arrow(axes, (width / 2 + 0.1, y), (width / 2 + 0.9, y), colour)
        text(axes, (width / 2 + 1.1, y), becomes, INK if good else RED, "left")
    axes.set_xlim(-width / 2 - 0.2, wide)
    axes.set_ylim(-0.75 * len(pairs) + 0.3, 0.45)


@shows(Entry.FILE)
def file(figure: Figure) -> None:
    """Files and what reads them."""
    rows(figure, (
        (".toml .yaml .json .py", "a model: run, check, modes ...", True),
        (".urdf .sdf .xml", "a robot: the same", True),
        (".h5", "a run: view, loads, spectrum, export, run --resume", True),
        (".docx, or cut short", "cannot be read: the error names line or reason", False),
    ), width=2.9, wide=8.4)  # fmt: skip


@shows(Entry.WRITE)
def write(figure: Figure) -> None:
    """Where files may go."""
    rows(figure, (
        ("plots/run.png", "written, if the folder plots exists", True),
        ("plots/run.docx", "cannot write a plot to it: no such format", False),
        ("nowhere/run.png", "cannot write: there is no folder 'nowhere'", False),
        ("engine.toml", "exists already: linkwork new overwrites nothing", False),
    ))  # fmt: skip


@shows(Entry.PYTHON_FILE)
def python_file(figure: Figure) -> None:
    """What linkwork looks for in a Python file."""
    axes = sketch(figure)
    lines = ("import linkwork as lw", "model = lw.Model('press')", "model.bodi('ram')", "...")
    axes.fill([0, 3.6, 3.6, 0], [0, 0, 2.2, 2.2], fc="#f6f6f6", ec=INK)
    for k, line in enumerate(lines):
        axes.text(0.15, 1.85 - 0.5 * k, line, family="monospace", fontsize=9, color=RED if k == 2 else INK, va="center")
    arrow(axes, (3.6, 1.35), (4.4, 1.35), GREEN)
    text(axes, (4.5, 1.35), "called model, or the only one: it is run", GREEN, "left")
    arrow(axes, (3.6, 0.85), (4.4, 0.85))
    text(axes, (4.5, 0.85), "the error names the line", RED, "left")
    axes.set_xlim(-0.2, 8.8)
    axes.set_ylim(-0.1, 2.3)


@shows(Entry.PACKAGE)
def package(figure: Figure) -> None:
    """The core and its extras."""
    axes = sketch(figure)
    boxed(axes, (0, 0.8), "linkwork", BLUE, width=2.2, height=1.6)
    for k, extra in enumerate(("urdf", "mjcf", "step", "flexible", "study", "notebook", "export", "jit")):
        x, y = 2.5 + 1.75 * (k % 4), 1.25 - 0.9 * (k // 4)
        boxed(axes, (x, y), extra, GREY, width=1.5)
    text(axes, (5.1, -0.5), "extras: installed when they are needed, by the command in the error", INK)
    axes.set_xlim(-1.4, 8.8)
    axes.set_ylim(-0.8, 1.9)


@shows(Entry.KERNEL)
def kernel(figure: Figure) -> None:
    """Where the machine code of kernels comes from."""
    axes = sketch(figure)
    boxed(axes, (0, 1.3), "native library", GREEN, width=2.4)
    boxed(axes, (0, 0.4), "Numba (extra jit)", BLUE, width=2.4)
    boxed(axes, (4.2, 0.85), "machine code", INK, width=2.2)
    arrow(axes, (1.25, 1.3), (3.0, 0.98), GREEN)
    arrow(axes, (1.25, 0.4), (3.0, 0.72), BLUE)
    text(axes, (5.6, 1.05), "neither of the two:", RED, "left")
    text(axes, (5.6, 0.7), "nothing can be run", RED, "left")
    axes.set_xlim(-1.4, 8.2)
    axes.set_ylim(-0.1, 1.8)


@shows(Entry.OPTION)
def option(figure: Figure) -> None:
    """Options that go with an integrator."""
    rows(figure, (
        ("adams, dop853", "rtol, hmax: they choose their steps", True),
        ("rk4, ab3", "step: fixed", True),
        ("rk4 without step", "has a fixed step; give step = ... (s)", False),
        ("adams with step", "chooses its steps by rtol; give hmax instead", False),
    ))  # fmt: skip


@shows(Entry.TOO_MUCH)
def too_much(figure: Figure) -> None:
    """Runs of a study over the values of each number."""
    axes = plot(figure, "numbers that are varied, 20 values each", "runs")
    count = np.arange(1, 7)
    axes.semilogy(count, 20.0**count, "o-", color=BLUE)
    axes.axhspan(1e6, 1e9, color=RED, alpha=0.12)
    axes.text(1.1, 2e7, "too many", color=RED, fontsize=8)
    axes.axhline(2000, color=GREEN, lw=1.5)
    axes.text(6.2, 2600, "numbers that scatter: 2000 draws", color=GREEN, fontsize=8, va="bottom", ha="right")
    axes.set_ylim(5, 1e8)


@shows(Entry.ONLY_PYTHON)
def only_python(figure: Figure) -> None:
    """A Python function does not travel."""
    axes = sketch(figure)
    boxed(axes, (0, 1.0), "model with a\nPython function", BLUE, width=2.6, height=0.8)
    for k, (words, good) in enumerate((("run in this process", True), ("file, FMU, other process, GPU", False))):
        y = 1.45 - 0.9 * k
        arrow(axes, (1.4, 1.0), (3.0, y), GREEN if good else RED)
        boxed(axes, (5.0, y), words, GREEN if good else RED, width=3.8)
    text(axes, (2.6, -0.1), "an expression such as '-200*x - 3*v' goes everywhere", GREEN)
    axes.set_xlim(-1.5, 7.2)
    axes.set_ylim(-0.4, 1.9)


@shows(Entry.NOT_DRIVEN)
def not_driven(figure: Figure) -> None:
    """Two degrees of freedom and one driver."""
    axes = sketch(figure)
    bar(axes, (0, 0), (1.2, 0.8), (2.5, 0.5))
    bar(axes, (1.2, 0.8), (2.4, 1.15), color=GREY, style="--")
    support(axes, (0, 0))
    turn = np.linspace(0.1, 1.2, 30)
    axes.plot(0.5 * np.cos(turn), 0.5 * np.sin(turn), color=GREEN, lw=2)
    text(axes, (0.85, 0.1), "driven", GREEN)
    text(axes, (2.8, 0.85), "free: kinematics cannot tell where it is", RED, "left")
    axes.set_xlim(-0.4, 6.4)
    axes.set_ylim(-0.4, 1.5)


@shows(Entry.NO_EQUILIBRIUM)
def no_equilibrium(figure: Figure) -> None:
    """A potential with a minimum, and one without."""
    axes, x = plot(figure, "position", "potential energy"), np.linspace(-2, 2, 200)
    axes.plot(x, 0.6 * x**2 + 0.2, color=GREEN, label="with a minimum: balance there")
    axes.plot(x, 1.4 - 0.6 * x, color=RED, label="without: nothing holds it, it slides on")
    axes.plot(0, 0.2, "o", color=GREEN, ms=8)
    arrow(axes, (0.6, 1.04), (1.2, 0.68))
    axes.legend(fontsize=8, frameon=False, loc="upper center")
    axes.set_ylim(0, 4.4)


@shows(Entry.NOT_HELD)
def not_held(figure: Figure) -> None:
    """A force that can be adjusted, and one that is missing."""
    axes = sketch(figure)
    bar(axes, (0, 0), (2.4, 0.9))
    support(axes, (0, 0))
    arrow(axes, (1.2, 1.25), (1.2, 0.5), INK)
    text(axes, (1.35, 1.1), "weight", INK, "left")
    arrow(axes, (2.4, 0.9), (3.3, 1.24), BLUE)
    text(axes, (3.4, 1.25), "adjusted: along the bar, no lever", BLUE, "left")
    arrow(axes, (2.4, 0.1), (2.4, 0.8), GREEN)
    text(axes, (2.55, 0.25), "needed: across the bar", GREEN, "left")
    axes.set_xlim(-0.4, 6.4)
    axes.set_ylim(-0.4, 1.6)


@shows(Entry.NOTHING_MOVES)
def nothing_moves(figure: Figure) -> None:
    """A truss beside a four-bar."""
    axes = sketch(figure)
    for x, bars, words, colour in (
        (0.0, ((0, 0), (1, 1.1), (2, 0)), "3 pins: 0 degrees of freedom", RED),
        (3.8, ((0, 0), (0.4, 1.0), (1.9, 1.1), (2.2, 0)), "4 pins: 1 degree of freedom", GREEN),
    ):
        points = [(x + a, b) for a, b in bars]
        bar(axes, *points)
        support(axes, points[0])
        support(axes, points[-1])
        text(axes, (x + 1.05, 1.5), words, colour)
    axes.set_xlim(-0.5, 6.6)
    axes.set_ylim(-0.4, 1.7)


@shows(Entry.INDEPENDENT)
def independent(figure: Figure) -> None:
    """The position of a slider says nothing where its crank is in line."""
    axes, turn = plot(figure, "crank angle [rad]", "slider position [m]"), np.linspace(-0.7, 2.5, 200)
    axes.plot(turn, 0.1 * np.cos(turn) + np.sqrt(0.31**2 - (0.1 * np.sin(turn)) ** 2), color=BLUE)
    axes.plot(0, 0.41, "o", color=RED, ms=8)
    axes.axhline(0.41, color=RED, ls=":", lw=1)
    axes.text(0.12, 0.414, "in line: the slider stands, the crank turns", color=RED, fontsize=8, va="bottom")
    axes.plot(1.3, 0.1 * np.cos(1.3) + np.sqrt(0.31**2 - (0.1 * np.sin(1.3)) ** 2), "o", color=GREEN, ms=8)
    axes.text(1.36, 0.335, "either describes the other", color=GREEN, fontsize=8)
    axes.set_ylim(0.22, 0.45)


@shows(Entry.NOT_LINEARIZED)
def not_linearized(figure: Figure) -> None:
    """A force with a corner: two slopes at one place."""
    axes, x = plot(figure, "position", "force"), np.linspace(-1, 1, 200)
    axes.plot(x, np.where(x < 0, 0.3 * x, 2.5 * x), color=BLUE, lw=2)
    axes.plot(x, 0.3 * x, "--", color=RED, lw=1)
    axes.plot(x, 2.5 * x, "--", color=RED, lw=1)
    axes.plot(0, 0, "o", color=INK)
    axes.text(0.08, -0.7, "two slopes here: which stiffness?", color=RED, fontsize=8)
    axes.set_ylim(-1.3, 2.6)


@shows(Entry.NO_DERIVATIVE)
def no_derivative(figure: Figure) -> None:
    """An output that jumps where a parameter makes another mechanism of the model."""
    axes, x = plot(figure, "parameter", "output"), np.linspace(0, 1, 200)
    axes.plot(x, 0.4 + 0.5 * x, color=GREEN, label="slope: the derivative")
    axes.plot(1 + x, 1.5 + 0.2 * x, color=GREEN)
    axes.plot([1, 1], [0.9, 1.5], "o--", color=RED, mfc="white", lw=1)
    axes.text(1.05, 1.1, "jumps: another mechanism begins here", color=RED, fontsize=8)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    axes.set_ylim(0, 2.2)


@shows(Entry.NO_PERIOD)
def no_period(figure: Figure) -> None:
    """A motion that returns, and one that does not."""
    axes, t = plot(figure, "time / period", "coordinate"), np.linspace(0, 2, 300)
    axes.plot(t, np.sin(2 * np.pi * t), color=GREEN, label="returns after a period")
    axes.plot(t, np.exp(0.5 * t) * np.sin(2 * np.pi * t + 0.4) - 0.2, color=RED, label="does not return")
    axes.axvline(1, color=GREY, ls=":", lw=1)
    axes.legend(fontsize=8, frameon=False, loc="lower left")
    axes.set_ylim(-4.4, 3.0)


@shows(Entry.SAMPLES)
def samples(figure: Figure) -> None:
    """A vibration that its samples do not show."""
    axes, t = plot(figure, "time [s]", "channel"), np.linspace(0, 1, 800)
    axes.plot(t, np.sin(2 * np.pi * 11 * t), color=GREY, lw=1, label="motion, 11 Hz")
    at = np.arange(0, 1.01, 0.1)
    axes.plot(at, np.sin(2 * np.pi * 11 * at), "o--", color=RED, ms=5, lw=1.2, label="samples every 0.1 s: 1 Hz")
    axes.set_ylim(-1.2, 2.1)
    axes.legend(fontsize=8, frameon=False, loc="upper right", ncols=2)


@shows(Entry.NO_PLAN)
def no_plan(figure: Figure) -> None:
    """What a study needs."""
    rows(figure, (
        ("what varies", "--vary crank=0.05:0.15:11", True),
        ("what is tabulated", "--output 'max(slider.velocity.x)'", True),
        ("one of them missing", "nothing is varied; no output is requested", False),
    ), width=2.8)  # fmt: skip


@shows(Entry.ALL_FAILED)
def all_failed(figure: Figure) -> None:
    """Values of which none gives a mechanism."""
    axes = plot(figure, "crank [m]", "")
    crank = np.linspace(0.05, 0.5, 10)
    good = crank < 0.31
    axes.plot(crank[good], np.zeros(good.sum()), "o", color=GREEN, ms=9)
    axes.plot(crank[~good], np.zeros((~good).sum()), "x", color=RED, ms=9, mew=2.5)
    axes.axvline(0.31, color=INK, lw=1, ls="--")
    axes.text(0.16, 0.35, "rod reaches the guide", color=GREEN, fontsize=8, ha="center")
    axes.text(0.41, 0.35, "crank > rod: fails", color=RED, fontsize=8, ha="center")
    axes.set_yticks([])
    axes.set_ylim(-0.8, 0.8)


@shows(Entry.INPUT)
def input_(figure: Figure) -> None:
    """What can be moved from outside."""
    rows(figure, (
        ("force, torque, servo target", "an input", True),
        ("driver by motion or velocity", "an input of an FMU", True),
        ("measure of a body's place", "is computed: an output", False),
        ("driver by hold", "cannot be one", False),
    ), width=3.4, wide=7.4)  # fmt: skip
