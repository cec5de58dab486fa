"""Draws the pictures of "Why did my run fail", one for each entry: python docs/failures.py [HEADING ...]

Curves are of runs and formulas, sketches of the geometry they are about; docs/images/why has them, by heading.
"""

from __future__ import annotations

import sys
import warnings
from io import BytesIO
from pathlib import Path

import failing_mechanisms  # noqa: F401  its pictures
import numpy as np
import refused_models  # noqa: F401
import refused_requests  # noqa: F401
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageOps
from sketches import BLUE, GREEN, INK, PICTURES, RED, plot, shows

import linkwork as lw
from linkwork.errors import Entry

FOLDER = Path(__file__).parent / "images" / "why"
SIZE, DPI, COLOURS = (5.2, 2.3), 140, 64  # inches; of the palette
MARGIN = 12  # pixels


@shows(Entry.DRIVER_JUMPS)
def driver_jumps(figure: Figure) -> None:
    """A motion that jumps, and one that does not."""
    axes, t = plot(figure, "time [s]", "motion [rad]"), np.linspace(0, 2, 400)
    axes.plot([0, 1], [0, 0], color=RED)
    axes.plot([1, 2], [1, 1], color=RED, label="if(t < 1, 0, 1)")
    axes.plot([1, 1], [0, 1], "o", color=RED, mfc="white")
    s = np.clip((t - 0.8) / 0.4, 0, 1)
    axes.plot(t, s**2 * (3 - 2 * s), color=GREEN, label="step(t, 0.8, 0, 1.2, 1)")
    axes.legend(fontsize=8, frameon=False)


@shows(Entry.DRIVER_APART)
def driver_apart(figure: Figure) -> None:
    """A driver that begins where its coordinate is not."""
    axes, t = plot(figure, "time [s]", "coordinate [rad]"), np.linspace(0, 2, 300)
    free = 0.6 * np.cos(2.2 * t)
    axes.plot(t[t <= 1], free[t <= 1], color=BLUE, label="coordinate until the driver begins")
    axes.plot(t[t >= 1], 0.4 + 0.5 * (t[t >= 1] - 1), color=RED, label="motion of the driver")
    axes.plot([1, 1], [0.6 * np.cos(2.2), 0.4], "o--", color=INK, mfc="white", lw=1)
    axes.text(1.05, 0.0, "positions do not jump", fontsize=8)
    axes.set_ylim(-1.1, 1.0)
    axes.legend(fontsize=8, frameon=False, loc="lower left")


@shows(Entry.STEP_COLLAPSED)
def step_collapsed(figure: Figure) -> None:
    """A force that oscillates faster and faster."""
    axes, t = plot(figure, "time [s]", "force [N]"), 0.5 - np.geomspace(0.5, 1e-3, 6000)
    axes.plot(t, np.sin(0.5 / (0.5 - t)), color=BLUE, lw=1)
    steps = 0.5 - 0.5 * 0.8 ** np.arange(28)
    axes.plot(steps, np.full(len(steps), -1.25), "|", color=RED, ms=9)
    axes.set_ylim(-1.5, 1.2)
    axes.text(0.01, -1.0, "steps: shorter and shorter", color=RED, fontsize=8)
    axes.text(0.01, 0.6, "sin(0.5/(0.5 - t))", color=BLUE, fontsize=8)


@shows(Entry.TOO_MANY_STEPS)
def too_many_steps(figure: Figure) -> None:
    """A stiff equation by the explicit and the implicit rule of Euler."""
    axes, rate = plot(figure, "time [s]", "deflection"), 60.0
    for h, colour, words in (
        (0.0345, RED, "explicit, h = 2.07/$\\lambda$: unstable"),
        (0.1, GREEN, "implicit, h = 6/$\\lambda$"),
    ):
        t, y = [0.0], [1.2]
        while t[-1] < 1.0:
            t.append(t[-1] + h)
            target = np.cos(2 * t[-1])
            old = y[-1] + h * -rate * (y[-1] - np.cos(2 * t[-2]))
            y.append((y[-1] + h * rate * target) / (1 + h * rate) if colour == GREEN else old)
        axes.plot(t, y, "o-", color=colour, ms=3, lw=1, label=words)
    fine = np.linspace(0, 1, 200)
    axes.plot(fine, np.cos(2 * fine), color=INK, lw=1, label="the slow motion")
    axes.legend(fontsize=7, frameon=False, loc="lower left")


@shows(Entry.NO_CONVERGENCE)
def no_convergence(figure: Figure) -> None:
    """Newton's iteration for a curve without a root."""
    axes, x = plot(figure, "x", "residual"), np.linspace(-2.2, 2.2, 200)
    axes.plot(x, x**2 + 0.4, color=BLUE)
    axes.axhline(0, color=INK, lw=1)
    at = 1.9
    for _ in range(4):
        to = at - (at**2 + 0.4) / (2 * at)
        axes.plot([at, at, to], [0, at**2 + 0.4, 0], "--", color=RED, lw=1)
        at = to
    axes.text(0, 3.4, "no root: the iterates wander", color=RED, fontsize=8, ha="center")
    axes.set_xlim(-2.2, 2.2)
    axes.set_ylim(-0.4, 4.6)


