"""P1, sections 3.1 and 3.2: the flexible coupler by LU and QR over the largest step and the tolerance, Figs. 3-10.

What LU does at a flat position hangs on how well the constraints are met, which the paper does not print, on where its
steps happen to end, and on rounding.  So each case is run as it stands, and where it does not end as the paper's did,
that is sought: by rounding, by the tolerance of the constraints, by starts beside the paper's 10 degrees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linkwork.analyses.comparison import attempt
from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.parallelogram.contest import (
    BESIDE,
    NEIGHBOURS,
    OURS,
    PRINTED,
    START,
    UNTIL,
    Contest,
    options,
)
from linkwork.reproduce.parallelogram.figures import acceleration, acceleration_limits
from linkwork.reproduce.parallelogram.motion import FLAT, JUMP, STOPS, Ending, Finding, ending, motion_verdict
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS, legend

HMAX_SWEEP = (1e-5, 5e-5, 1e-4, 5e-4)  # s, at tol 1e-5
TOLERANCE_SWEEP = (1e-6, 5e-6, 1e-5, 5e-5)  # at hmax 5e-4 s
LADDER = (0.0, 1e-9, 3e-9, 1e-8, 1e-7, 1e-6)  # m or rad, constraint tolerances at which LU is tried; 0: to rounding
LOOSE = 3e-8  # m or rad, that of starts beside the paper's: with it LU fails, and QR does not
BOTH = (0.0, 3e-9, LOOSE, 3e-7)  # m or rad, constraint tolerances at which LU and QR are counted
FEW_STARTS = BESIDE[::4]
MANY_STEPS = 1e-4  # s: with a largest step up to this one, few starts

STOP, GOOD = Finding(STOPS), Finding()
FINDINGS: Mapping[tuple[str, str], tuple[Finding, Finding, Finding, Finding]] = {
    ("3.1", "lu"): (STOP, STOP, STOP, Finding("wrong", 1)),
    ("3.1", "qr"): (STOP, GOOD, GOOD, GOOD),
    ("3.2", "lu"): (STOP, Finding("diverges", 2), Finding("diverges", 1), Finding(STOPS, 1)),
    ("3.2", "qr"): (GOOD, GOOD, GOOD, GOOD),
}
SHEETS = {  # file, figures, what the text says of the energy of runs that go wrong
    ("3.1", "lu"): ("fig3-4", "Figs. 3, 4", "with hmax 5e-04 s it grows fast at the second flat position"),
    ("3.1", "qr"): ("fig5-6", "Figs. 5, 6", ""),
    ("3.2", "lu"): ("fig7-8", "Figs. 7, 8", "it falls to 0 or grows, up to four times and more"),
    ("3.2", "qr"): ("fig9-10", "Figs. 9, 10", ""),
}


@dataclass(frozen=True)
class Case:
    """A run of a sweep."""

    method: str
    form: str
    hmax: float  # s
    tolerance: float
    left: float = 0.0  # m or rad, violations that are left standing
    aside: float = 0.0  # deg, from the start

    @property
    def name(self) -> str:
        """With its settings, but for what the paper does not print."""
        return f"{self.method}, {self.form} form: hmax {self.hmax:.0e} s, tol {self.tolerance:.0e}"


class Sweep:
    """Runs of the flexible coupler; one that is asked for again is at hand."""

    def __init__(self, contest: Contest, quick: bool) -> None:
        self.contest, self.quick = contest, quick
        self.results: dict[Case, Result] = {}

    def result(self, case: Case) -> Result:
        """As far as it goes."""
        if case not in self.results:
            of_table = options(self.contest, case.method, case.form, case.left)
            until = 0.25 if self.quick else UNTIL
            chosen = replace(of_table, hmax=case.hmax, rtol=case.tolerance, until=until, every=0.0025)
            self.results[case] = attempt(self.contest.mechanism(START + case.aside), chosen)[0]
        return self.results[case]

    def end(self, case: Case) -> Ending:
        """How it ends."""
        return ending(self.result(case))


def sweep_items(contest: Contest, folder: Path, quick: bool) -> list[Item]:
    """All cases of the paper as printed, and our hybrid: does each keep its branch and its energy?"""
    sweep, items = Sweep(contest, quick), []
    for (table, method), findings in FINDINGS.items():
        shown = []
        for (hmax, tolerance), paper in zip(_settings_of(table), findings, strict=True):
            if quick and hmax == HMAX_SWEEP[0]:
                continue
            case, item = _as_the_paper(table, paper, Case(method, PRINTED, hmax, tolerance), sweep)
            shown.append((case, paper))
            items.append(item)
        items.append(_sheet(table, method, shown, sweep, folder))
        if method == "qr":
            items += [_ours(table, Case("hybrid-qr", OURS, *given), sweep) for given in _settings_of(table)[quick:]]
    return items if quick else [*items, _lu_beside_qr(sweep)]


def _settings_of(table: str) -> list[tuple[float, float]]:
    """(hmax, tolerance) of the four cases of a sweep."""
    if table == "3.1":
        return [(hmax, 1e-5) for hmax in HMAX_SWEEP]
    return [(5e-4, tolerance) for tolerance in TOLERANCE_SWEEP]


def _ours(table: str, case: Case, sweep: Sweep) -> Item:
    found = sweep.end(case)
    verdict = f"not swept in the paper; {'right' if found.right else 'it fails'}"
    return Item(table, case.name, None, found.words, verdict=verdict)


def _lu_beside_qr(sweep: Sweep) -> Item:
    """How many of some starts go wrong by the tolerance of the constraints, at the settings of Table 3."""
    hmax, tolerance = sweep.contest.settings
    wrong = {
        method: [_wrong([Case(method, PRINTED, hmax, tolerance, left, a) for a in FEW_STARTS], sweep) for left in BOTH]
        for method in ("lu", "qr")
    }
    both = list(zip(BOTH, wrong["lu"], wrong["qr"], strict=True))
    counts = ", ".join(f"{f'{left:.0e}' if left else 'rounding'}: {a} and {b}" for left, a, b in both)
    most, few = 0.5 * len(FEW_STARTS), 0.1 * len(FEW_STARTS)
    apart = [left for left, a, b in both if a > most and b <= few]
    sizes = " and ".join(f"{left:.0e}" for left in apart)
    between = f" with violations of {sizes} m or rad left standing" if apart else ""
    return Item("3.1, 3.2", f"of {len(FEW_STARTS)} starts within {BESIDE[-1]:g} deg, lu and qr that go wrong, by what "
                "violations are left", "LU goes wrong, QR does not; the tolerance is not printed", counts,
                verdict=f"reproduced{between}" if apart else "not reproduced")  # fmt: skip


# -- why a case ends as it does ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Found:
    """A run to show, and whether it ends as the paper's did."""

    case: Case
    verdict: str

    @property
    def reproduced(self) -> bool:
        """At least in part."""
        return self.verdict.startswith("reproduced")


