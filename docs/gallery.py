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
import pinocchio
from PIL import Image
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from linkwork.library import LIBRARY, library_model
from linkwork.library.bicycle import REAR
from linkwork.library.rotating import GOVERNOR_SPEED, UNIT_SPEED
from linkwork.model import Model
from linkwork.numerics.rotations import frame_with_axis, rotation_matrix
from linkwork.reproduce import p5
from linkwork.reproduce.benchmarks import andrews, bricard, one_degree
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
    bending: float = 1.0  # deflections of flexible bodies are drawn so many times as large


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


def hooke(model: Model, run: Run) -> tuple[str, str]:
    """Greatest speed of the middle shaft and unevenness of the output."""
    ratio, even = run["middle speed"] / run["input speed"], run["output speed"] / run["input speed"]
    ours = f"{ratio.min():.4f} to {ratio.max():.4f}; output 1 +- {np.abs(even - 1).max():.0e}"
    least = math.cos(math.radians(30.0))
    return ours, f"cos 30 deg = {least:.4f} to 1 / cos 30 deg = {1 / least:.4f}; output 1"


def nutation(model: Model, run: Run) -> tuple[str, str]:
    """Frequency of the nodding, counted; known from the two cyclic momenta: a quadrature between the turning points.

    2 T = (outer + level sin^2 + upright cos^2) phi'^2 + nod theta'^2 + C (psi' + phi' cos)^2,  U = moment cos(theta)
    """
    rate = run["tilt.rate"]
    ups = [run.t[k] - rate[k] * (run.t[k + 1] - run.t[k]) / (rate[k + 1] - rate[k])
           for k in np.flatnonzero((rate[:-1] < 0.0) & (rate[1:] > 0.0))]  # fmt: skip
    outer, inner, rotor = model.mechanism.body
    tilt, spin, R = math.radians(60.0), 150.0, rotation_matrix(np.array(inner.orientation))
    axle, side = np.array([0.0, -math.sin(tilt), math.cos(tilt)]), np.array([1.0, 0.0, 0.0])
    across, d = np.cross(axle, side), R @ inner.p_BC
    wheel = R @ rotor.J_C @ R.T
    J = R @ inner.J_C @ R.T + inner.mass_kg * (d @ d * np.eye(3) - np.outer(d, d))
    C, nod = axle @ wheel @ axle, side @ (J + wheel) @ side
    level, upright, moment = across @ (J + wheel) @ across, axle @ J @ axle, inner.mass_kg * 9.81 * float(d @ axle)

    def potential(x: float) -> float:
        vertical = outer.J_C[2, 2] + level * math.sin(x) ** 2 + upright * math.cos(x) ** 2
        return (C * spin * (math.cos(tilt) - math.cos(x))) ** 2 / (2.0 * vertical) + moment * math.cos(x)

    def square(x: float) -> float:  # of the rate of nodding
        return 2.0 * (potential(tilt) - potential(x)) / nod

    half = 0.5 * (brentq(square, tilt + 1e-4, tilt + 0.5) - tilt)

    def slowness(u: float) -> float:  # theta = tilt + half (1 - cos u)
        return half * math.sin(u) / math.sqrt(square(tilt + half * (1.0 - math.cos(u))))

    known = 0.5 / quad(slowness, 1e-7, math.pi - 1e-7, limit=200)[0]
    counted = (len(ups) - 1) / (ups[-1] - ups[0])
    return f"{counted:.4f} nods a second", f"{known:.4f}, a quadrature with its two cyclic momenta"


def first_bounce(model: Model, run: Run) -> tuple[str, str]:
    """Time of the first bounce and height after it."""
    t = next(event["t"] for event in run.certificate.events)
    top = run["height"][(run.t > t + 0.1) & (run.t < t + 0.9)].max()
    return (
        f"bounce at {t:.4f} s, back to {top:.3f} m",
        f"sqrt(2 h / g) = {math.sqrt(2 / 9.81):.4f} s, e^2 h = 0.640 m of a rigid floor",
    )


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