@shows(Entry.NOT_FINITE)
def not_finite(figure: Figure) -> None:
    """An expression outside its domain."""
    axes, x = plot(figure, "x [m]", "force [N]"), np.linspace(0, 1, 300)
    axes.plot(x, np.sqrt(x), color=BLUE, label="sqrt(x)")
    axes.plot([-0.5, 0, 0], [0, 0, 0], "--", color=GREEN, label="sqrt(max(x, 0))")
    axes.axvspan(-0.5, 0, color=RED, alpha=0.12)
    axes.text(-0.25, 0.5, "no value here", color=RED, fontsize=8, ha="center")
    axes.set_xlim(-0.5, 1)
    axes.legend(fontsize=8, frameon=False, loc="lower right")


@shows(Entry.CALLBACK)
def callback(figure: Figure) -> None:
    """A function that raises an error on the way."""
    axes, t = plot(figure, "time [s]", "torque of the function [N m]"), np.linspace(0, 0.62, 200)
    axes.plot(t, 2 * np.sin(6 * t), color=BLUE)
    axes.plot(t[-1], 2 * np.sin(6 * t[-1]), "x", color=RED, ms=10, mew=2.5)
    axes.text(t[-1] + 0.03, 2 * np.sin(6 * t[-1]), "KeyError: 'gain'", color=RED, fontsize=8, va="center")
    axes.axvspan(t[-1], 1, color="0.95")
    axes.text(0.8, 1.5, "not computed", fontsize=8, ha="center")
    axes.set_xlim(0, 1)


@shows(Entry.ENERGY)
def energy(figure: Figure) -> None:
    """The energy of a double pendulum at two fixed steps."""
    axes = plot(figure, "time [s]", "error of the energy [J]")
    for step, colour in ((0.1, RED), (0.01, GREEN)):
        run = lw.library_model("double-pendulum").simulate(5.0, integrator="rk4", step=step, every=step, progress=False)
        kinetic, potential, work = run.result.energy.T[:3]
        total = kinetic + potential - work
        axes.plot(run.t, total - total[0], color=colour, label=f"rk4, step {step:g} s: {run.certificate.status}")
    axes.legend(fontsize=8, frameon=False, loc="upper left")


@shows(Entry.UNRESOLVED)
def unresolved(figure: Figure) -> None:
    """A motion between two steps."""
    axes, t = plot(figure, "time [s]", "coordinate"), np.linspace(0, 2, 800)

    def y(t: np.ndarray) -> np.ndarray:
        return 0.4 * t + np.exp(-(((t - 1.12) / 0.05) ** 2))

    h = np.linspace(0, 2, 9)
    axes.plot(t, y(t), color=BLUE, lw=1, label="motion")
    axes.plot(h, y(h), "o-", color=RED, ms=4, lw=1, label="steps of 0.25 s")
    axes.legend(fontsize=8, frameon=False)


@shows(Entry.NOT_VERIFIED)
def not_verified(figure: Figure) -> None:
    """A double pendulum at two tolerances."""
    axes = plot(figure, "time [s]", "height of the lower bar [m]")
    model = lw.library_model("double-pendulum")
    name = [c for c in model.simulate(0.1, progress=False).result.recorded() if ".position.z" in c][-1]
    for rtol, colour in ((1e-3, RED), (1e-9, BLUE)):
        run = model.simulate(15.0, rtol=rtol, every=0.02, progress=False)
        axes.plot(run.t, run[name], color=colour, lw=1, label=f"rtol = {rtol:g}")
    axes.set_ylim(top=0.6)
    axes.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)


def path_of(entry: Entry) -> Path:
    """The file of the picture: the anchor of the entry's heading."""
    return FOLDER / f"{entry.value.lower().replace(' ', '-')}.png"


def save(entry: Entry) -> None:
    """Draw and write the picture of an entry, in few colours."""
    figure = Figure(figsize=SIZE, dpi=DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    PICTURES[entry](figure)
    drawn = BytesIO()
    figure.savefig(drawn)
    cropped(Image.open(drawn).convert("RGB")).quantize(COLOURS).save(path_of(entry), optimize=True)


def cropped(image: Image.Image) -> Image.Image:
    """Without the empty space above and below; all keep one width, so that words have one size."""
    _, top, _, bottom = ImageOps.invert(image).getbbox()
    return image.crop((0, max(top - MARGIN, 0), image.width, min(bottom + MARGIN, image.height)))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    warnings.simplefilter("ignore", lw.RunWarning)
    for entry in map(Entry, sys.argv[1:]) if sys.argv[1:] else Entry:
        save(entry)
