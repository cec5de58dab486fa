"""P2, Kim & You 1996: reactions of chosen joints without recursion - Tables 1 and 3, Figures 5 to 8.

Table 1 is counted from the code that runs (counting.py), Table 3 timed here, both formulas compiled, Figures 5 to 8
come from the RRC arm of the library by three methods.  The paper's curves are not printed as numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from linkwork.analyses.loads.reactions import Loads
from linkwork.analyses.loads.replay import LOAD_METHODS, Replay
from linkwork.compiler.kernels import Kernel
from linkwork.formulations.reactions import newton_euler, reaction_alone
from linkwork.library import library_model
from linkwork.reproduce import p2_kernels as kernels
from linkwork.reproduce.counting import Tally, counted, plain
from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.p2_kernels import AtHand, at_hand
from linkwork.run import Run
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

JOINTS = 7
TABLE_3 = {  # s a step, on the authors' workstation: proposed, Newton-Euler
    1: (0.364863e-04, 0.768031e-04), 2: (0.352150e-04, 0.732973e-04), 3: (0.339175e-04, 0.676080e-04),
    4: (0.345843e-04, 0.624957e-04), 5: (0.342007e-04, 0.539778e-04), 6: (0.336119e-04, 0.417999e-04),
    7: (0.496852e-04, 0.563670e-04),
}  # fmt: skip
WHY_EQUAL = (
    "at the last joint both formulas are one sum, -L_7 + K_7 Yh'_7, of 36 multiplications and additions in the paper's "
    "Table 1 too, and neither can be the quicker; the paper timed two programs with their function calls, as it says: "
    "those of linkwork are below, as its own kernels"
)
LIKE_THE_PAPER = "two programs with their calls, as the paper timed; the printed formulas alone are one here"
STATES = 8  # of the arm, all of them in the cache: the formulas are timed, not the memory
MEASUREMENTS = 8  # of each formula, each on a copy of the tables: their range is the noise of the measurement
TRIALS = 5  # of a measurement; the best counts
TRIAL_SECONDS = 1e-3
STEP = 1e-4  # s, of the paper's third-order Adams-Bashforth
SAMPLES = {0: 0.01, 1: 1e-4}  # s, between samples of run A and run B
RINGING = 0.03  # s, the start of run B, drawn by itself
WINDOW = 6e-3  # s, about two periods of the ringing of run B: of each the whole figure shows extremes and middle
TOLERANCE, AGREE = 1e-10, 1e-9  # of our runs; relative difference of three methods
STYLES = (("-", False, 3.0), ("-", False, 1.4), (":", False, 1.4))  # line, steps, width of the three methods


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Both runs by both integrators with their figures, the counts and the times.  `quick`: shorter trials.

    Chosen, because the paper does not say: an upright arm, gravity along -z, centres of mass midway between the joints,
    run B's spring transverse to the arm in the pitch plane; masses in lb, not slug; geometry of the RRC K-1607.
    """
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for case in (0, 1):
        run, paper_run = simulate(case)
        found = {method: run.loads(["joint 2", "joint 4"], method=method) for method in LOAD_METHODS}
        files = [figure(case, found, folder, until) for until in (None, RINGING)[: case + 1]]
        items += shown_in(files, three_methods(case, run, found)) + against_ab3(case, run, paper_run)
    held, trials = states_of_the_arm(), 1 if quick else TRIALS
    return items + table_1(held) + table_1_packed(held) + table_3(held, trials) + table_3_packed(held, trials)


# -- runs and figures -----------------------------------------------------------------------------------------------
def simulate(case: int) -> tuple[Run, Run]:
    """Run A or B by variable-order Adams, and as in the paper by third-order Adams-Bashforth."""
    model, every = library_model("rrc-arm", {"case": case}), SAMPLES[case]
    return (
        model.simulate(rtol=TOLERANCE, every=every, progress=False),
        model.simulate(integrator="ab3", step=STEP, every=every, progress=False),
    )


def curves(found: Mapping[str, Loads], joint: int) -> dict[str, dict[str, np.ndarray]]:
    """For each quantity and method: driving torque (where the joint is driven) and global-x reaction of a joint."""
    reactions = {method: loads[f"joint {joint}"] for method, loads in found.items()}
    quantities = {"reaction along x [N]": {method: r.force[:, 0] for method, r in reactions.items()}}
    if all(r.drivings for r in reactions.values()):
        driving = {method: r.drivings[0].values for method, r in reactions.items()}
        quantities = {"driving torque [N m]": driving, **quantities}
    return quantities