Search = Callable[[Finding, Case, Sweep], tuple[str, Found | None]]  # what to say of it, and a better run to show


def _as_the_paper(table: str, paper: Finding, case: Case, sweep: Sweep) -> tuple[Case, Item]:
    """The case as it stands, or the first run of a search that ends as the paper's did."""
    end = sweep.end(case)
    words, found = [end.words], Found(case, motion_verdict(paper, end))
    for search in _searches(paper, case, sweep):
        said, better = search(paper, case, sweep)
        words.append(said)
        found = better or found
        if found.reproduced:
            break
    return found.case, Item(table, case.name, paper.words, "; ".join(words), verdict=found.verdict)


def _searches(paper: Finding, case: Case, sweep: Sweep) -> list[Search]:
    """Rounding where the case fails as it stands; the rest where LU is to fail, if it was run as far as that."""
    end = sweep.end(case)
    searches: list[Search] = [] if end.right else [_by_rounding]
    if case.method == "lu" and paper.how and end.t >= FLAT[paper.flat]:
        searches += [_by_tolerance, _by_start]
    return searches[: 1 if sweep.quick else None]


def _by_rounding(paper: Finding, case: Case, sweep: Sweep) -> tuple[str, Found | None]:
    """Starts that differ by rounding alone."""
    cases = [replace(case, aside=aside) for aside in NEIGHBOURS]
    like = _alike(paper, cases, sweep)
    words = f"{len(like)} of {len(cases)} starts within {NEIGHBOURS[-1]:.0e} deg end as the paper's"
    if not like:
        return words, None
    if like[0] != case:
        words += f": {sweep.end(like[0]).words}"
    decided = "reproduced in part: rounding decides how it ends"
    return words, Found(like[0], motion_verdict(paper, sweep.end(like[0])) if len(like) == len(cases) else decided)


def _by_tolerance(paper: Finding, case: Case, sweep: Sweep) -> tuple[str, Found | None]:
    """Violations that are left standing, more and more of them: the first that does it, or the last."""
    words, before, found = [], sweep.end(case), None
    for left in LADDER[1:]:
        loose = replace(case, left=left)
        end = sweep.end(loose)
        if end.fate != before.fate:
            words.append(f"violations from {left:.0e} on left: {end.words}")
        before, found = end, Found(loose, motion_verdict(paper, end, left))
        if found.reproduced:
            found = replace(found, verdict=f"{found.verdict}, with violations up to {left:.0e} m or rad left standing")
            break
    return "; ".join(words) or f"the same with violations up to {LADDER[-1]:.0e} left", found


def _by_start(paper: Finding, case: Case, sweep: Sweep) -> tuple[str, Found | None]:
    """Starts whose steps end elsewhere, with violations left standing."""
    starts = FEW_STARTS if case.hmax <= MANY_STEPS else BESIDE
    cases = [replace(case, left=LOOSE, aside=aside) for aside in starts]
    like, wrong = _alike(paper, cases, sweep), _wrong(cases, sweep)
    words = (
        f"of {len(cases)} starts within {BESIDE[-1]:g} deg, violations up to {LOOSE:.0e} left, {wrong} go wrong, "
        f"{len(like)} as the paper's"
    )
    if not like:
        return words, None
    whole = [case for case in like if motion_verdict(paper, sweep.end(case)) == "reproduced"]
    if 2 * len(whole) > len(cases):
        return words, Found(like[0], f"reproduced by most starts, violations up to {LOOSE:.0e} m or rad left standing")
    return words, Found(like[0], "reproduced in part: where its steps end decides at which flat position it fails")


