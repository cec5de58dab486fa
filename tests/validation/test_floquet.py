"""Floquet's theory: Mathieu's equation, a rotor with an asymmetric shaft, the flow of an elastic slider-crank."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import mathieu_a, mathieu_b
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.vibration.periodic import periodic_orbit as orbits
from linkwork.analyses.vibration.periodic.stability_chart import stability_chart
from linkwork.cli import app
from linkwork.errors import NumericalError, OptionError
from linkwork.view.plots.floquet import plot_chart, plot_multipliers


def mathieu(a: float, q: float, damping: float = 0.0) -> lw.Model:
    """x'' + c x' + (a - 2 q cos 2t) x = 0 by a mass of 1 kg on a guide."""
    model = lw.Model("mathieu", gravity=(0, 0, 0))
    model.body("mass", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("slide", model.ground, "mass", at=(0, 0, 0), axis="x")
    model.joint_force("spring", "slide", f"-({a!r} - 2*{q!r}*cos(2*t))*q - {damping!r}*v")
    return model


@pytest.mark.parametrize(("a", "q"), [(0.3, 0.5), (1.3, 0.5), (3.0, 2.0), (-0.4, 1.0)])
def test_monodromy_matrix_of_mathieus_equation(a: float, q: float) -> None:
    def rate(t: float, y: np.ndarray) -> list[float]:
        pull = -(a - 2 * q * np.cos(2 * t))
        return [y[1], pull * y[0], y[3], pull * y[2]]

    known = solve_ivp(rate, (0, np.pi), [1, 0, 0, 1], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    found = mathieu(a, q).floquet(period=np.pi)
    assert found.monodromy == pytest.approx(known.reshape(2, 2).T, abs=1e-9)
    assert np.prod(found.multipliers).real == pytest.approx(1.0, abs=1e-9)  # Liouville: no damping


@pytest.mark.parametrize("q", [0.5, 2.0])
@pytest.mark.parametrize(("order", "characteristic", "mu"), [(0, mathieu_a, 1), (1, mathieu_b, -1), (1, mathieu_a, -1),
                                                              (2, mathieu_b, 1), (2, mathieu_a, 1)])  # fmt: skip
def test_edges_of_strutts_chart_are_mathieus_characteristic_values(q, order, characteristic, mu) -> None:
    """Trace of the monodromy matrix +-2 there: a motion of period pi, or of 2 pi."""
    edge = float(characteristic(order, q))
    assert np.trace(mathieu(edge, q).floquet(period=np.pi).monodromy) == pytest.approx(2.0 * mu, abs=1e-8)


def test_chart_has_the_stable_tongues_of_strutt(tmp_path) -> None:
    axes = {"a": np.array([-0.2, 0.4, 1.0, 2.0, 4.1]), "q": np.array([0.4, 1.0])}
    chart = stability_chart(lambda at: (mathieu(at["a"], at["q"]).mechanism, {}), axes, np.pi, model="mathieu")
    edges = [(mathieu_a(n, axes["q"]), mathieu_b(n + 1, axes["q"])) for n in range(3)]
    known = [[any(lo[j] < a < hi[j] for lo, hi in edges) for j in range(2)] for a in axes["a"]]
    assert chart.stable.tolist() == known and {True, False} <= set(np.ravel(known).tolist())
    plot_chart(chart, tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 5000


def rotor(k1: float = 200.0, k2: float = 300.0, damping: float = 0.0, gravity: float = 0.0) -> lw.Model:
    """Jeffcott's rotor of 2 kg on a shaft that is stiffer one way, seen from ground: periodic coefficients."""
    model = lw.Model("rotor", gravity=(0, -gravity, 0))
    model.body("shaft", mass=1.0, inertia=(1, 1, 1))
    model.body("disc", mass=2.0, inertia=(1, 1, 1))
    model.revolute("spin", model.ground, "shaft", at=(0, 0, 0), axis="z")
    model.planar("plane", model.ground, "disc", at=(0, 0, 0), axis="z")
    model.bushing("springs", "shaft", "disc", at=(0, 0, 0), stiffness=(k1, k2, 0, 0, 0, 0))
    model.joint_force("hold", "plane", "-50*q - 30*v", "angle")
    for axis in "xy":
        model.joint_force(f"damper {axis}", "plane", f"-{damping!r}*v", axis)
    return model


def rotor_multipliers(k1: float, k2: float, c: float, w: float, m: float = 2.0) -> np.ndarray:
    """Constant coefficients in the axes of the shaft, which come back after a turn: exp(s T)."""
    C = np.array([[c / m, -2 * w], [2 * w, c / m]])
    K = np.array([[k1 / m - w * w, -c / m * w], [c / m * w, k2 / m - w * w]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]])
    return np.exp(np.linalg.eigvals(A) * 2 * np.pi / w)


@pytest.mark.parametrize(("damping", "speed", "gravity"), [(0.0, 11.0, 0.0), (2.0, 11.0, 9.81), (0.5, 5.0, 9.81)])
def test_rotor_with_an_asymmetric_shaft(damping: float, speed: float, gravity: float) -> None:
    """Unstable between sqrt(k1/m) = 10 and sqrt(k2/m) = 12.2 rad/s; its weight makes it move, and changes nothing."""
    found = rotor(damping=damping, gravity=gravity).floquet({"spin": speed})
    for known in rotor_multipliers(200.0, 300.0, damping, speed):
        assert np.abs(found.multipliers - known).min() < 1e-7
    assert found.stable == (not 10.0 < speed < 12.2)
    assert found.period == pytest.approx(2 * np.pi / speed) and found.orbit.residual < 1e-7
    if gravity:
        assert np.ptp(found.result.channel("plane.y")) > 1e-2


def test_rotor_chart_over_its_speed() -> None:
    chart = rotor().stability_chart({"spin": [9.0, 9.9, 10.1, 12.1, 12.4]}, progress=False)
    assert chart.stable.tolist() == [True, True, False, False, True] and chart.units == {"spin": "rad/s"}


def elastic_slider_crank() -> lw.Model:
    """A slender steel rod that bends between a crank and a slider."""
    model = lw.Model("elastic slider-crank", gravity=(0, 0, 0), plane="xy")
    a, length = 0.15, 0.3
    rod = lw.beam(length=length, width=0.008, height=0.008, material="steel", plane="xy", modes=2,
                  supports={"1": "pinned", "11": "roller"}, damping=0.02, stiffening=True)  # fmt: skip
    model.body("crank", mass=0.36, inertia=(2e-3, 2e-3, 2e-3))
    model.body("rod", flexible=rod, at=(a, 0, 0))
    model.body("slider", mass=0.4, inertia=(1e-4, 1e-4, 1e-4), at=(a + length, 0, 0))
    model.frame("pin", "crank", at=(a, 0, 0))
    model.frame("big end", "rod", node="1")
    model.frame("small end", "rod", node="11")
    model.frame("wrist", "slider")
    model.revolute("shaft", model.ground, "crank", at=(0, 0, 0), axis="z")
    model.revolute("crank pin", "crank", "rod", frames=("pin", "big end"))
    model.revolute("wrist pin", "rod", "slider", frames=("small end", "wrist"))
    model.prismatic("guide", model.ground, "slider", at=(a + length, 0, 0), axis="x")
    return model


def test_slider_crank_at_speed_has_the_monodromy_matrix_of_its_flow() -> None:
    """Central differences of whole runs that start a little beside the periodic motion."""
    found = elastic_slider_crank().floquet({"shaft": 200.0})
    orbit, reduction = found.orbit, found.orbit.reduction
    assert orbit.residual < 1e-7 and found.stability == "stable"
    n, mechanism = len(found.monodromy), reduction.mechanism
    sizes = np.repeat([1e-6, 1e-3], n // 2)  # m, m/s

    def after(step: np.ndarray) -> np.ndarray:
        start = orbits._moved(reduction, orbit.result, step)
        return step + orbits._missing(reduction, orbits._one_period(mechanism, start, found.period, 64))

    flow = np.array([(after(h * e) - after(-h * e)) / (2 * h) for h, e in zip(sizes, np.eye(n), strict=True)]).T
    scale = np.outer(sizes, 1 / sizes)
    assert found.monodromy / scale == pytest.approx(flow / scale, abs=1e-4)
    assert np.abs(orbit.result.q[-1] - orbit.result.q[0])[2:].max() < 1e-6


@pytest.mark.parametrize(("name", "speeds", "settings"), [
    ("governor", {"spindle": 11.0174}, {}), ("bicycle", {"rear hub": 5 / 0.3}, {}),
    ("bicycle", {"rear hub": 8 / 0.3}, {}),
])  # fmt: skip
def test_multipliers_of_steady_motion_are_those_of_its_eigenvalues(name: str, speeds: dict, settings: dict) -> None:
    """exp(s T), by the steady analysis; the bicycle rolls on, and its multipliers do not care where it is."""
    model = lw.library_model(name, settings)
    found, linear = model.floquet(speeds), model.linearize(speeds)
    for known in np.exp(np.linalg.eigvals(linear.A) * found.period):
        assert np.abs(found.multipliers - known).min() < 1e-6
    assert found.stable == linear.equilibrium.stable


def test_what_has_no_period_or_no_orbit_is_refused() -> None:
    with pytest.raises(OptionError, match="give the period"):
        mathieu(1.0, 0.5).floquet()
    with pytest.raises(OptionError, match="it must be > 0"):
        mathieu(1.0, 0.5).floquet(period=-1.0)
    falling = lw.Model("falling", gravity=(0, 0, -9.81))
    falling.body("stone", mass=1.0, inertia=(1, 1, 1))
    falling.prismatic("fall", falling.ground, "stone", at=(0, 0, 0), axis="z")
    with pytest.raises(NumericalError, match="no periodic motion"):
        falling.floquet(period=1.0)


def test_command(tmp_path) -> None:
    file = tmp_path / "rotor.toml"
    rotor(damping=0.5, gravity=9.81).save(file)
    plot = tmp_path / "multipliers.png"
    answer = CliRunner().invoke(app, ["floquet", str(file), "--speed", "spin=11", "--plot", str(plot), "--json"])
    told = json.loads(answer.stdout)
    known = np.abs(rotor_multipliers(200.0, 300.0, 0.5, 11.0)).max()
    assert not told["stable"] and abs(complex(*told["multipliers"][0])) == pytest.approx(known, rel=1e-6)
    assert plot.stat().st_size > 5000
    text = CliRunner().invoke(app, ["floquet", str(file), "--sweep", "spin=9:11:3"]).stdout
    assert "stable" in text and "spin, rad/s" in text


def test_plot_of_multipliers(tmp_path) -> None:
    plot_multipliers(rotor(damping=0.5).floquet({"spin": 11.0}), tmp_path / "m.png", "rotor")
    assert (tmp_path / "m.png").stat().st_size > 5000
