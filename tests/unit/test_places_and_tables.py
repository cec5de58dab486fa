"""Orientations in every form, bars from point to point, tables from files and periodic ones, the new functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.expressions import parse, values
from linkwork.numerics.rotations import axis_rotation, rotation_matrix


def orientation_of(given: object) -> np.ndarray:
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("b", lw.sphere(radius=1.0, mass=1.0), orientation=given)  # type: ignore[arg-type]
    return rotation_matrix(np.array(m.mechanism.body[0].orientation))


def test_orientations_in_every_form_agree():
    rng = np.random.default_rng(1)
    for _ in range(20):
        axis, angle = rng.normal(size=3), float(rng.uniform(-3.0, 3.0))
        R = axis_rotation(axis / np.linalg.norm(axis), angle)
        yaw, pitch, roll = math.atan2(R[1, 0], R[0, 0]), -math.asin(R[2, 0]), math.atan2(R[2, 1], R[2, 2])
        forms = (
            {"angle": angle, "axis": axis.tolist()}, R, R.tolist(), {"roll_pitch_yaw": (roll, pitch, yaw)},
            {"x": R[:, 0], "y": 2.0 * R[:, 1] + 0.3 * R[:, 0]}, {"y": R[:, 1], "z": R[:, 2] - R[:, 1]},
            {"x": R[:, 0], "z": R[:, 2]},
        )  # fmt: skip
        for form in forms:
            np.testing.assert_allclose(orientation_of(form), R, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], "this matrix does not rotate"),
        ({"x": "x", "y": "x"}, "x and y have one direction"),
        ({"x": "x"}, "1 of the directions x, y, z; give two"),
        ({"angle": 1.0, "roll_pitch_yaw": (0, 0, 1)}, "give an angle and its axis, roll_pitch_yaw, or two of x, y, z"),
        ({"rpy": (0, 0, 1)}, "unknown key 'rpy'"),
    ],
)
def test_orientations_that_are_none(given, sentence):
    with pytest.raises(ModelError, match=sentence):
        orientation_of(given)


def test_a_bar_from_point_to_point():
    rng = np.random.default_rng(2)
    for _ in range(20):
        P, Q = rng.normal(size=3), rng.normal(size=3)
        m = lw.Model("m", gravity=(0, 0, 0))
        m.link("bar", P, Q, mass=1.0)
        body = m.mechanism.body[0]
        half = 0.5 * np.linalg.norm(Q - P)
        np.testing.assert_allclose(body.p_WB + body.R_WB @ (half, 0, 0), Q, atol=1e-12)
        np.testing.assert_allclose(body.p_WB - body.R_WB @ (half, 0, 0), P, atol=1e-12)
    m.link("round", ("0 mm", 0, 0), ("-25 mm", 0, 0), density=7850.0, radius="2 mm")
    assert m.mechanism.body[1].mass_kg == pytest.approx(7850.0 * math.pi * 0.002**2 * 0.025)
    with pytest.raises(ModelError, match="link 'none': start and end are both"):
        m.link("none", P, P, mass=1.0)


def test_a_bar_in_a_model_of_any_plane_moves_there():
    for plane, Q, axis in (("xy", (1, 1, 0), "z"), ("xz", (1, 0, 1), "y"), ("yz", (0, 1, 1), "x")):
        m = lw.Model("m", gravity=tuple(-9.81 * np.array(Q, float)), plane=plane)
        m.link("bar", (0, 0, 0), Q, mass=1.0)
        m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis=axis)
        assert m.simulate(0.1, progress=False).certificate.status == "finished"


def test_angular_velocity_in_the_axes_of_the_body():
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("top", lw.cylinder(radius=0.1, length=0.1, mass=1.0), angle="90 deg", axis="x",
           angular_velocity=(0, 0, 5.0), angular_velocity_axes="body")  # fmt: skip
    run = m.simulate(0.1, progress=False)
    np.testing.assert_allclose(run.angular_velocity("top"), np.tile([0.0, -5.0, 0.0], (len(run.t), 1)), atol=1e-12)


def test_tables_from_csv_in_their_units(tmp_path):
    (tmp_path / "cam.csv").write_text(
        "angle [deg]; lift [mm]; what\n0; 0; a\n90; 5; b\n180; 10; c\n270; 5; d\n360; 0; e\n"
    )
    m = lw.Model("m", gravity=(0, 0, 0))
    m.table("cam", csv=tmp_path / "cam.csv", columns=("angle", "lift"), outside="repeat")
    (table,) = m.mechanism.tables().values()
    assert table.period == pytest.approx(2 * math.pi)
    (tmp_path / "model.toml").write_text(
        'gravity = [0,0,0]\n[[table]]\nname = "cam"\ncsv = "cam.csv"\noutside = "repeat"\n'
    )
    (read,) = lw.Model.read(tmp_path / "model.toml").mechanism.tables().values()
    np.testing.assert_array_equal(read.data, table.data)
    for columns, sentence in (
        (("angel", 2), "no column 'angel'; did you mean 'angle'"),
        ((1, 9), "there is no column 9"),
        ((1, 3), "line 2: 'a' is not a number"),
    ):
        with pytest.raises(ModelError, match=sentence):
            m.table("bad", csv=tmp_path / "cam.csv", columns=columns)
    with pytest.raises(ModelError, match="begins with y = 0 and ends with 1"):
        m.table("bad", [0, 1, 2, 3], [0, 1, 0, 1], outside="repeat")


def table_value(text: str, t: float, m: lw.Model) -> tuple[float, float, float]:
    mechanism = m.mechanism
    return values(parse(text, scope=mechanism.scope(None, mechanism.tables())), t)


def test_a_table_that_repeats_is_smooth_and_meets_a_sine():
    """The periodic spline through n points of a sine: error of order n^-4, two derivatives go on over the seam."""
    x = np.linspace(0.0, 2.0 * np.pi, 33)
    y = np.sin(x)
    y[-1] = y[0]
    m = lw.Model("m", gravity=(0, 0, 0))
    m.table("sine", x, y, outside="repeat")
    for t in np.linspace(-20.0, 20.0, 200):
        f, f1, f2 = table_value("table(sine, t)", float(t), m)
        assert f == pytest.approx(math.sin(t), abs=1e-5)
        assert f1 == pytest.approx(math.cos(t), abs=3e-4) and f2 == pytest.approx(-math.sin(t), abs=2e-2)
    before, after = (np.array(table_value("table(sine, t)", 2 * math.pi + e, m)) for e in (-1e-9, 1e-9))
    np.testing.assert_allclose(before, after, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_a_table_that_repeats_is_followed_over_its_seam_by_a_motion(seed):
    """A force by a table of a driven angle is the same force by a table of time, period after period."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([[0.0], np.sort(rng.uniform(0.3, 6.0, 6)), [2.0 * np.pi]]) + rng.uniform(-1, 1)
    y = rng.uniform(-1, 1, 8)
    y[-1] = y[0]
    ends = []
    for argument in ("pin.angle", "40*t"):
        m = lw.Model("cam", gravity=(0, 0, 0), plane="xz")
        m.body("cam", mass=1.0, inertia=(1, 1, 1))
        m.revolute("pin", m.ground, "cam", at=(0, 0, 0), axis="-y")
        m.driver("motor", "pin", "40*t")
        m.body("valve", mass=0.1, inertia=(1, 1, 1))
        m.prismatic("guide", m.ground, "valve", at=(0, 0, 0), axis="z")
        m.table("lift", x, y, outside="repeat")
        m.joint_force("push", "guide", f"200*(table(lift, {argument}) - guide.distance)")
        run = m.simulate(0.6, rtol=1e-9, progress=False)
        assert run.certificate.steps < 1500
        ends.append(run["guide.distance"][-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("t", [-7.3, -1.0, -0.2, 0.0, 0.25, 3.0, 12.9])
def test_floor_mod_sawtooth_clip(t):
    for text, exact in (
        ("floor(t)", math.floor(t)),
        ("mod(t, 0.7)", t - 0.7 * math.floor(t / 0.7)),
        ("sawtooth(t)", t - math.floor(t)),
        ("clip(t, -1, 2)", min(max(t, -1.0), 2.0)),
    ):
        assert values(parse(text), t)[0] == pytest.approx(exact, abs=1e-15)


def test_noise_is_seeded_smooth_and_of_unit_variance():
    draws = np.array([values(parse("noise(t, 3)"), float(k))[0] for k in range(1000)])
    assert abs(draws.mean()) < 0.1 and draws.std() == pytest.approx(1.0, abs=0.1)
    assert values(parse("noise(t, 3)"), 0.4) == values(parse("noise(t, 3)"), 0.4)
    assert values(parse("noise(t, 3)"), 0.4) != values(parse("noise(t, 4)"), 0.4)
    assert values(parse("noise(t, 3)"), 1024.4)[0] == pytest.approx(values(parse("noise(t, 3)"), 0.4)[0], abs=1e-9)
    with pytest.raises(ModelError, match="its seed; give a whole number"):
        parse("noise(t, 0.5)")


@pytest.mark.parametrize(
    ("force", "work"),
    [
        ("if(sawtooth(t) < 0.5, 1, 0)", lambda t: 0.5 * np.floor(t) + np.minimum(t - np.floor(t), 0.5)),
        ("floor(2*t)", lambda t: np.array([sum(min(max(s - k / 2, 0.0), 0.5) * k for k in range(20)) for s in t])),
        ("mod(t, 0.3)", lambda t: np.floor(t / 0.3) * 0.045 + 0.5 * (t - 0.3 * np.floor(t / 0.3)) ** 2),
    ],
)
def test_jumps_of_periodic_forces_are_met_exactly(force, work):
    """A mass of 1 kg: its velocity is the integral of the force, to rounding, since every jump is a break."""
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("mass", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "mass", at=(0, 0, 0), axis="x")
    m.joint_force("push", "rail", force)
    run = m.simulate(3.2, rtol=1e-8, progress=False)
    np.testing.assert_allclose(run["rail.speed"], work(run.t), atol=1e-9)


def test_a_floor_of_the_state_is_met_by_events_of_the_run():
    """Stairs of potential: a force -floor(x) on a mass; energy is kept where each stair is met exactly."""
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("mass", mass=1.0, inertia=(1, 1, 1), velocity=(3.0, 0, 0))
    m.prismatic("rail", m.ground, "mass", at=(0, 0, 0), axis="x")
    m.joint_force("stairs", "rail", "-floor(q)")
    run = m.simulate(4.0, rtol=1e-9, progress=False)
    x, v = run["rail.distance"], run["rail.speed"]
    stored = np.array([np.floor(a) * (a - np.floor(a)) + np.floor(a) * (np.floor(a) - 1) / 2 for a in x])
    np.testing.assert_allclose(0.5 * v**2 + stored, 4.5, atol=1e-7)


@pytest.mark.parametrize("far", [-(2.0**60), -123456.25, -1000.5, 999.5, 7654321.0, 2.0**40 + 0.5])
def test_a_floor_of_the_state_goes_on_at_any_distance(far):
    """The push 1 - 2 mod(floor(x), 2), from x = far on: the speed is the closed form's, jump by jump."""
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("mass", mass=1.0, inertia=(1, 1, 1), velocity=(3.0, 0, 0))
    m.prismatic("rail", m.ground, "mass", at=(0, 0, 0), axis="x")
    m.joint_force("push", "rail", f"1 - 2*mod(floor(q + ({far!r})), 2)")
    run = m.simulate(3.0, rtol=1e-9, progress=False)
    x, v = run["rail.distance"], run["rail.speed"]
    if abs(far) >= 2.0**53:  # every double is a whole even number there
        np.testing.assert_allclose(v, 3.0 + run.t, rtol=1e-9)
        return
    y, start = x + far, far - 2.0 * math.floor(far / 2.0)
    stored = np.array([one - 2.0 * math.floor(one / 2.0) for one in y])  # 0 to 2: work 1 up, then 1 down again
    work = np.minimum(stored, 2.0 - stored) - min(start, 2.0 - start)
    np.testing.assert_allclose(0.5 * v**2, 4.5 + work, atol=1e-6 if abs(far) < 1e8 else 2e-3)
    assert not run.certificate.warnings


@pytest.mark.parametrize("condition", ["floor(q) >= 3", "floor(q) > 2", "floor(q) == 3", "2*mod(floor(q), 4) == 6"])
def test_a_condition_of_whole_numbers_holds_from_the_first_on(condition):
    """A mass at 2 m/s is pushed between x = 3 and x = 4 (or from 3 on), and by nothing before."""
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("mass", mass=1.0, inertia=(1, 1, 1), velocity=(2.0, 0, 0))
    m.prismatic("rail", m.ground, "mass", at=(0, 0, 0), axis="x")
    m.joint_force("push", "rail", f"if({condition}, 1.5, 0)")
    run = m.simulate(1.9, rtol=1e-9, progress=False)
    x, v = run["rail.distance"], run["rail.speed"]
    assert 3.5 < x[-1] < 4.0
    np.testing.assert_allclose(0.5 * v**2, 2.0 + 1.5 * np.maximum(x - 3.0, 0.0), atol=1e-8)