def three_methods(case: int, run: Run, found: Mapping[str, Loads]) -> list[Item]:
    """How far the three methods are apart, relative to the largest value; a run that is wrong reproduces nothing."""
    items, status = [], run.certificate.status
    for joint in (2, 4):
        for what, by_method in curves(found, joint).items():
            histories = np.array(list(by_method.values()))
            apart = float(np.ptp(histories, axis=0).max() / np.abs(histories).max())
            name = f"run {'AB'[case]}, joint {joint}, {what.partition(' [')[0]}: three methods apart, relative"
            words = "they agree" if apart < AGREE else "they differ"
            if status != "finished":
                words = f"status of the run '{status}'"
            figure = OF_PAPER.get((case, joint, what.split()[0]))
            if figure is None:
                items.append(Item(BESIDE_FIGURES, name, None, apart, verdict=words))
            else:
                verdict = f"{'reproduced' if words == 'they agree' else 'not reproduced'}: {words}"
                items.append(Item(figure, name, "equal (in words)", apart, verdict=verdict))
    return items


OF_PAPER = {  # by run, joint and quantity
    (0, 2, "driving"): "Fig. 5", (0, 2, "reaction"): "Fig. 6",
    (1, 4, "driving"): "Fig. 7", (1, 4, "reaction"): "Fig. 8",
}  # fmt: skip
BESIDE_FIGURES = "beside the figures"  # what the paper does not show


def against_ab3(case: int, run: Run, paper_run: Run) -> list[Item]:
    """The largest torque and the energy drift, and what the paper's integrator makes of them; it prints neither."""
    joint, name = (2, 4)[case], f"run {'AB'[case]}"
    torque, by_ab3 = (float(np.abs(r.driving_force(f"joint {joint}").values).max()) for r in (run, paper_run))
    drift, ab3_drift = run.certificate.energy_drift, paper_run.certificate.energy_drift
    rule = f"by the paper's ab3 at {STEP:g} s"
    why = ", which damps the undamped ringing of the tip" if case and ab3_drift > 10.0 * drift else ""
    return [
        Item(OF_PAPER[case, joint, "driving"], f"{name}, peak driving torque of joint {joint}, N m", None, torque,
             verdict=f"{by_ab3:.6g} {rule}"),
        Item(BESIDE_FIGURES, f"{name}, energy drift", None, drift, verdict=f"{ab3_drift:.2g} {rule}{why}"),
    ]  # fmt: skip


def figure(case: int, found: Mapping[str, Loads], folder: Path, until: float | None = None) -> str:
    """Driving torque and global-x reaction of joints 2 and 4 by all three methods; `until` (s): only the beginning; the
    name of the file.

    The whole of run B, which rings 330 times, by extremes and their middle.
    """
    t = next(iter(found.values())).t
    shown = t <= (until or t[-1])
    whole_ringing = case == 1 and until is None
    panels = []
    for joint in (2, 4):
        for what, by_method in curves(found, joint).items():
            lines = []
            for k, (method, values) in enumerate(by_method.items()):
                at, drawn = extremes_and_middle(t, values) if whole_ringing else (t[shown], values[shown])
                lines.append(Curve(method, at, drawn, COLORS[k], *STYLES[k]))
            number = OF_PAPER.get((case, joint, what.split()[0]))
            panels.append(Panel(f"{number + ': ' if number else ''}joint {joint}\n{what}", lines))
    path = folder / f"p2-run-{'ab'[case]}{'-start' if until else ''}.png"
    how = f"\nlargest and least value of every {1e3 * WINDOW:g} ms, and their middle" if whole_ringing else ""
    plot_panels(panels, (), path, f"P2, RRC arm, run {'AB'[case]}: {TITLES[case]}{how}")
    return path.name