def first_accelerations(model: Model, run: Run) -> tuple[str, str]:
    """Angular accelerations of both bars as they are released, level; known: two equations for square bars."""
    ours = [run["shoulder.rate.dot"][0], run["shoulder.rate.dot"][0] + run["elbow.rate.dot"][0]]
    thick = (1.0 + 0.02**2) / 12.0  # of a bar of 1 kg and 1 m, 1/50 as wide
    known = np.linalg.solve([[thick + 1.25, 0.5], [0.5, thick + 0.25]], [-1.5 * 9.81, -0.5 * 9.81])
    return (
        f"{ours[0]:.4f}, {ours[1]:.4f} rad/s2",
        f"{known[0]:.4f}, {known[1]:.4f}, two equations by hand (thin: -9g/7l, 3g/7l)",
    )


def time_between(low: float, high: float, square_of_rate: Callable[[float], float]) -> float:
    """From one angle to another (rad), by the energy; the rate may vanish at the start."""
    return quad(lambda u: 2.0 * u * (high - low) / math.sqrt(square_of_rate(low + (high - low) * u * u)), 0.0, 1.0)[0]


def flat_positions(model: Model, run: Run) -> tuple[str, str]:
    """When the parallelogram is flat; known: one degree of freedom, by its energy."""
    found = [entry["t"] for entry in run.certificate.singular]
    crank, coupler = (8910.0 * 0.02**2 * length for length in (1.0, 2.0))  # kg
    J = 2.0 * crank * (1.0 / 3.0 + 0.02**2 / 12.0) + coupler
    start = math.radians(10.0)

    def square_of_rate(fallen: float) -> float:
        return 2.0 * 9.81 * (crank + coupler) * (math.sin(start) - math.sin(start - fallen)) / J

    known = [time_between(0.0, start, square_of_rate), time_between(0.0, start + math.pi, square_of_rate)]
    return ", ".join(f"{t:.5f}" for t in found[:2]) + " s", ", ".join(f"{t:.5f}" for t in known) + " s, an integral"


def first_flat_position(model: Model, run: Run) -> tuple[str, str]:
    """When the row of four-bars is flat for the first time; known: all cranks turn alike."""
    J, moment = 3.0 / 3.0 + 2.0, 3.0 * 0.5 + 2.0  # kg m2, kg m: three cranks of 1/12 + 1/4, two bars that do not turn

    def square_of_rate(angle: float) -> float:
        return 1.0 + 2.0 * 9.81 * moment * (1.0 - math.cos(angle)) / J

    known = time_between(0.0, math.pi / 2.0, square_of_rate)
    return f"{run.certificate.singular[0]['t']:.6f} s", f"{known:.6f} s, an integral"


def bending_frequency(model: Model, run: Run) -> tuple[str, str]:
    """First natural frequency of the coupler; known: a uniform beam on two pins."""
    exact = (math.pi / 2.0) ** 2 * math.sqrt(117e9 * 0.02**2 / 12.0 / 8910.0)
    modal = model.mechanism.body[1].modal
    return f"{modal.omega[0]:.3f} rad/s", f"pi^2/l^2 (EI / rho A)^0.5 = {exact:.3f} rad/s"


def crank_speeds(model: Model, run: Run) -> tuple[str, str]:
    """Between what speeds the crank turns; known: its energy, with the kinematics by hand."""
    ours, known = run["main bearing.rate"], p5.crank_speed(np.linspace(0.0, 2.0 * math.pi, 100_001))
    return f"{ours.min():.4f} to {ours.max():.4f} rad/s", f"{known.min():.4f} to {known.max():.4f}, by energy"


def squeezed(model: Model, run: Run) -> tuple[str, str]:
    """The angle beta at 0.03 s; known: published."""
    at = int(np.argmin(np.abs(run.t - 0.03)))
    return (
        f"{andrews.START + run['O.angle'][at]:.7f} rad",
        f"{andrews.PUBLISHED['beta']:.7f} (Test Set for IVP Solvers)",
    )


def first_hinge(model: Model, run: Run) -> tuple[str, str]:
    """The first hinge after 2 s; known: the closed form of the loop."""
    known, _ = one_degree.motion(bricard.rods(), bricard.poses, 0.0, 0.0, 2.0)
    ours = run["hinge 1.angle"][int(np.argmin(np.abs(run.t - 2.0)))]
    return f"{ours:.6f} rad", f"{known:.6f} rad, closed form of the loop (Bricard 1897)"


