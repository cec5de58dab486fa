"""P5 section 5.2: the HMMWV over a half-round bump, Figs. 11-14; library/hmmwv.py says what had to be chosen.

The paper prints masses, rates, speed and bump, and the curves without numbers beside them; it states that the
chassis meets the bump at about 2.5 s, where its acceleration has its largest peak, that damping then lessens the peaks,
and that the knuckle shakes harder than the chassis.

Here the largest peak comes 0.42 s later, from the rear wheels, whose springs and dampers the paper makes the stronger
ones.  How high it is hangs on where the front wheels are in their hops at that moment: landing, as here, they push too;
standing (`rear_item`), the rear wheels push alone; in the air, as without damping in the tyres, the chassis lacks their
support, and the largest peak is where the paper has it.  The paper prints that damping without unit or law, and no
hardpoints.

Of what had to be chosen, the share of the weight on the front wheels moves the peaks most (`share_items`): with more
than half of it, springs seated so that the vehicle stands level, the largest peak is the front wheels', where the paper
has it.  The centre's height and the order of the printed inertias hardly matter.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.elements.tyres.tyre import Tyre
from linkwork.library.hmmwv import hmmwv
from linkwork.mechanism import Mechanism
from linkwork.reproduce.items import Item, shown_in
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

UNTIL, TOLERANCE, MEET = 5.0, 1e-5, 2.5  # s, -, s
METHODS = ("parametrization", "lu")
FIGURES = {
    "chassis acceleration": "Fig. 11: chassis\nacceleration [m/s$^2$]",
    "front right knuckle height": "Fig. 12: knuckle\nheight [m]",
    "front right knuckle velocity": "Fig. 13: knuckle\nvelocity [m/s]",
    "front right knuckle acceleration": "Fig. 14: knuckle\nacceleration [m/s$^2$]",
}
MOTION_FILE, SHARE_FILE = "p5-fig11-14-hmmwv.png", "p5-fig11-front-share.png"
CHOICES = "hardpoints, centre of mass, spring seats and tread chosen, not printed"
SHARES = (0.36, 0.40, 0.44, 0.48, 0.52, 0.56, 0.60)  # of the weight on the front wheels


def vehicle_items(folder: Path) -> list[Item]:
    """The account, the figures, and the paper's findings."""
    mechanism = hmmwv(meet=MEET).mechanism
    runs = {
        method: attempt(mechanism, Options(until=UNTIL, method=method, rtol=TOLERANCE, every=0.005))[0]
        for method in METHODS
    }
    vehicle_figure(runs, folder)
    undamped = simulate(without_tyre_damping(mechanism), Options(until=UNTIL, rtol=TOLERANCE, every=0.005))
    found = diagnose(mechanism)
    counts = {"bodies": (13, found.bodies), "degrees of freedom": (10, found.dof)}
    items = [Item("Fig. 8", f"HMMWV, {what}", paper, ours, verdict="reproduced" if paper == ours else "not reproduced")
             for what, (paper, ours) in counts.items()]  # fmt: skip
    motion = shown_in(MOTION_FILE, [*motion_items(runs[METHODS[0]]), difference_item(runs)])
    return [*items, motion[0], peak_item(undamped, "the same, the tyres' damping left out"), rear_item(),
            *shown_in(SHARE_FILE, share_items(folder)), *motion[1:], *speed_items(runs)]  # fmt: skip


def without_tyre_damping(mechanism: Mechanism) -> Mechanism:
    """The vehicle on tyres that are springs alone."""
    tyres = tuple(tyre.model_copy(update={"damping": 0.0}) for tyre in mechanism.of(Tyre))
    return mechanism.model_copy(update={"tyre": tyres})


def peak_item(run: Result, what: str) -> Item:
    """When the chassis' acceleration is largest as the front wheels meet the bump, and what follows."""
    t, chassis = run.t, run.channel("chassis acceleration")
    front, rear = t < MEET + 0.2, (t > MEET + 0.35) & (t < MEET + 0.55)
    first, later = (int(np.argmax(np.where(part, chassis, -np.inf))) for part in (front, rear))
    load, standing = run.channel("front left load")[[later, 0]] / 1e3 + 0.0
    found = (
        f"{chassis[first]:.3g} m/s2 from the front wheels, {chassis[later]:.3g} m/s2 at {t[later]:.3g} s from the rear "
        f"ones, while each front wheel carries {load:.2g} kN ({standing:.2g} kN standing)"
    )
    right = "not reproduced" if abs(t[first] - 2.5) > 0.1 else (
        "reproduced" if chassis[first] == chassis.max() else "reproduced in part, it is not the largest"
    )  # fmt: skip
    return Item("Fig. 11", what, 2.5, float(t[first]), verdict=_of_a_right_run(run, f"{right}: {found}"))


def rear_item() -> Item:
    """A start with the bump between the axles: the front wheels stand while the rear ones meet it."""
    run = simulate(hmmwv(meet=-0.25).mechanism, Options(until=0.5, rtol=TOLERANCE, every=0.005))
    peak = float(run.channel("chassis acceleration").max())
    return Item("Fig. 11", "peak from the rear wheels, the front ones standing, m/s2", None, peak,
                verdict=_of_a_right_run(run, "ours"))  # fmt: skip


