"""P4 (Choi, Park & Yoo): systems driven at constant generalized speeds - equilibrium, linearization, vibration.

The governor (section 4.1): steady position, linearized mass and stiffness, frequency, and the impact response by which
the paper confirms it (Figs. 3, 4).  The rotating cantilever (section 4.2, Table 4) of 30 lumped masses, beside exact
values.  Eq 19, which omits half of the Coriolis term, on the smallest system where that matters.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh

from linkwork.analyses.vibration.linearization import Linearization
from linkwork.analyses.vibration.over_speed.sweeps import Sweep
from linkwork.library.rotating import GOVERNOR_SPEED, UNIT_SPEED, governor, rotating_cantilever
from linkwork.model import Model
from linkwork.numerics.quadratic_eigen import quadratic_eigen
from linkwork.reproduce.items import Item, shown_in
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS
from linkwork.view.plots.vibration import plot_campbell

GOVERNOR_FILE, IMPACT_FILE, SPECTRUM_FILE = "p4-governor.png", "p4-fig3-impact.png", "p4-fig4-spectrum.png"
CANTILEVER_FILE = "p4-cantilever.png"
STIFF = 1e4  # times the printed EA: the beam that the paper's table needs
MANY = 120  # masses: the limit of many elements to 3 or 4 digits
BLOW, FROM, UNTIL, RATE = 20.0, 22.0, 30.0, 100.0  # s, s, s, Hz: impact, and the data that are transformed
STEADY = 1e-3  # of d: an oscillation that no plot shows
DAMPER = 30.0  # N s/m, of the governor
ROUNDING = 1e-9  # relative
PADDED = 64  # times as many points with zeros: bins of 0.002 Hz instead of 0.125 Hz
PRINTED = {(2.0, 0): 1641.44, (10.0, 0): 2245.01, (2.0, 1): 10053.36, (10.0, 1): 14292.95}  # rad/s, Table 4
REFERENCE = {(2.0, 0): 1641.44, (10.0, 0): 2258.43, (2.0, 1): 10075.72, (10.0, 1): 14364.50}  # by speed and mode


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Governor, impact response, eq 19, Table 4, and the plots; `quick` draws coarser Campbell diagrams."""
    folder.mkdir(parents=True, exist_ok=True)
    step = 4.0 if quick else 1.0
    sweep = governor().sweep("spindle", np.arange(0.0, 60.5, step), progress=False)
    campbell(sweep, f"P4, governor: Campbell diagram, {GOVERNOR_SPEED:g} rad/s in the paper", folder / GOVERNOR_FILE)
    linear = governor().linearize({"spindle": GOVERNOR_SPEED}, independent=["collar"])
    return [*governor_items(linear), *impact_items(linear, folder), *coriolis_items(), *beam_items(folder, quick)]


def campbell(sweep: Sweep, title: str, path: Path) -> None:
    """A Campbell diagram under a title of its own."""
    figure = plot_campbell(sweep, count=3)
    figure.suptitle(title)
    figure.savefig(path)


def _agrees(paper: float, ours: float, digits: int) -> str:
    """Whether ours is the paper's number when printed with its digits."""
    if round(ours, digits) == paper:
        return f"reproduced, all printed digits: {ours:.{digits}f}"
    return f"not reproduced: {ours:.{digits + 1}f}"


def _ours(value: float, what: str) -> str:
    return f"ours, {value:.4g}: {what}"


def _of_the_damper(damping: float) -> str:
    alone = math.isclose(damping, DAMPER, rel_tol=ROUNDING)
    return f"the damper's {DAMPER:g}" + (", and no Coriolis term in d" if alone else " and a Coriolis term in d")


# -- the governor -----------------------------------------------------------------------------------------------------
def governor_items(linear: Linearization) -> list[Item]:
    """Section 4.1: equilibrium and linearization in d."""
    found = linear.equilibrium
    assert found is not None
    d, angle = found["collar.distance"], abs(found["arm 1.angle"])
    mode = linear.modes()[0]
    facts = [
        ("4.1", "distance d of the collar, m", 0.15, d, 2),
        ("4.1", "angle of the arms, rad", 0.7856, angle, 4),
        ("eq 21", "M_hat, kg", 31.4647, float(linear.M[0, 0]), 4),
        ("eq 22", "K_hat, N/m", 1350.9635, float(linear.K[0, 0]), 4),
        ("4.1", "natural frequency, rad/s", 6.553, mode.omega, 3),
    ]
    items = [Item(table, what, paper, ours, verdict=_agrees(paper, ours, n)) for table, what, paper, ours, n in facts]
    hz, damping = mode.frequency_hz, float(linear.C[0, 0])
    verdict = _agrees(1.042, hz, 3)
    if math.floor(1000.0 * hz) == 1042:
        verdict = f"reproduced: {hz:.4f}, which the print cuts off instead of rounding it"
    return [
        *items,
        Item("4.1", "natural frequency, Hz", 1.042, hz, verdict=verdict, figures=(GOVERNOR_FILE,)),
        Item("eq 19", "C_hat, N s/m", None, damping, verdict=_ours(damping, _of_the_damper(damping))),
        Item("4.1", "damping ratio", None, mode.damping, verdict=_ours(mode.damping, "not printed")),
        Item("4.1", "damped frequency, Hz", None, mode.damped_omega / (2.0 * math.pi),
             verdict="not printed; g = 9.806 m/s2 and a natural length of 0.15 m, neither printed, are our choice"),
    ]  # fmt: skip


