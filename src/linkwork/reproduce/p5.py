"""P5 (Lee, Bae, Han & Suh 1994): mass-weighted local parametrization on the spatial slider-crank, 1 s.

Table 2 (28 coordinates, 30 equations, 3 redundant, 1 degree of freedom), the slider's position, velocity and
acceleration (Figs. 5-7), and the cost beside other methods.  The paper prints masses, inertias and the crank's speed,
21.648 rad/s.  Chosen here: crank 0.1 m and rod 0.31 m (from I = m l^2 / 12), crank in line with the guide at the
start, no gravity, tolerance 1e-6, Adams PECE.  The vehicle of its second example: p5_vehicle.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import Row, attempt, compare, race
from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.simulate.dynamics import Options
from linkwork.library import library_model
from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.p5_vehicle import vehicle_items
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels, step_curve
from linkwork.view.plots.sheet import COLORS

UNTIL, TOLERANCE = 1.0, 1e-6  # s, -
RIGHT = 1e-3  # of the crank's speed: an error that no plot shows
METHODS = ("parametrization", "baumgarte", "lu")
CRANK, ROD, SPEED = 0.1, 0.31, 21.648  # m, m, rad/s
PAPER_SECONDS, DADS_SECONDS = 6.79, 7.41  # CPU, IBM RISC System/6000
MOTION_FILE, DRIFT_FILE = "p5-fig5-7-slider.png", "p5-energy-and-steps.png"
FACTORED = {"parametrization": 1.0, "baumgarte": None, "lu": 2.0}  # matrices an evaluation, by section 4.5
WRONG = "not counted: its motion is wrong"
ROUNDS = 7  # of runs of which the quickest counts
slider_crank = partial(library_model, "slider-crank")
CHOICES = "crank 0.1 m, rod 0.31 m, start in line, no gravity, tol 1e-6: chosen, not printed"


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """The redundancy account, the motion with its figures, drift and cost of the three methods; the vehicle."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = {name: attempt(slider_crank().mechanism, _options(name))[0] for name in METHODS}
    motion_figures(runs, folder)
    motion, drift = shown_in(MOTION_FILE, motion_items(runs)), shown_in(DRIFT_FILE, drift_items())
    return [*account_items(), *motion, *drift, *cost_items(runs, 3 if quick else ROUNDS), *vehicle_items(folder)]


def _options(method: str, every: float = 0.002) -> Options:
    return Options(until=UNTIL, formulation="absolute", method=method, rtol=TOLERANCE, every=every)


# -- Table 2 ----------------------------------------------------------------------------------------------------------
def account_items() -> list[Item]:
    """Coordinates, equations, redundancies and degrees of freedom in the paper's count."""
    found = diagnose(slider_crank().mechanism)
    named = "; ".join(f"{r.element}: {r.equation} (shared with {', '.join(r.shared_with)})" for r in found.redundant)
    facts = {
        "coordinates, 7 a body with ground": (28, found.papers["coordinates"]),
        "equations, ground and normalizations included": (30, found.papers["equations"]),
        "redundant equations": (3, found.papers["redundant"]),
        "degrees of freedom": (1, found.dof),
    }
    items = [
        Item("Table 2", what, paper, ours, verdict="reproduced" if paper == ours else "not reproduced")
        for what, (paper, ours) in facts.items()
    ]
    verdict = "ours; the paper names none, and the set is not unique"
    return [*items, Item("Table 2", "redundant equations by name", None, named, verdict=verdict)]


# -- motion -----------------------------------------------------------------------------------------------------------
def crank_speed(theta: np.ndarray) -> np.ndarray:
    """Crank rate (rad/s) at the crank angle (rad) by conservation of energy: the exact motion without gravity.

    T = 1/2 [J_crank + m_rod (dc/dtheta)^2 + J_rod (dpsi/dtheta)^2 + m_slider (dx/dtheta)^2] theta'^2.
    """

    def inertia(a: np.ndarray) -> np.ndarray:
        sin_psi = CRANK / ROD * np.sin(a)
        cos_psi = np.sqrt(1.0 - sin_psi**2)
        lean = CRANK / ROD * np.cos(a) / cos_psi  # dpsi/dtheta
        slider = -CRANK * np.sin(a) - ROD * sin_psi * lean  # dx/dtheta
        centre = (-CRANK * np.sin(a) - ROD / 2 * sin_psi * lean, CRANK / 2 * np.cos(a))
        crank, rod = 1e-4 + 0.12 * (CRANK / 2) ** 2, 0.5 * (centre[0] ** 2 + centre[1] ** 2) + 0.004 * lean**2
        total: np.ndarray = crank + rod + 2.0 * slider**2
        return total

    rate: np.ndarray = SPEED * np.sqrt(inertia(np.zeros(1)) / inertia(theta))
    return rate


def crank_angle(run: Result) -> np.ndarray:
    """Crank angle from the start, counted over turns, rad."""
    k = run.names["bodies"].index("crank")
    e = run.orientation[:, k]
    return np.unwrap(-2.0 * np.arctan2(e[:, 2], e[:, 0]))


def motion_error(run: Result) -> float:
    """How far its crank's speed is off conservation of energy, relative to the speed at the start."""
    rate = -run.angular_velocity[:, run.names["bodies"].index("crank"), 1]
    return float(np.abs(rate - crank_speed(crank_angle(run))).max() / SPEED)