def extremes_and_middle(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Three curves as one history, with gaps between them: largest and least of every WINDOW, and their middle."""
    count = int(np.ceil(t[-1] / WINDOW))
    parts = [part for part in np.array_split(np.arange(len(t)), count) if len(part)]
    middles = np.array([t[part].mean() for part in parts])
    t_once = np.concatenate([middles, [middles[-1]]])
    high = np.array([*(values[part].max() for part in parts), np.nan])
    low = np.array([*(values[part].min() for part in parts), np.nan])
    return np.tile(t_once, 3), np.concatenate([high, 0.5 * (high + low), low])


TITLES = ("joint 2 driven, 4 and 6 free", "joint 4 driven, 6 free, tip on a spring")


# -- Table 1 --------------------------------------------------------------------------------------------------------
def states_of_the_arm() -> AtHand:
    """Some states of run A, with accelerations of all seven joints, and what the equations of motion hold there."""
    run = library_model("rrc-arm", {"case": 0}).simulate(1.0, rtol=1e-8, every=1.0 / STATES, progress=False)
    replay = Replay.of(run.result)
    rng = np.random.default_rng(1)
    v_dot = replay.v_dot[:STATES] + rng.uniform(-1.0, 1.0, (STATES, JOINTS))  # locked joints accelerate too
    return at_hand(replay.open_equations, replay.t[:STATES], replay.states[:STATES], v_dot)


def count(kernel: Kernel, *arguments: object) -> tuple[int, int]:
    """Multiplications and additions of a kernel; arrays of floating-point numbers count."""
    tally = Tally()
    own = [
        counted(x, tally) if isinstance(x, np.ndarray) and x.dtype == np.float64 else
        x.view(np.recarray) if isinstance(x, np.ndarray) else x
        for x in arguments
    ]  # fmt: skip
    plain(kernel)(*own)
    return tally.multiplications, tally.additions


def count_printed(held: AtHand, i: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Counts of eq 30 and of Newton-Euler for joint i, as the paper prints them."""
    tables = [table[:1] for table in held.tables()]
    proposed, recursive = (count(kernels.reactions, 1, i, at, *tables, np.zeros((1, 6))) for at in (i, JOINTS))
    return proposed, recursive


def count_packed(held: AtHand, i: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The same for linkwork's own kernels on inertias of ten numbers."""
    R = np.zeros((JOINTS + 1, 6))
    ours = count(
        reaction_alone, i, i + 1, JOINTS + 1, held.composite[0], held.KB[0], held.F_sum[0], held.a[0], held.q_dd[0], R
    )
    return ours, count(newton_euler, held.bodies, held.inertia[0], held.F[0], held.a[0], i, R)


def table_1(held: AtHand) -> list[Item]:
    """6(n-i)+36 multiplications and additions against 36(n-i)+36 and 42(n-i)+36."""
    items = []
    for i in range(1, JOINTS + 1):
        below = JOINTS - i
        printed = {"multiplications": (6 * below + 36, 36 * below + 36), "additions": (6 * below + 36, 42 * below + 36)}
        proposed, recursive = count_printed(held, i)
        for k, (what, (paper, rival)) in enumerate(printed.items()):
            same = (proposed[k], recursive[k]) == (paper, rival)
            items.append(
                Item("Table 1", f"joint {i}: {what}, proposed; ratio: Newton-Euler / proposed", paper,
                     proposed[k], rival / paper, recursive[k] / proposed[k],
                     "reproduced: equal" if same else "not reproduced: they differ")
            )  # fmt: skip
    return items


def table_1_packed(held: AtHand) -> list[Item]:
    """The same with inertias of ten numbers: both formulas are cheaper, and their ratio is smaller."""
    items = []
    for i in (1, JOINTS):
        proposed, recursive = count_packed(held, i)
        printed = count_printed(held, i)[0]
        for k, what in enumerate(("multiplications", "additions")):
            fewer = "fewer than" if proposed[k] < printed[k] else "no fewer than"
            items.append(
                Item("Table 1, linkwork's own kernels", f"joint {i}: {what}; inertias of ten numbers, not 36", None,
                     proposed[k], None, recursive[k] / proposed[k], f"{fewer} the paper's {printed[k]}")
            )  # fmt: skip
    return items


# -- Table 3 --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Times:
    """Measured times of one formula for one joint, s; the same thing measured again and again shows the noise."""

    seconds: np.ndarray

    @property
    def middle(self) -> float:
        """The median."""
        return float(np.median(self.seconds))

    @property
    def noise(self) -> float:
        """Half the range, relative to the median."""
        return float(np.ptp(self.seconds)) / (2.0 * self.middle)

    def slower_than(self, other: Times) -> bool:
        """Every measurement takes longer than every one of the other: by chance once in 12870 for eight of each."""
        return bool(self.seconds.min() > other.seconds.max())


def times_of_both(held: AtHand, i: int, trials: int, own: bool = False) -> tuple[Times, Times]:
    """Eq 30 and Newton-Euler for joint i, one state, as printed or by linkwork's own kernels.

    All measurements take turns: a slow moment hits all of them.
    """
    calls: list[Callable[[int], None]] = []
    for _ in range(MEASUREMENTS):
        tables = [table.copy() for table in (held.own_tables() if own else held.tables())]
        if own:
            R = np.zeros((STATES, JOINTS + 1, 6))
            calls += [partial(_own_reactions, held, i, recursive, tables, R) for recursive in (0, 1)]
        else:
            calls += [partial(_reactions, i, at, tables, np.zeros((STATES, 6))) for at in (i, JOINTS)]
    best = seconds_a_reaction(calls, trials)
    return Times(best[0::2]), Times(best[1::2])


def _reactions(i: int, at: int, tables: list[np.ndarray], R: np.ndarray, repeat: int) -> None:
    kernels.reactions(repeat, i, at, *tables, R)


def _own_reactions(held: AtHand, i: int, recursive: int, tables: list[np.ndarray], R: np.ndarray, repeat: int) -> None:
    kernels.own_reactions(repeat, i, recursive, held.equations.system_ref, *tables, R)


def seconds_a_reaction(calls: list[Callable[[int], None]], trials: int) -> np.ndarray:
    """Best processor time of each call for one state, the calls taking turns."""
    repeats = []
    for call in calls:
        call(1)
        began = time.thread_time()
        call(50)
        repeats.append(max(1, round(50 * TRIAL_SECONDS / (time.thread_time() - began))))
    best = np.full(len(calls), np.inf)
    for _ in range(trials):
        for k, call in enumerate(calls):
            began = time.thread_time()
            call(repeats[k])
            best[k] = min(best[k], (time.thread_time() - began) / (repeats[k] * STATES))
    return best


def table_3(held: AtHand, trials: int = TRIALS) -> list[Item]:
    """Times joint by joint: Newton-Euler / proposed, beside the paper's."""
    items = []
    for i, (paper, rival) in TABLE_3.items():
        proposed, recursive = times_of_both(held, i, trials)
        theirs, ours = rival / paper, recursive.middle / proposed.middle
        counts, rival_counts = count_printed(held, i)
        by_counts, noise = sum(rival_counts) / sum(counts), max(proposed.noise, recursive.noise)
        name = f"joint {i}: proposed, s; ratio: Newton-Euler / proposed (counted {by_counts:.2f}; times +-{noise:.1%})"
        items.append(Item("Table 3", name, paper, proposed.middle, theirs, ours, _verdict(i, proposed, recursive)))
    return items


def table_3_packed(held: AtHand, trials: int = TRIALS) -> list[Item]:
    """The same by linkwork's own kernels: Newton-Euler passes over the tree, also for the last joint."""
    items = []
    for i, (paper, rival) in TABLE_3.items():
        alone, recursive = times_of_both(held, i, trials, own=True)
        ratio, noise = recursive.middle / alone.middle, max(alone.noise, recursive.noise)
        verdict = _reached(ratio, rival / paper)
        if i == JOINTS:
            verdict += f"; {LIKE_THE_PAPER}"
        items.append(
            Item("Table 3, linkwork's own kernels", f"joint {i}: alone, s; ratio: Newton-Euler over the tree / alone "
                 f"(times +-{noise:.1%})", paper, alone.middle, rival / paper, ratio, verdict)
        )  # fmt: skip
    return items


def _verdict(i: int, proposed: Times, recursive: Times) -> str:
    """At least the paper's ratio; but at the last joint the two are one call."""
    if i == JOINTS:
        word = "slower" if proposed.slower_than(recursive) else "no slower"
        return f"not reproduced, {word}: {WHY_EQUAL}"
    paper, rival = TABLE_3[i]
    return _reached(recursive.middle / proposed.middle, rival / paper)


def _reached(ratio: float, paper: float) -> str:
    return "reproduced: at least the paper's ratio" if ratio >= paper else "not reproduced: below the paper's ratio"