def impact_items(linear: Linearization, folder: Path) -> list[Item]:
    """Figs. 3 and 4: run to the steady state, a blow on the collar at 20 s, the spectrum of 22 to 30 s."""
    model = governor()
    model.driver("motor", "spindle", f"{GOVERNOR_SPEED!r}*t")
    model.impulse("blow", "slider", BLOW, impulse=(0.0, -2.0, 0.0))
    run = model.simulate(UNTIL, every=1.0 / RATE, rtol=1e-8, progress=False)
    d = run["collar.distance"]
    fine = run.spectrum("collar.distance", during=(FROM, UNTIL - 1.0 / RATE), padding=PADDED)
    coarse = run.spectrum("collar.distance", during=(FROM, UNTIL - 1.0 / RATE))
    plot_panels(
        [Panel("relative displacement d [m]", [Curve("d", run.t, d, COLORS[0])], height=1.4)],
        path=folder / IMPACT_FILE,
        title="P4, Fig. 3: the governor struck at 20 s (2 N s on the collar)",
    )  # fmt: skip
    spectra = [
        Curve(name, found.frequency[found.frequency < 3.0], found.amplitude[found.frequency < 3.0], color, style)
        for name, found, color, style in (
            ("zero-padded", fine, COLORS[0], "-"), (f"bins of {coarse.resolution:g} Hz", coarse, COLORS[1], "o--"),
        )
    ]  # fmt: skip
    plot_panels(
        [Panel("amplitude [m]", spectra, height=1.4)], path=folder / SPECTRUM_FILE,
        title="P4, Fig. 4: spectrum of 22 s to 30 s, sampled at 100 Hz", x_label="frequency [Hz]",
    )  # fmt: skip
    assert linear.equilibrium is not None
    damped = linear.modes()[0].damped_omega / (2.0 * math.pi)
    before = d[(run.t > 18.0) & (run.t < BLOW - 0.005)]
    settled = float(np.abs(before - linear.equilibrium["collar.distance"]).max())
    bin_width = coarse.resolution
    right = "reproduced" if abs(fine.peak[0] - 1.042) < bin_width / 2 else "not reproduced"
    steady = "reproduced" if settled < STEADY * linear.equilibrium["collar.distance"] else "not reproduced"
    return [
        Item("Fig. 3", "d before the blow, off the equilibrium, m", "steady at 20 s", settled,
             verdict=f"{steady}: what is left of the start after 18 s", figures=(IMPACT_FILE,)),
        Item("Fig. 4", "peak of the spectrum, zero-padded, Hz", 1.042, fine.peak[0],
             verdict=f"{right} to the width of the peak ({coarse.peak[0]:.3f} Hz in bins of {bin_width:g} Hz); "
                     f"an impact shows the damped frequency, {damped:.4f} Hz", figures=(SPECTRUM_FILE,)),
    ]  # fmt: skip


