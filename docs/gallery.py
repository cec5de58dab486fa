"""Makes the gallery: a picture of every library model, and the number behind it: python docs/gallery.py

Pictures go to docs/images/, the table to docs/gallery.md.  The numbers are those of a run, beside what is known of the
model without one; tests/validation/test_library.py holds them to tight tolerances.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.integrate import solve_ivp

from linkwork.library import LIBRARY, library_model
from linkwork.library.bicycle import REAR
from linkwork.library.rotating import GOVERNOR_SPEED, UNIT_SPEED
from linkwork.model import Model
from linkwork.run import Run
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene
from linkwork.view.scene.snapshot import poses, triangles_at
from linkwork.view.scene.still import picture

HERE = Path(__file__).parent
SIZE = (4.8, 2.7)  # inch
COLOURS = 96  # of a picture: keeps it small


@dataclass(frozen=True)
class Exhibit:
    """A model, the share of its run at which it is drawn, and its number: what the run gives, and what is known."""

    name: str
    share: float
    what: str
    number: Callable[[Model, Run], tuple[str, str]]


def strokes(model: Model, run: Run) -> tuple[str, str]:
    """Duration of the slow stroke over that of the fast one; known: crank = 2 offset."""
    speed = run["ram speed"]
    turns = [run.t[k] - speed[k] * (run.t[k + 1] - run.t[k]) / (speed[k + 1] - speed[k])
             for k in np.flatnonzero(speed[:-1] * speed[1:] < 0.0)]  # fmt: skip
    slow, fast = sorted(np.diff(turns)[:2])[::-1]
    return f"{slow / fast:.4f}", "(pi + 2 asin 1/2) / (pi - 2 asin 1/2) = 2"


def sweep(model: Model, run: Run) -> tuple[str, str]:
    """Angle between the positions where crank and rod are in line."""
    crank, rocker, rod, ground = 0.045, 0.065, 0.4, math.hypot(0.4, 0.05)
    ends = [math.acos((ground**2 + rocker**2 - (rod + s * crank) ** 2) / (2 * ground * rocker)) for s in (-1, 1)]
    ours, known = math.degrees(np.ptp(run["left angle"])), math.degrees(ends[1] - ends[0])
    return f"{ours:.2f} deg", f"{known:.2f} deg, by triangles"


def mobility(model: Model, run: Run) -> tuple[str, str]:
    """Freedoms by rank, and by counting."""
    found = model.check()
    return f"{found.dof}, with {len(found.redundant)} redundant", f"counting gives {found.gruebler}"


def hooke(model: Model, run: Run) -> tuple[str, str]:
    """Greatest speed of the middle shaft and unevenness of the output."""
    ratio, even = run["middle speed"] / run["input speed"], run["output speed"] / run["input speed"]
    ours = f"{ratio.min():.4f} to {ratio.max():.4f}; output 1 +- {np.abs(even - 1).max():.0e}"
    least = math.cos(math.radians(30.0))
    return ours, f"cos 30 deg = {least:.4f} to 1 / cos 30 deg = {1 / least:.4f}; output 1"


def nutation(model: Model, run: Run) -> tuple[str, str]:
    """Frequency of the nodding, counted; known for a fast rotor: C n / (A A')^0.5."""
    rate = run["tilt.rate"]
    ups = np.flatnonzero((rate[:-1] <= 0.0) & (rate[1:] > 0.0))
    outer, inner, rotor = model.mechanism.body
    lean = math.radians(60.0)
    axle, side = np.array([0.0, -math.sin(lean), math.cos(lean)]), np.array([1.0, 0.0, 0.0])
    d = inner.p_BC
    J = inner.J_C + inner.mass_kg * (d @ d * np.eye(3) - np.outer(d, d)) + rotor.J_C
    across = np.cross(axle, side)
    about_z = (outer.J_C[2, 2] + (across @ J @ across) * math.sin(lean) ** 2
               + (axle @ (J - rotor.J_C) @ axle) * math.cos(lean) ** 2)  # fmt: skip
    fast = 150.0 * (axle @ rotor.J_C @ axle) * math.sin(lean) / math.sqrt((side @ J @ side) * about_z)
    counted = (len(ups) - 1) / (run.t[ups[-1]] - run.t[ups[0]])
    return f"{counted:.2f} nods a second", f"{fast / (2 * math.pi):.2f}, small nods of a fast rotor"


def first_bounce(model: Model, run: Run) -> tuple[str, str]:
    """Time of the first bounce and height after it."""
    t = next(event["t"] for event in run.certificate.events)
    top = run["height"][(run.t > t + 0.1) & (run.t < t + 0.9)].max()
    return f"bounce at {t:.4f} s, back to {top:.3f} m", f"sqrt(2 h / g) = {math.sqrt(2 / 9.81):.4f} s, e^2 h = 0.640 m"


def cabin(model: Model, run: Run) -> tuple[str, str]:
    """How far the cabin is from where the legs should put it."""
    w = 2.0 * math.pi / 4.0
    at = np.column_stack([0.15 * np.sin(w * run.t), 0 * run.t, 1.6 + 0.2 * np.sin(2 * w * run.t)])
    return f"{np.abs(run.position('platform') - at).max():.0e} m", "0: the legs are its inverse kinematics"


def teeth(model: Model, run: Run) -> tuple[str, str]:
    """Where the teeth begin; known: the angles of the first pose."""
    parts = ((5.6, 20.0), (2.9, -55.0), (1.45, -80.0))  # m and deg to the horizontal: boom, stick, bucket
    at = 0.4 + 1.75j + sum(length * np.exp(1j * math.radians(angle)) for length, angle in parts)
    told = f"{run['reach of the teeth'][0]:.6f} m, {run['height of the teeth'][0]:.6f} m"
    return told, f"{at.real:.6f} m, {at.imag:.6f} m, by angles"


def ride(model: Model, run: Run) -> tuple[str, str]:
    """Greatest travel of the body; known: its two linear equations, by scipy."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        road = 0.025 * (1.0 - math.cos(20.0 * math.pi * (t - 0.2))) if 0.2 < t < 0.3 else 0.0
        strut = 20e3 * (y[0] - y[1]) + 1500.0 * (y[2] - y[3])
        return [y[2], y[3], -strut / 400.0, (strut - 180e3 * (y[1] - road)) / 40.0]

    own = solve_ivp(rate, (0.0, 3.0), np.zeros(4), rtol=1e-8, atol=1e-10, max_step=1e-3, t_eval=run.t)
    return f"{1000 * run['body travel'].max():.3f} mm", f"{1000 * own.y[0].max():.3f} mm, two equations by scipy"


def swing_time(model: Model, run: Run) -> tuple[str, str]:
    """Period, from the times at rest on the left; known: the arithmetic-geometric mean."""
    rate = run["pin.rate"]
    stops = [run.t[k] - rate[k] * (run.t[k + 1] - run.t[k]) / (rate[k + 1] - rate[k])
             for k in np.flatnonzero(rate[1:-1] * rate[2:] < 0.0) + 1]  # fmt: skip
    a, b = 1.0, math.cos(math.pi / 4)
    for _ in range(6):
        a, b = (a + b) / 2, math.sqrt(a * b)
    w = math.sqrt(1.5 * 9.81 / (1.0 + 0.02**2 / 4))  # rad/s, of small swings; the bar is 1/50 as thick as long
    return f"{2 * (stops[1] - stops[0]):.5f} s", f"2 pi / (w agm(1, cos 45)) = {2 * math.pi / a / w:.5f} s"


def kept_energy(model: Model, run: Run) -> tuple[str, str]:
    """What the run loses of its energy."""
    return f"energy kept to {run.certificate.energy_drift:.0e}", "no loss"


def flat_positions(model: Model, run: Run) -> tuple[str, str]:
    """When the linkage is flat."""
    found = [entry["t"] for entry in run.certificate.singular]
    return ", ".join(f"{t:.3f}" for t in found[:2]) + f" s ({len(found)} in all)", "0.18 and 1.0 s in P1's figure"


def wheel_loads(model: Model, run: Run) -> tuple[str, str]:
    """What the front wheels carry; known: a share of the weight, by where the centre of mass is."""
    weight = 9.81 * sum(body.mass_kg for body in model.mechanism.body)
    ours = (run["front left load"][0] + run["front right load"][0]) / weight
    return f"{ours:.4f} of the weight", "0.4, where the centre of mass was put"


def running(model: Model, run: Run) -> tuple[str, str]:
    """Collar of the governor at its speed, and its small motions about that."""
    found = model.linearize({"spindle": GOVERNOR_SPEED}, independent=["collar"])
    mode = found.modes()[0]
    ours = f"d = {found.equilibrium.coordinates['collar.distance']:.4f} m, {mode.omega:.3f} rad/s"
    return ours, "d = 0.15 m, 6.553 rad/s in P4"


def bending(model: Model, run: Run) -> tuple[str, str]:
    """First natural frequency of the standing beam, without dimension."""
    mode = model.linearize({"spindle": 0.0}).modes()[0]
    return f"{mode.omega / UNIT_SPEED:.4f}", f"{1.8751040687119611**2:.4f}, a clamped uniform beam"


def self_stable(model: Model, run: Run) -> tuple[str, str]:
    """Forward speeds between which the bicycle rights itself: weave and capsize."""
    limits = model.sweep("rear hub", np.linspace(1.0, 10.0, 10) / REAR, progress=False).limits
    weave, capsize = (limit.value * REAR for limit in limits)
    return f"{weave:.9f} to {capsize:.9f} m/s", "4.292382536 to 6.024262015 m/s (Meijaard et al. 2007)"


EXHIBITS = (
    Exhibit("pendulum", 0.07, "period", swing_time),
    Exhibit("double-pendulum", 0.27, "balance", kept_energy),
    Exhibit("four-bar", 0.3, "singular positions", flat_positions),
    Exhibit("four-bar-flexible", 0.3, "balance", kept_energy),
    Exhibit("slider-crank", 0.13, "degrees of freedom", mobility),
    Exhibit("n-four-bar", 0.05, "degrees of freedom", mobility),
    Exhibit("andrews", 0.3, "balance", kept_energy),
    Exhibit("quick-return", 0.22, "cutting over return time", strokes),
    Exhibit("windscreen-wiper", 0.3, "sweep", sweep),
    Exhibit("bricard", 0.05, "degrees of freedom", mobility),
    Exhibit("hooke-shaft", 0.2, "speed of the middle shaft over that of the input", hooke),
    Exhibit("gyroscope", 0.1, "nutation", nutation),
    Exhibit("bouncing-ball", 0.22, "first bounce", first_bounce),
    Exhibit("rrc-arm", 0.4, "balance", kept_energy),
    Exhibit("stewart-platform", 0.15, "error of the cabin's place", cabin),
    Exhibit("excavator", 0.02, "teeth at the start: reach, height", teeth),
    Exhibit("quarter-car", 0.09, "lift of the body", ride),
    Exhibit("hmmwv", 0.51, "load of the front wheels at rest", wheel_loads),
    Exhibit("bicycle", 0.05, "stable speeds", self_stable),
    Exhibit("governor", 0.3, "running at 11.0174 rad/s", running),
    Exhibit("rotating-cantilever", 0.0, "first natural frequency at rest", bending),
)


def framed(scene: Scene, sample: int) -> Scene:
    """The scene in the room that it takes at a sample, with the traces that it shows; one that is followed as it is."""
    if scene.follow:
        return scene
    R, p = poses(scene)
    traces = [p[:, trace.body] + R[:, trace.body] @ np.array(trace.at) for trace in scene.traces if trace.shown]
    corners = np.concatenate([triangles_at(scene, sample)[0].reshape(-1, 3), *traces])
    margin = 0.03 * float(np.ptp(corners, axis=0).max())
    return replace(scene, low=tuple(corners.min(axis=0) - margin), high=tuple(corners.max(axis=0) + margin))


def draw(exhibit: Exhibit, run: Run, path: Path) -> None:
    """The picture of an exhibit, with few colours."""
    scene = scene_of(run.result, loads=False)
    sample = int(exhibit.share * (len(scene.t) - 1))
    drawn = BytesIO()
    picture(framed(scene, sample), sample, drawn, size=SIZE)  # type: ignore[arg-type]
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def row(exhibit: Exhibit) -> str:
    """Run, draw, and a line of the table."""
    model = library_model(exhibit.name)
    run = model.simulate(rtol=1e-8, every=(model.mechanism.duration or 1.0) / 2000, progress=False)
    draw(exhibit, run, HERE / "images" / f"{exhibit.name}.png")
    ours, known = exhibit.number(model, run)
    name, title = exhibit.name, LIBRARY[exhibit.name].title
    return f"| ![{name}](images/{name}.png) | `{name}` | {title} | {exhibit.what}: {ours} | {known} |"


def main() -> None:
    """All exhibits."""
    (HERE / "images").mkdir(exist_ok=True)
    rows = [row(exhibit) for exhibit in EXHIBITS]
    head = (
        "# Gallery\n\nEvery model of the library, drawn from a run (`linkwork run NAME --view` moves it), and a number "
        "behind it. Made by `python docs/gallery.py`.\n\n| | model | what it is | the run gives | known without it |\n"
        "|---|---|---|---|---|\n"
    )
    (HERE / "gallery.md").write_text(head + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