def share_items(folder: Path) -> list[Item]:
    """The study: where the largest peak is with other shares of the weight on the front wheels."""
    items, peaks = [], []
    for share in SHARES:
        run = simulate(hmmwv(meet=MEET, front_share=share).mechanism, Options(until=UNTIL, rtol=TOLERANCE, every=0.005))
        t, chassis = run.t, run.channel("chassis acceleration")
        front, rear = (float(chassis[part].max()) for part in (t < MEET + 0.2, t >= MEET + 0.2))
        peaks.append((front, rear))
        items.append(
            Item("Fig. 11, study", f"largest peak, s, with {share:.0%} of the weight in front (40 % chosen)", 2.5,
                 float(t[np.argmax(chassis)]), verdict=_of_a_right_run(
                     run, f"{_verdict(front > rear)}: front wheels {front:.3g} m/s2, rear wheels {rear:.3g} m/s2"))
        )  # fmt: skip
    of_front, of_rear = np.transpose(peaks)
    shares = 100.0 * np.array(SHARES)
    curves = [Curve("from the front wheels", shares, of_front, COLORS[0], "o-"),
              Curve("from the rear wheels", shares, of_rear, COLORS[1], "s-")]  # fmt: skip
    figure = plot_panels(
        [Panel("peak of the chassis' acceleration [m/s$^2$]", curves, height=2.0)],
        title="P5, HMMWV over the bump: largest peaks", x_label="share of the weight on the front wheels [%]",
    )  # fmt: skip
    figure.axes[0].set_xlim(shares[0] - 1.0, shares[-1] + 1.0)
    figure.savefig(folder / SHARE_FILE)
    return items


def motion_items(run: Result) -> list[Item]:
    """The paper's findings on its curves."""
    t, chassis = run.t, run.channel("chassis acceleration")
    knuckle, height = run.channel("front right knuckle acceleration"), run.channel("front right knuckle height")
    calm = float(np.abs(chassis[t > 4.0]).max() / np.abs(chassis).max())
    harder = float(np.sqrt(np.mean(knuckle**2) / np.mean(chassis**2)))
    off = float(run.channel("front left load").min()) <= 0.0
    velocity = run.channel("front right knuckle velocity")
    risen = np.concatenate([[0.0], np.cumsum(0.5 * (velocity[1:] + velocity[:-1]) * np.diff(t))])
    slope = float(np.abs(height - height[0] - risen).max() / np.ptp(height))
    return [
        peak_item(run, f"chassis' peak as the front wheels meet the bump, the largest in the paper, s ({CHOICES})"),
        Item("Fig. 11", "what is left after 4 s of the largest acceleration", "peaks lessen with time", calm,
             verdict=_of_a_right_run(run, _verdict(calm < 0.2))),
        Item("Fig. 12", "front right knuckle's rise above where it stood, m", None, float(height.max() - height[0]),
             verdict=f"ours; the wheel {'leaves' if off else 'never leaves'} the road behind the bump, 0.1 m high"),
        Item("Fig. 13", "front right knuckle's largest velocity upwards, m/s", None, float(velocity.max()),
             verdict=f"ours; a curve without digits in the paper; its integral is Fig. 12 to {slope:.0e}"),
        Item("Fig. 14", "knuckle's acceleration / chassis', root mean squares", "knuckle shakes harder", harder,
             verdict=_of_a_right_run(run, _verdict(harder > 1.0))),
    ]  # fmt: skip


def difference_item(runs: dict[str, Result]) -> Item:
    """Two constraint methods give one motion."""
    first, second = (run.channel("front right knuckle height") for run in runs.values())
    apart = float(np.abs(first - second).max())
    verdict = f"tolerance {TOLERANCE:g}: {'one motion' if apart < 1e-3 else 'they differ'}"
    return Item("Fig. 12", f"{METHODS[0]} and {METHODS[1]} apart, m", None, apart, verdict=verdict)


def speed_items(runs: dict[str, Result]) -> list[Item]:
    """How much faster than the vehicle itself; the paper prints no time for it."""
    return [
        Item("5.2", f"{name}: simulated time / processor time of the loop", None, UNTIL / run.certificate.cpu_s,
             verdict=f"ours, {run.certificate.steps} steps, energy balance {run.certificate.energy_drift:.0e}")
        for name, run in runs.items()
    ]  # fmt: skip


def _verdict(right: bool) -> str:
    return "reproduced" if right else "not reproduced"


def _of_a_right_run(run: Result, verdict: str) -> str:
    """A run that ended early, or that its certificate does not trust, reproduces nothing."""
    c = run.certificate
    return verdict if c.status == "finished" else f"not reproduced: status of the run '{c.status}' at {c.t_end:.3g} s"


def vehicle_figure(runs: dict[str, Result], folder: Path) -> None:
    """Figs. 11-14."""
    looks = [(name, run, COLORS[k], 2.6 - 1.4 * k, "--" if k else "-") for k, (name, run) in enumerate(runs.items())]
    panels = [
        Panel(label, [Curve(n, r.t, r.channel(channel), c, style, width=w) for n, r, c, w, style in looks])
        for channel, label in FIGURES.items()
    ]
    plot_panels(panels, path=folder / MOTION_FILE, title="P5, HMMWV at 8 m/s over a half-round bump: vertical motion, "
                                                     "front right knuckle")  # fmt: skip