def torque(model: Model, run: Run) -> tuple[str, str]:
    """Torque of the driven joint at half time; known: Pinocchio's inverse dynamics of the same motion."""
    arm, joint, before = pinocchio.Model(), 0, pinocchio.SE3.Identity()
    arm.gravity.linear = np.array(model.mechanism.gravity)
    for body, hinge in zip(model.mechanism.body, model.mechanism.joint, strict=True):
        R = frame_with_axis(np.array(hinge.axis))
        here = pinocchio.SE3(R, np.array(hinge.at))
        joint = arm.addJoint(joint, pinocchio.JointModelRZ(), before.actInv(here), hinge.name)
        R_body = rotation_matrix(np.array(body.orientation))
        inertia = pinocchio.Inertia(body.mass_kg, np.array(body.at) + R_body @ body.p_BC, R_body @ body.J_C @ R_body.T)
        arm.appendBodyToJoint(joint, inertia, here.inverse())
        before = here
    n, names = len(run.t) // 2, [hinge.name for hinge in model.mechanism.joint]
    q, v, a = (np.array([run[f"{name}.{what}"][n] for name in names]) for what in ("angle", "rate", "rate.dot"))
    known = pinocchio.rnea(arm, arm.createData(), q, v, a)[1]
    return f"{run.driving_force('joint 2').values[n]:.5f} N m", f"{known:.5f} N m by Pinocchio"


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
    Exhibit("double-pendulum", 0.27, "angular accelerations at the start", first_accelerations),
    Exhibit("four-bar", 0.3, "flat, first and second time", flat_positions),
    Exhibit("four-bar-flexible", 0.56, "first bending frequency of the coupler", bending_frequency, bending=8.0),
    Exhibit("slider-crank", 0.13, "speed of the crank", crank_speeds),
    Exhibit("n-four-bar", 0.05, "flat for the first time", first_flat_position),
    Exhibit("andrews", 0.3, "angle beta at 0.03 s", squeezed),
    Exhibit("quick-return", 0.22, "cutting over return time", strokes),
    Exhibit("windscreen-wiper", 0.3, "sweep", sweep),
    Exhibit("bricard", 0.05, "first hinge at 2 s", first_hinge),
    Exhibit("hooke-shaft", 0.2, "speed of the middle shaft over that of the input", hooke),
    Exhibit("gyroscope", 0.1, "nutation", nutation),
    Exhibit("bouncing-ball", 0.22, "first bounce", first_bounce),
    Exhibit("rrc-arm", 0.4, "torque of joint 2 at 2.5 s", torque),
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
    scene = replace(scene, bends=[replace(bend, eta=exhibit.bending * bend.eta) for bend in scene.bends])
    sample = int(exhibit.share * (len(scene.t) - 1))
    drawn = BytesIO()
    picture(framed(scene, sample), sample, drawn, size=SIZE)  # type: ignore[arg-type]
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def card(exhibit: Exhibit) -> str:
    """Run, draw, and the card of the model: its picture, and the number that the run gives beside what is known."""
    model = library_model(exhibit.name)
    run = model.simulate(rtol=1e-8, every=(model.mechanism.duration or 1.0) / 2000, progress=False)
    draw(exhibit, run, HERE / "images" / f"{exhibit.name}.png")
    ours, known = exhibit.number(model, run)
    name, title = exhibit.name, LIBRARY[exhibit.name].title
    drawn = f" (deflections drawn {exhibit.bending:g} times)" if exhibit.bending != 1.0 else ""
    return (
        f"<div markdown>\n![{name}](images/{name}.png)\n\n**`{name}`** {title}{drawn}.\n\n"
        f"{exhibit.what}: **{ours}**<br>\nknown independently: {known}\n</div>\n"
    )


HEAD = """# Gallery

Every model of the library, drawn from a run (`linkwork run NAME --view` moves it, `linkwork view NAME --live` gives it
sliders), with a number to check it by: what the run gives, and what is known independently of linkwork. Made by
`python docs/gallery.py`.

<div class="cards gallery" markdown>
"""


def main() -> None:
    """All exhibits."""
    (HERE / "images").mkdir(exist_ok=True)
    (HERE / "gallery.md").write_text(HEAD + "\n".join(card(exhibit) for exhibit in EXHIBITS) + "\n</div>\n")


if __name__ == "__main__":
    main()
