"""The parallelogram four-bar of P1 and P3: its exact motion, how a run of it ended, and the table of costs.

Cranks 1 m, coupler and ground 2 m, one section, released at rest at 10 degrees (lengths reconstructed, see
library/linkages.py).  It is flat, and its constraints lose rank, at 0.179, 0.986, 1.344, 2.152 and 2.509 s; with the
flexible coupler (library/flexible.py) up to 6 ms later.  Its chord keeps its length, so that it is a parallelogram too.

A flat position is where the parallelogram meets the antiparallelogram.  Along the direction s in which they part,
x being the distance from it, a constraint reads x s + s^2 / 2: a violation e that is left standing is an error e / x
of position and e x' / x^2 of velocity.  So what a method survives there depends first on how well the constraints
are met, a number that neither paper prints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt, race
from linkwork.analyses.simulate.dynamics import Options
from linkwork.library.flexible import four_bar_flexible
from linkwork.library.linkages import four_bar
from linkwork.mechanism import Mechanism
from linkwork.reproduce.items import Item
from linkwork.results.result import Result
from linkwork.view.plots.comparison import Curve, Lane, Panel, plot_panels, step_curve
from linkwork.view.plots.histories import COLORS

CRANK = 1.0  # m
RATIO = 2.0  # coupler mass / crank mass
GRAVITY = 9.81  # m/s2
START = 10.0  # deg
FLAT = (0.1788, 0.9864, 1.3441, 2.1517, 2.5094)  # s
UNTIL = 3.0  # s
EVERY = 0.005  # s between samples of the figures
NEAR = 0.03  # s from a flat position
TILT = 1e-3  # rad: on the parallelogram the coupler stays level; on the other branch it turns by radians
ROUNDS = 10  # of runs of which the quickest counts

LOOSE = 1e-6  # m or rad, constraint tolerance of the run that fails as the papers' LU did
TOLERANCES = (0.0, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6)  # m, of the constraints; 0: to rounding
PRINTED, OURS = "printed", "our"  # the algebra and restarts of the print; linkwork's default form
WHY_SURVIVES = "the constraints are met to rounding at every step; see the table 'constraint tolerance'"


@dataclass(frozen=True)
class Contest:
    """The three methods of a paper on this mechanism, and its Table 2; with the flexible coupler its Table 3."""

    paper: str
    formulation: str
    methods: tuple[str, str, str]  # LU, the kept basis, the hybrid
    seconds: tuple[float, float, float]  # CPU, R10000
    figures: str  # what the paper shows of these runs
    flexible: bool = False

    @property
    def table(self) -> str:
        """Its table."""
        return "Table 3" if self.flexible else "Table 2"

    @property
    def settings(self) -> tuple[float, float]:
        """Largest step (s) and tolerance of the table."""
        return (5e-4, 1e-5) if self.flexible else (0.01, 1e-4)

    def mechanism(self, angle: float = START) -> Mechanism:
        """The four-bar, released at a crank angle (deg)."""
        return (four_bar_flexible(angle=angle) if self.flexible else four_bar(angle=angle)).mechanism


def settings(method: str, form: str, constraint_tolerance: float = 0.0) -> dict[str, float]:
    """Options of a method in the printed form or in ours."""
    chosen = {"constraint_tolerance": constraint_tolerance} if constraint_tolerance else {}
    if form == PRINTED:
        chosen["literal"] = 1.0
        if method.startswith("hybrid"):
            chosen["hold"] = 0.0  # the print has no such criterion
    return chosen


def options(contest: Contest, method: str, form: str, **more: object) -> Options:
    """The settings of the table, unless said otherwise."""
    hmax, tolerance = contest.settings
    chosen: dict[str, object] = {
        "until": UNTIL,
        "formulation": contest.formulation,
        "method": method,
        "rtol": tolerance,
        "hmax": hmax,
        "every": EVERY,
        "method_options": settings(method, form),
    }
    return Options(**(chosen | more))  # type: ignore[arg-type]


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Crank angle (rad) and rate (rad/s) on the parallelogram: theta'' = -(g/l) (1+r) / (2/3+r) cos(theta).

    The two cranks and the coupler, which moves without turning, are one pendulum.  Classical Runge-Kutta of 1e-3 s
    or less, to 1e-10 rad.
    """
    pull = GRAVITY / CRANK * (1.0 + RATIO) / (2.0 / 3.0 + RATIO)

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -pull * math.cos(y[0])])

    y, now = np.array([math.radians(START), 0.0]), 0.0
    states = np.empty((len(t), 2))
    for k, end in enumerate(t):
        count = math.ceil((end - now) / 1e-3)
        for _ in range(count):
            h = (end - now) / count
            a = rate(y)
            b = rate(y + h / 2 * a)
            c = rate(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
        states[k], now = y, end
    return states[:, 0], states[:, 1]


# -- how a run ended --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Ending:
    """Whether a run stayed on the parallelogram."""

    kept: bool
    t: float  # s: when it left the branch or stopped; else the end
    stopped: bool
    drift: float  # of the energy exchanged

    @property
    def words(self) -> str:
        """For the column of ours."""
        if self.kept:
            return f"stays on the parallelogram to {self.t:.3g} s, energy drift {self.drift:.0e}"
        event = "stops" if self.stopped else "leaves the parallelogram"
        return f"{event} at {self.t:.3f} s{_near_flat(self.t)}, energy drift {self.drift:.0e}"


def _near_flat(t: float) -> str:
    ordinals = ("first", "second", "third", "fourth", "fifth")
    near = [word for word, flat in zip(ordinals, FLAT, strict=True) if abs(t - flat) < NEAR]
    return f", the {near[0]} flat position" if near else ""


def ending(run: Result) -> Ending:
    """The coupler's tilt says on which branch it is."""
    e = run.orientation[:, run.names["bodies"].index("coupler")]
    tilt = 2.0 * np.arctan2(np.linalg.norm(e[:, 1:], axis=1), np.abs(e[:, 0]))
    c = run.certificate
    left = np.flatnonzero(tilt > TILT)
    if len(left):
        return Ending(False, float(run.t[left[0]]), False, c.energy_drift)
    return Ending(c.status != "failed", c.t_end, c.status == "failed", c.energy_drift)


def motion_verdict(fails_at: float | None, found: Ending, form: str) -> str:
    """The paper's finding beside ours, in words; `fails_at`: when its run failed, s, or None if it was right."""
    if fails_at is None:
        if found.kept:
            return "reproduced" + ("" if found.t >= UNTIL else f", as far as it was run ({found.t:g} s)")
        reason = (
            "the printed form has no rank cut, and restarts"
            if form == PRINTED
            else "a singular position it did not pass"
        )
        return f"ours fails where theirs did not: {reason}"
    if not found.kept:
        same = abs(found.t - fails_at) < NEAR
        return "reproduced: it fails at the same flat position" if same else "it fails here as well, at another time"
    if found.t < fails_at:
        return f"open: run to {found.t:g} s only, short of the paper's failure"
    return f"ours does not fail where theirs did, because {WHY_SURVIVES}"


# -- the table of costs -----------------------------------------------------------------------------------------------
def cost_items(contest: Contest, rounds: int = ROUNDS) -> list[Item]:
    """CPU time, evaluations and factorizations of the three methods, as ratios to LU, in both forms."""
    mechanism = contest.mechanism()
    items = []
    for form in (PRINTED, OURS):
        runs = [options(contest, m, form, every=UNTIL) for m in contest.methods]
        certificates = [attempt(mechanism, run)[0].certificate for run in runs]
        seconds = race(mechanism, runs, rounds=rounds)
        for method, paper, own in zip(contest.methods, contest.seconds, seconds, strict=True):
            ratios = paper / contest.seconds[0], own / seconds[0]
            verdict = _cost_verdict(method, *ratios)
            items.append(Item(contest.table, f"{method}, {form} form: CPU s", paper, own, *ratios, verdict))
        for what in ("evaluations", "factorizations"):
            counts = [getattr(c, what) for c in certificates]
            for method, count in zip(contest.methods, counts, strict=True):
                ratio = count / counts[0]
                verdict = _count_verdict(method, ratio, form)
                items.append(Item(contest.table, f"{method}, {form} form: {what}", None, count, None, ratio, verdict))
        items.append(_order_item(contest, form, [(c.evaluations, len(c.switches)) for c in certificates]))
    return items


def _cost_verdict(method: str, paper: float, ours: float) -> str:
    if method == "lu":
        return "the unit of the ratios"
    if 0.75 <= ours / paper <= 1.33:
        return "reproduced"
    return (
        f"not the paper's factor: {ours:.2f} x LU where theirs was {paper:.2f} x; P1 lays that to inverting Phi_q Q1 "
        "and reducing the equations, against a sparse solver for LU; here all three share one reduced algebra"
    )


def _count_verdict(method: str, ratio: float, form: str) -> str:
    if method == "lu":
        return "the unit of the ratios"
    if ratio > 1.02:
        return "more than LU: " + ("restarts after changes of basis" if form == PRINTED else "bases built anew")
    return "as many as LU" if ratio > 0.98 else "fewer than LU: fewer restarts"


def _order_item(contest: Contest, form: str, effort: Sequence[tuple[int, int]]) -> Item:
    """Who needs the fewest evaluations; `effort`: evaluations and changes of basis of each method."""

    def ranked(costs: Sequence[float]) -> list[int]:
        return sorted(range(3), key=lambda k: costs[k])

    counts = [evaluations for evaluations, _ in effort]
    paper, ours = ranked(contest.seconds), ranked(counts)
    told = " < ".join(f"{contest.methods[k]} {effort[k][0]} ({effort[k][1]} changes of basis or rank)" for k in ours)
    if max(counts) < 1.02 * min(counts):
        verdict = "all three need the same evaluations: without restarts a change of basis costs none"
    elif ours == paper:
        verdict = "order reproduced: restarts after changes of basis cost evaluations"
    else:
        verdict = "order not reproduced: only restarts cost evaluations, and they follow the changes of basis"
    return Item(contest.table, f"order of cost, {form} form, by evaluations",
                " < ".join(contest.methods[k] for k in paper), told, verdict=verdict)  # fmt: skip


def motion_items(contest: Contest, runs: Mapping[tuple[str, str], Result]) -> list[Item]:
    """What the papers' figures show: LU is wrong after the second flat position."""
    items = []
    for (method, form), run in runs.items():
        right = method != "lu"
        paper = "right" if right else "wrong after the second flat position: energy jumps, the coupler rises"
        found = ending(run)
        fails_at = None if right else FLAT[1]
        items.append(
            Item(contest.figures, f"{method}, {form} form: motion", paper,
                 found.words, verdict=motion_verdict(fails_at, found, form))
        )  # fmt: skip
    return items


# -- constraint tolerance ---------------------------------------------------------------------------------------------
def tolerance_items(contest: Contest, starts: Sequence[float], folder: Path) -> list[Item]:
    """How many of some start angles (deg) keep their branch when violations below a tolerance are left standing."""
    items, curves = [], []
    at = np.array([max(tolerance, 1e-16) for tolerance in TOLERANCES])
    for k, method in enumerate(contest.methods):
        for form in (PRINTED, OURS):
            kept = [_kept(contest, method, form, tolerance, starts) for tolerance in TOLERANCES]
            told = ", ".join(f"{_told(e)}: {n}" for e, n in zip(TOLERANCES, kept, strict=True))
            items.append(
                Item("constraint tolerance", f"{method}, {form} form: of {len(starts)} starts, kept their branch",
                     "the tolerance is not printed", told, verdict=_tolerance_verdict(kept, len(starts)))
            )  # fmt: skip
            style = "-" if form == OURS else "--"
            curves.append(Curve(f"{method}, {form} form", at, 100.0 * np.array(kept) / len(starts), COLORS[k], style))
    figure = plot_panels([Panel("starts on their branch [%]", curves, limits=(-5.0, 105.0), height=1.6)],
                         title="Through flat positions, by how well the constraints are met")  # fmt: skip
    axes = figure.axes[0]
    axes.set_xscale("log")
    axes.set_xlim(5e-17, 3e-6)
    axes.set_xlabel("violation of a constraint that is left standing [m or rad]; leftmost: rounding")
    figure.savefig(folder / f"{contest.paper.lower()}-constraint-tolerance.png")
    return items


def _kept(contest: Contest, method: str, form: str, tolerance: float, starts: Sequence[float]) -> int:
    chosen = options(contest, method, form, method_options=settings(method, form, tolerance))
    return sum(ending(attempt(contest.mechanism(angle), chosen)[0]).kept for angle in starts)


def _told(tolerance: float) -> str:
    return f"{tolerance:.0e}" if tolerance else "rounding"


def _tolerance_verdict(kept: Sequence[int], count: int) -> str:
    reason = "a violation e at distance x from a flat position is an error e x'/x^2 of velocity along the other branch"
    lost = [e for e, n in zip(TOLERANCES, kept, strict=True) if n < count]
    if not lost:
        return "safe at every constraint tolerance tried"
    none = [e for e, n in zip(TOLERANCES, kept, strict=True) if n == 0]
    ends = f", all at {none[0]:.0e}" if none else ""
    if lost[0] == 0.0:
        return f"loses some starts even with constraints met to rounding{ends}: {reason}"
    return f"safe with constraints met to rounding; loses some starts from {lost[0]:.0e} on{ends}: {reason}"


def loose_run(contest: Contest) -> tuple[Result, Item]:
    """LU in the printed form with loose constraints: the run that goes wrong as the paper's did."""
    chosen = options(contest, "lu", PRINTED, method_options=settings("lu", PRINTED, LOOSE))
    run = attempt(contest.mechanism(), chosen)[0]
    found = ending(run)
    item = Item(
        "constraint tolerance" + (", flexible" if contest.flexible else ""),
        f"lu, printed form, violations of {LOOSE:.0e} left standing: motion",
        "wrong after the second flat position: energy jumps, the coupler rises", found.words,
        verdict=motion_verdict(FLAT[1], found, PRINTED),
    )  # fmt: skip
    return run, item


# -- figures ----------------------------------------------------------------------------------------------------------
def acceleration(run: Result) -> np.ndarray:
    """Vertical acceleration of the coupler, m/s2: the coordinate's own, or by differences of the velocity."""
    if "coupler.vz" in run.names["v"]:
        return run.channel("coupler.vz.dot")
    return np.gradient(run.channel("coupler.velocity.z"), run.t) if len(run.t) > 2 else np.zeros(len(run.t))


def history_figures(
    runs: Mapping[str, Result], files: Mapping[str, Path], title: str, reference: Result | None = None
) -> None:
    """One PNG a quantity; `files` names those to draw.  `reference`: a tight run, where there is no exact motion.

    acceleration, position, energy, step, method; of a flexible coupler also deflection, mode, mode acceleration.
    """
    t = np.arange(0.0, UNTIL + EVERY / 2, EVERY)
    theta, omega = exact(t)
    pull = GRAVITY / CRANK * (1.0 + RATIO) / (2.0 / 3.0 + RATIO)
    z = CRANK * np.sin(theta)
    z_dot_dot = CRANK * (-pull * np.cos(theta) ** 2 - omega**2 * np.sin(theta))

    def curves(history: Callable[[Result], np.ndarray]) -> list[Curve]:
        return [
            Curve(name, run.t, history(run), COLORS[k], "-" if k == 0 else "--", width=3.0 - 0.7 * k)
            for k, (name, run) in enumerate(runs.items())
        ]

    def with_exact(history: Callable[[Result], np.ndarray], y: np.ndarray) -> list[Curve]:
        true = Curve("exact", t, y, "black", ":", width=0.9)
        if reference is not None:
            true = Curve("auto, rtol 1e-9", reference.t, history(reference), "black", ":", width=0.9)
        return [*curves(history), true]

    def bending(name: str) -> list[Curve]:
        return with_exact(lambda run: run.channel(name), z) if reference is not None else []

    panels = {
        "acceleration": Panel("coupler vertical acceleration [m/s$^2$]", with_exact(acceleration, z_dot_dot),
                              limits=(-60.0, 60.0), height=1.6),
        "position": Panel("coupler vertical position [m]",
                          with_exact(lambda run: run.channel("coupler.position.z"), z), height=1.6),
        "energy": Panel("total energy [J]", curves(lambda run: run.channel("energy")), height=1.6),
        "step": Panel("step size [s]", [step_curve(name, run, COLORS[k]) for k, (name, run) in enumerate(runs.items())],
                      log=True, height=1.6),
        "deflection": Panel("local deflection of node 6 [m]", bending("deflection"), height=1.6),
        "mode": Panel("first modal coordinate [kg$^{1/2}$ m]", bending("coupler.mode1"), height=1.6),
        "mode acceleration": Panel("first modal acceleration [kg$^{1/2}$ m/s$^2$]", bending("coupler.mode1_rate.dot"),
                                   limits=(-60.0, 60.0), height=1.6),
    }  # fmt: skip
    for what, panel in panels.items():
        if what in files:
            plot_panels([panel], path=files[what], title=f"{title}: {panel.label.split(' [')[0]}")
    if "method" in files:
        lanes = [Lane(name, run.steps) for name, run in runs.items() if len(run.steps)]
        plot_panels([panels["step"]], lanes, files["method"], f"{title}: step size and basis in use")
