"""P5 section 5.2: the HMMWV over a half-round bump, Figs. 11-14; what had to be chosen is told in library/hmmwv.py.

The paper prints masses, rates, speed and bump, and the curves without numbers beside them; it says of them that the
chassis meets the bump at about 2.5 s, where its acceleration peaks, that damping then lessens the peaks, and that the
knuckle shakes harder than the chassis.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.analyses.diagnosis import account
from linkwork.analyses.dynamics import Options
from linkwork.library.hmmwv import hmmwv
from linkwork.reproduce.items import Item
from linkwork.results.result import Result
from linkwork.view.comparison_plots import Curve, Panel, plot_panels
from linkwork.view.plots import COLORS

UNTIL, TOLERANCE, MEET = 5.0, 1e-5, 2.5  # s, -, s
METHODS = ("parametrization", "lu")
FIGURES = {
    "chassis acceleration": "Fig. 11: chassis [m/s$^2$]",
    "front right knuckle height": "Fig. 12: knuckle [m]",
    "front right knuckle velocity": "Fig. 13: knuckle [m/s]",
    "front right knuckle acceleration": "Fig. 14: knuckle [m/s$^2$]",
}
CHOICES = "hardpoints, centre of mass, spring seats and tread chosen, not printed"


def vehicle_items(folder: Path) -> list[Item]:
    """The account, the figures, and what the paper says of them."""
    mechanism = hmmwv(meet=MEET).mechanism
    runs = {
        method: attempt(mechanism, Options(until=UNTIL, method=method, rtol=TOLERANCE, every=0.005))[0]
        for method in METHODS
    }
    vehicle_figure(runs, folder)
    found = account(mechanism)
    counts = {"bodies": (13, found.bodies), "degrees of freedom": (10, found.dof)}
    items = [Item("Fig. 8", f"HMMWV, {what}", paper, ours, verdict="reproduced" if paper == ours else "not reproduced")
             for what, (paper, ours) in counts.items()]  # fmt: skip
    return [*items, *motion_items(runs[METHODS[0]]), difference_item(runs), *speed_items(runs)]


def motion_items(run: Result) -> list[Item]:
    """What the paper says of its curves."""
    t, chassis = run.t, run.channel("chassis acceleration")
    knuckle, height = run.channel("front right knuckle acceleration"), run.channel("front right knuckle height")
    front = t < MEET + 0.2
    first = float(t[front][np.argmax(chassis[front])])
    largest = float(t[np.argmax(chassis)])
    calm = float(np.abs(chassis[t > 4.0]).max() / np.abs(chassis).max())
    harder = float(np.sqrt(np.mean(knuckle**2) / np.mean(chassis**2)))
    told = f"{chassis[front].max():.3g} m/s2"
    if largest > MEET + 0.2:
        told += f"; here a larger one, {chassis.max():.3g} m/s2, follows at {largest:.3g} s from the rear wheels"
    when = "not reproduced" if abs(first - 2.5) > 0.1 else "reproduced" if first == largest else "reproduced in part"
    return [
        Item("Fig. 11", "chassis' largest peak, as the front wheels meet the bump, s", 2.5, first,
             verdict=f"{when}: {told} ({CHOICES})"),
        Item("Fig. 11", "what is left after 4 s of the largest acceleration", "peaks lessen with time", calm,
             verdict=_said(calm < 0.2)),
        Item("Fig. 12", "front right knuckle's rise above where it stood, m", None, float(height.max() - height[0]),
             verdict="ours; the bump is 0.1 m high, and the wheel leaves the road behind it"),
        Item("Fig. 14", "knuckle's acceleration / chassis', root mean squares", "knuckle shakes harder", harder,
             verdict=_said(harder > 1.0)),
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
        Item("5.2", f"{name}: simulated time / time of the loop", None, UNTIL / run.certificate.loop_s,
             verdict=f"ours, {run.certificate.steps} steps, energy balance {run.certificate.energy_drift:.0e}")
        for name, run in runs.items()
    ]  # fmt: skip


def _said(right: bool) -> str:
    return "reproduced" if right else "not reproduced"


def vehicle_figure(runs: dict[str, Result], folder: Path) -> None:
    """Figs. 11-14."""
    looks = [(name, run, COLORS[k], 2.6 - 1.4 * k, "--" if k else "-") for k, (name, run) in enumerate(runs.items())]
    panels = [
        Panel(label, [Curve(n, r.t, r.channel(channel), c, style, width=w) for n, r, c, w, style in looks])
        for channel, label in FIGURES.items()
    ]
    plot_panels(panels, path=folder / "p5-fig11-14-hmmwv.png", title="P5, HMMWV at 8 m/s over a half-round bump")