def is_right(run: Result) -> bool:
    """Whether it went to its end on the exact motion."""
    return run.certificate.status == "finished" and motion_error(run) < RIGHT


def motion_items(runs: Mapping[str, Result]) -> list[Item]:
    """The paper shows that its curves lie on those of DADS; ours lie on the exact motion."""
    return [
        Item("Figs. 5-7", f"{name}: crank speed off energy conservation, of {SPEED:g} rad/s",
             "curves agree with DADS", motion_error(run),
             verdict=f"reproduced ({CHOICES})" if is_right(run) else "not reproduced: the motion drifts")
        for name, run in runs.items()
    ]  # fmt: skip


def motion_figures(runs: Mapping[str, Result], folder: Path) -> None:
    """Figs. 5-7, the crank's angle, and what the methods do about constraints and steps."""
    looks = [(name, run, COLORS[k], 3.0 - 0.9 * k) for k, (name, run) in enumerate(runs.items())]

    def curves(channel: str) -> list[Curve]:
        return [Curve(n, r.t, r.channel(channel), c, "--" if n != "parametrization" else "-", width=w)
                for n, r, c, w in looks]  # fmt: skip

    panels = [
        Panel("crank angle [rad]", [Curve(n, r.t, crank_angle(r), c, width=w) for n, r, c, w in looks]),
        Panel("Fig. 5: slider's\nposition [m]", curves("slider.position.x")),
        Panel("Fig. 6: slider's\nvelocity [m/s]", curves("slider.velocity.x")),
        Panel("Fig. 7: slider's\nacceleration [m/s$^2$]", curves("slider.vx.dot")),
    ]
    plot_panels(panels, path=folder / MOTION_FILE, title="P5, slider-crank: motion of crank and slider")
    drift = [Curve(n, r.t, np.abs(r.channel("energy.balance")), c) for n, r, c, _ in looks]
    steps = [step_curve(n, r, c) for n, r, c, _ in looks]
    plot_panels([Panel("|energy residual| [J]", drift, log=True), Panel("step size [s]", steps, log=True)],
                path=folder / DRIFT_FILE, title="P5, slider-crank: energy and steps")  # fmt: skip


# -- drift and cost ---------------------------------------------------------------------------------------------------
def drift_items() -> list[Item]:
    """Violation and energy: projecting methods meet the constraints, Baumgarte only nears them (P5 section 4.5)."""
    rows = compare(slider_crank().mechanism, _options("auto"), METHODS, ("absolute",)).rows
    claims = {
        "parametrization": "meets the constraints",
        "baumgarte": "no certainty that they are met",
        "lu": "meets the constraints",
    }
    return [Item("4.5", f"{row.method}: largest violation, m or rad", claims[row.method], row.max_violation,
                 verdict=_drift_verdict(row)) for row in rows]  # fmt: skip


def _drift_verdict(row: Row) -> str:
    measures = f"energy drift {row.energy_drift:.0e}, position off the tightest run by {row.error:.0e} m"
    if row.status != "finished":
        return f"not reproduced: the motion is wrong; {measures}"
    met = row.max_violation < 1e-10
    return f"{'reproduced' if met == (row.method != 'baumgarte') else 'not reproduced'}; {measures}"


def cost_items(runs: Mapping[str, Result], rounds: int) -> list[Item]:
    """CPU time as a ratio, and factorizations per step, to which the paper attributes its lead over DADS.

    `runs`: the same ones, whose motions must be right for a cost to count.
    """
    mechanism, timed = slider_crank().mechanism, [_options(name, every=UNTIL) for name in METHODS]
    seconds = dict(zip(METHODS, race(mechanism, timed, rounds=rounds, clock="cpu_s"), strict=True))
    ours, items = seconds["parametrization"], []
    for rival in ("lu", "baumgarte"):
        ratio = ours / seconds[rival]
        right = is_right(runs["parametrization"]) and is_right(runs[rival])
        items.append(
            Item("CPU", f"parametrization / {rival} (paper: parametrization / DADS), s", PAPER_SECONDS, ours,
                 PAPER_SECONDS / DADS_SECONDS, ratio, _cost_verdict(rival, ratio) if right else WRONG)
        )  # fmt: skip
    return items + [factoring_item(name, paper) for name, paper in FACTORED.items()]


def factoring_item(name: str, paper: float | None) -> Item:
    """How many matrices a method factors at an evaluation, as printed."""
    run = attempt(slider_crank().mechanism, replace(_options(name), literal=True))[0]
    c = run.certificate
    each = c.factorizations / max(c.evaluations, 1)
    verdict = f"{c.factorizations / c.steps:.2f} per accepted step, which PECE evaluates twice"
    if paper is not None:
        same = math.isclose(each, paper, rel_tol=0.15)
        verdict = f"{'reproduced' if same else 'not reproduced'}: {verdict}"
    return Item("4.5", f"{name}: matrices factored at an evaluation, as printed", paper, each,
                verdict=verdict if is_right(run) else WRONG)  # fmt: skip


def _cost_verdict(rival: str, ratio: float) -> str:
    lead = "reproduced: it leads here too" if ratio < 1.0 else "not reproduced: it does not lead here"
    whom = {
        "lu": "coordinate partitioning, for which the paper counts two factorizations",
        "baumgarte": "Baumgarte, which corrects nothing but takes more steps for its stiff feedback",
    }[rival]
    return f"{lead}, against {whom}"