# -- eq 19 ------------------------------------------------------------------------------------------------------------
def mass_on_turntable(omega: float = 10.0) -> Model:
    """A mass held by isotropic springs on a turning frame: exact frequencies omega +- speed, seen from the frame."""
    m = Model("mass on a turntable", gravity=(0.0, 0.0, 0.0))
    m.body("table", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("turn", m.ground, "table", at=(0, 0, 0), axis="z")
    m.planar("slide", "table", "mass", at=(0, 0, 0), axis="z")
    for axis in ("x", "y", "angle"):
        m.joint_force(f"spring {axis}", "slide", f"{-(omega**2)!r}*q", axis)
    return m


def without_half_of_coriolis(linear: Linearization) -> np.ndarray:
    """Frequencies by eq 19 as printed, theory (4.7), where the skew part of C_hat is halved, rad/s."""
    skew = 0.5 * (linear.C - linear.C.T)
    s, _ = quadratic_eigen(linear.M, linear.C - 0.5 * skew, linear.K)
    return np.sort(s.imag[s.imag > 0.0])


def coriolis_items(omega: float = 10.0, speed: float = 3.0) -> list[Item]:
    """A mass on a frame that turns: omega -+ speed exactly; the paper has no such example."""
    linear = mass_on_turntable(omega).linearize({"turn": speed})
    across = [k for k, name in enumerate(linear.independent) if not name.endswith("angle")]
    ours = [mode.omega for mode in linear.modes() if np.abs(mode.shape[across]).max() > 0.5]
    printed = [w for w in without_half_of_coriolis(linear) if abs(w - omega) > 1e-6]
    what = f"mass on a frame turning at {speed:g} rad/s, {omega:g} rad/s at rest"
    items = []
    for half, full, exact in zip(printed, ours, (omega - speed, omega + speed), strict=True):
        right = "exact" if math.isclose(full, exact, rel_tol=ROUNDING) else f"wrong, exact is {exact:g}"
        items.append(
            Item("eq 19", f"{what}: frequency, rad/s", None, full,
                 verdict=f"{right}; eq 19, which omits half of the Coriolis term, would give {half:.4g}")
        )  # fmt: skip
    return items


# -- Table 4 ----------------------------------------------------------------------------------------------------------
def exact_chordwise(speed: float, count: int = 14) -> np.ndarray:
    """Frequencies of the inextensible beam without rotary inertia, all without dimension, by Galerkin's method.

    v'''' - g^2 [(1 - x^2)/2 v']' - g^2 v = w^2 v; clamped at 0, free at 1 (Wright, Smith, Thresher & Wang 1982 for the
    flapwise case, without the last term on the left).  Polynomials x^2 times Legendre's: 10 digits.
    """
    nodes, weights = np.polynomial.legendre.leggauss(4 * count)
    x, w = 0.5 * (nodes + 1.0), 0.5 * weights
    shapes = [Polynomial([0, 0, 1]) * Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(count)]
    v, v1, v2 = (np.array([shape.deriv(n)(x) if n else shape(x) for shape in shapes]) for n in range(3))
    M = (v * w) @ v.T
    K = (v2 * w) @ v2.T + speed**2 * ((v1 * w * 0.5 * (1.0 - x**2)) @ v1.T - M)
    scale = 1.0 / np.sqrt(np.diag(M))
    frequencies: np.ndarray = np.sqrt(eigh(K * np.outer(scale, scale), M * np.outer(scale, scale), eigvals_only=True))
    return frequencies


def without_dimension(printed: float) -> tuple[float, str]:
    """A frequency of Table 4 (rad/s) over UNIT_SPEED, and what is wrong with its print, if anything is.

    All but one are numbers of two decimals times UNIT_SPEED; that one is, with two neighbouring digits exchanged.
    """
    text = f"{printed:.2f}"
    exchanged = (text[:k] + text[k + 1] + text[k] + text[k + 2 :] for k in range(len(text) - 1) if text[k + 1] != ".")
    for candidate in (text, *exchanged):
        number = round(float(candidate) / UNIT_SPEED, 2)
        if abs(number * UNIT_SPEED - float(candidate)) < 0.01:
            slip = f"{candidate} with two digits exchanged, which is {number:.2f} x {UNIT_SPEED:.4f}"
            return number, "" if candidate == text else slip
    return printed / UNIT_SPEED, ""


def beam_verdict(printed: float, ours: float, what: str) -> str:
    """Whether ours (without dimension) is the paper's to its two decimals, or nearly."""
    paper, slip = without_dimension(printed)
    verdict = _agrees(paper, ours, 2)
    if verdict.startswith("not") and abs(ours - paper) < 0.01:
        verdict = f"reproduced in part, within a unit of the last digit: {ours:.3f}"
    return f"{verdict}, without dimension, {what}" + (f"; printed is {slip}" if slip else "")


def beam_items(folder: Path, quick: bool) -> list[Item]:
    """Table 4: two frequencies at two speeds; axially stiff, with the printed EA (30 masses and many), and exact."""
    items, many = [], 60 if quick else MANY
    found = {(axial, speed): _beam_frequencies(axial, speed) for axial in (STIFF, 1.0) for speed in (2.0, 10.0)}
    finer = {speed: _beam_frequencies(1.0, speed, many) for speed in (2.0, 10.0)}
    for (speed, n), printed in PRINTED.items():
        exact = float(exact_chordwise(speed)[n])
        name = f"mode {n + 1} at speed {speed:g}, rad/s"
        reference = REFERENCE[speed, n]
        stretched = f"which lets the beam stretch and so couples it; {many} masses: {finer[speed][n]:.4f}"
        for whose, paper, ours, what in (
            ("EA x 1e4", printed, found[STIFF, speed][n], f"exact {exact:.5f}"),
            ("EA as printed", printed, found[1.0, speed][n], f"with EA = 2e8 N, {stretched}"),
            ("paper's reference", reference, exact, "exact, inextensible"),
        ):
            verdict = beam_verdict(paper, ours, what)
            item = Item("Table 4", f"{name}, {whose}", paper, ours * UNIT_SPEED, verdict=verdict)
            items += shown_in(CANTILEVER_FILE, [item]) if whose == "EA x 1e4" else [item]
    speeds = np.linspace(0.0, 10.0, 6 if quick else 21) * UNIT_SPEED
    beam = rotating_cantilever(axial=STIFF).sweep("spindle", speeds, progress=False)
    campbell(beam, "P4, rotating cantilever, EA x 1e4: Campbell diagram", folder / CANTILEVER_FILE)
    return items


def _beam_frequencies(axial: float, speed: float, masses: int = 30) -> list[float]:
    linear = rotating_cantilever(masses=masses, axial=axial).linearize({"spindle": speed * UNIT_SPEED})
    lowest: list[float] = (linear.modes().omega[:2] / UNIT_SPEED).tolist()
    return lowest