def _alike(paper: Finding, cases: Sequence[Case], sweep: Sweep) -> list[Case]:
    """Those that end as the paper's did."""
    return [case for case in cases if motion_verdict(paper, sweep.end(case)).startswith("reproduced")]


def _wrong(cases: Sequence[Case], sweep: Sweep) -> int:
    """How many go wrong."""
    return sum(not sweep.end(case).right for case in cases)


# -- figures ----------------------------------------------------------------------------------------------------------
def _sheet(table: str, method: str, shown: Sequence[tuple[Case, Finding]], sweep: Sweep, folder: Path) -> Item:
    """Two of Figs. 3-10, acceleration of the coupler and total energy, with a verdict: LU is the one that fails."""
    name, figures, energy = SHEETS[table, method]
    by = "largest step" if table == "3.1" else "tolerance"
    file = f"p1-{name}-{method}-{by.replace(' ', '-')}.png"
    title = f"P1, {figures}, flexible coupler, {method}, printed form, by {by}"
    _draw(table, title, [(case, paper, sweep.result(case)) for case, paper in shown], folder / file)
    same = sum(motion_verdict(paper, sweep.end(case)).startswith("reproduced") for case, paper in shown)
    words = "; ".join(paper.words for _, paper in shown)
    ours = f"{same} of {len(shown)} runs shown end as the paper's"
    jump = max(sweep.end(case).drift for case, _ in shown)
    if energy:
        words, ours = f"{words}; total energy: {energy}", f"{ours}; the energy changes by {jump:.0e} at most"
    verdict = _sheet_verdict(same, [case for case, _ in shown], not energy or jump > JUMP)
    item = Item(figures, f"{method}: acceleration of the coupler, total energy", words, ours, verdict=verdict)
    return shown_in(file, [item])[0]


def _sheet_verdict(same: int, cases: Sequence[Case], energy: bool) -> str:
    """`same`: how many of the runs shown end as the paper's; `energy`: whether that of the text is shown."""
    missing = []
    if same < len(cases):
        missing.append(f"{same} of {len(cases)} cases")
    by_rounding = sum(0.0 < abs(case.aside) <= NEIGHBOURS[-1] for case in cases)
    if by_rounding:
        missing.append(f"{by_rounding} by a start that differs by rounding")
    elsewhere = sum(case.left > 0.0 or case.aside > NEIGHBOURS[-1] for case in cases)
    if elsewhere:
        missing.append(f"{elsewhere} with violations left standing")
    if not energy:
        missing.append("the energy not: ours keeps it where LU goes wrong")
    if not same:
        return "not reproduced"
    return f"reproduced in part: {', '.join(missing)}" if missing else "reproduced"


def _draw(table: str, title: str, shown: Sequence[tuple[Case, Finding, Result]], path: Path) -> None:
    """The accelerations one below the other, each with how it ends here and in the paper, and all energies.

    A run that stops ends in a cross.
    """
    results, t = [run for _, _, run in shown], max(float(run.t[-1]) for _, _, run in shown)
    limits, colors = acceleration_limits(map(acceleration, results)), COLORS[: len(shown)]
    accelerations = [
        Curve(_label(table, case), run.t, acceleration(run), color, width=0.9)
        for (case, _, run), color in zip(shown, colors, strict=True)
    ]
    energies = [
        Curve(_swept(table, case), run.t, run.channel("energy"), color, "--" if k else "-", width=2.4 - 0.5 * k)
        for k, ((case, _, run), color) in enumerate(zip(shown, colors, strict=True))
    ]
    panels = [
        Panel("acceleration\n[m/s$^2$]", [curve], limits=limits, height=0.6,
              name=f"{curve.name}: {ending(run).fate or f'right to {t:g} s'}; in the paper: {paper.words}")
        for curve, (_, paper, run) in zip(accelerations, shown, strict=True)
    ]  # fmt: skip
    figure = plot_panels([*panels, Panel("total energy [J]", energies)], title=title)
    below = figure.axes[len(panels)]
    legend(below, below.get_lines())
    places = [*figure.axes[: len(panels)], *[below] * len(energies)]
    for axes, curve, run in zip(places, accelerations + energies, results + results, strict=True):
        if run.certificate.status == "failed":
            axes.plot(curve.t[-1], curve.y[-1], "x", color=curve.color, markersize=12, markeredgewidth=2.0)
    figure.savefig(path)


def _swept(table: str, case: Case) -> str:
    return f"hmax {case.hmax:.0e} s" if table == "3.1" else f"tol {case.tolerance:.0e}"


def _label(table: str, case: Case) -> str:
    """With what the run has otherwise than the paper's."""
    left = f", violations of {case.left:.0e} left" if case.left else ""
    return _swept(table, case) + left + (f", start {START + case.aside:g} deg" if case.aside > NEIGHBOURS[-1] else "")
