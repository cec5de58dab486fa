"""Vibrations with exact answers: chains, pendulums, rotors, the governor, rotating beams; linear = nonlinear."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw
from linkwork.library.rotating import GOVERNOR_SPEED, governor
from linkwork.reproduce import p4
from linkwork.reproduce.p4 import mass_on_turntable, without_half_of_coriolis
from vibrating_models import (
    chain_of_springs,
    disc_on_bearings,
    jeffcott,
    on_a_turning_hub,
    overhung_disc,
    rotating_pendulum,
)


def test_a_chain_of_springs_has_its_textbook_frequencies():
    n = 7
    omega = chain_of_springs(n, 50.0, 2.0).linearize().modes().omega
    k = np.arange(1, n + 1)
    assert omega == pytest.approx(2.0 * np.sqrt(25.0) * np.sin((2 * k - 1) * np.pi / (4 * n + 2)), rel=1e-12)


def test_a_bar_on_a_pin_and_two_bars_in_line():
    """omega^2 = 3 g / 2 l (bar of width b: I = m (l^2 + b^2)/12 + m l^2/4); double: det(K - omega^2 M) = 0."""
    g, b = 9.81, 1.0 / 50.0
    inertia = (1.0 + b**2) / 12.0
    omega = lw.library_model("pendulum").linearize().modes().omega
    assert omega == pytest.approx([np.sqrt(g / 2.0 / (inertia + 0.25))], rel=1e-12)
    M = np.array([[inertia + 0.25 + 1.0, 0.5], [0.5, inertia + 0.25]])  # absolute angles
    K = np.diag([1.5 * g, 0.5 * g])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert lw.library_model("double-pendulum").linearize().modes().omega == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("speed", [1.0, 3.0, 4.0, 9.0])
def test_rotating_pendulum_leaves_the_vertical_at_its_critical_speed(speed):
    """cos(theta) = g / (l w^2) beyond w = sqrt(g/l); about it omega = w sin(theta), below sqrt(g/l - w^2)."""
    g = 9.81
    upright = rotating_pendulum(0.0).linearize({"spin": speed})
    beyond = speed**2 > g
    assert upright.equilibrium.stable is not beyond
    if beyond:
        assert upright.modes().eigenvalues.real.max() == pytest.approx(np.sqrt(speed**2 - g), rel=1e-8)
    found = rotating_pendulum(0.1).linearize({"spin": speed})
    theta = found.equilibrium["hinge.angle"] + 0.1
    assert found.equilibrium.stable
    assert theta == pytest.approx(np.arccos(g / speed**2) if beyond else 0.0, abs=1e-9)
    exact = speed * np.sin(theta) if beyond else np.sqrt(g - speed**2)
    assert found.modes().omega == pytest.approx([exact], rel=1e-8)


def test_the_stability_limit_of_the_rotating_pendulum_is_found():
    found = rotating_pendulum(0.0).sweep("spin", np.arange(0.0, 6.0, 0.5), progress=False)
    (limit,) = found.limits
    assert (limit.becomes, limit.how) == ("unstable", "divergence")
    assert limit.value == pytest.approx(np.sqrt(9.81), rel=1e-10)
    assert list(found.stable) == [bool(v < limit.value) for v in found.values]


def test_overhung_disc_whirls_both_ways_and_has_one_critical_speed():
    """omega = +-Ip w / 2 Id + sqrt((Ip w / 2 Id)^2 + k/Id); backward whirl meets the speed at sqrt(k / (Id + Ip))."""
    I_d, I_p, k = 1.0, 1.6, 100.0
    found = overhung_disc(I_d, I_p, k).sweep("spin", np.arange(0.0, 41.0, 2.0), progress=False)
    half = 0.5 * I_p * found.values / I_d
    root = np.sqrt(half**2 + k / I_d)
    by_branch = np.sort(found.frequencies, axis=1)
    assert by_branch == pytest.approx(np.column_stack([root - half, root + half]), rel=1e-7)
    (critical,) = found.critical
    assert critical.value == pytest.approx(np.sqrt(k / (I_d + I_p)), rel=1e-7)
    assert np.all(np.diff(found.frequencies[1:, :], axis=0)[:, 0] * np.diff(found.frequencies[1:, :], axis=0)[:, 1] < 0)


def test_internal_damping_makes_a_jeffcott_rotor_flutter_above_its_limit():
    """Unstable above w = omega (1 + c_external / c_internal), whirling with omega = sqrt(k/m)."""
    k, m, c_e, c_i = 800.0, 2.0, 4.0, 2.0
    rotor = jeffcott(k, c_e, m, c_i)
    found = rotor.sweep("spin", np.arange(10.0, 100.0, 10.0), progress=False)
    (limit,) = found.limits
    assert (limit.becomes, limit.how) == ("unstable", "flutter")
    assert limit.value == pytest.approx(np.sqrt(k / m) * (1.0 + c_e / c_i), rel=1e-7)


def test_unbalance_response_of_the_jeffcott_rotor():
    k, m, c, unbalance = 800.0, 2.0, 4.0, 1e-3
    w = np.arange(2.0, 60.0, 4.0)
    outputs = ["disc.position.x", "disc.position.y"]
    found = jeffcott(k, c, m).unbalance_response("spin", w, "disc", unbalance, outputs, progress=False)
    exact = unbalance * w**2 / (k - m * w**2 + 1j * w * c)
    assert found["disc.position.x"] == pytest.approx(exact, rel=1e-10)
    assert found["disc.position.y"] == pytest.approx(-1j * exact, rel=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_a_mass_that_floats_turns_with_the_hub_that_holds_it(offset):
    """No joint ties it to anything: it is seen from the hub, as if a joint hung it there; on ground it would stand."""
    speed = 3.0
    linear = on_a_turning_hub(None, offset).linearize({"spindle": speed})
    assert (linear.notes, linear.equilibrium.stability) == ((), "stable")
    assert linear.equilibrium.positions["mass"][0] == pytest.approx(offset * 400.0 / (400.0 - speed**2), rel=1e-12)
    a, b = 400.0 - speed**2, 900.0 - speed**2
    in_plane = np.sqrt(np.roots([1.0, -(a + b + 4.0 * speed**2), a * b]))
    modes = linear.modes()
    across = [n for n in range(6) if sum(v for k, v in modes.participation(n).items() if k[-2:] in (".x", ".y")) > 0.99]
    assert modes.omega[across] == pytest.approx(np.sort(in_plane), rel=1e-10)
    hung = on_a_turning_hub("hub", offset).linearize({"spindle": speed})
    assert hung.notes == ()
    assert [min(abs(modes.omega - w)) for w in hung.modes().omega] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    swept = on_a_turning_hub(None, offset).sweep("spindle", [0.0, 1.5, speed], progress=False)
    assert (swept.notes, np.sort(swept.frequencies[-1])) == ([], pytest.approx(modes.omega, rel=1e-10))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_mass_guided_by_ground_and_tied_to_a_turning_hub_is_no_steady_state_and_said(formulation):
    model = on_a_turning_hub("ground")
    linear = model.linearize({"spindle": 3.0}, formulation=formulation)
    (note,) = linear.notes
    assert "not a steady state" in note and "if 'mass' turns with 'hub', attach it there" in note
    assert (linear.equilibrium.stable, linear.equilibrium.stability) == (False, "undecided: no steady state")
    assert model.sweep("spindle", [0.0, 1.0, 2.0], progress=False).notes == [
        "spindle = 1: " + model.linearize({"spindle": 1.0}).notes[0]
    ]
    on_hub = on_a_turning_hub("hub").linearize({"spindle": 3.0}, formulation=formulation)
    assert (on_hub.notes, on_hub.equilibrium.stable) == ((), True)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_disc_on_unequal_bearings_is_steady_seen_from_ground_and_not_from_the_rotor(formulation):
    speed, equal, unequal = 3.0, (400.0, 400.0), (400.0, 900.0)

    def seen(frame, stiffness):
        linear = disc_on_bearings(frame, *stiffness).linearize({"spindle": speed}, formulation=formulation)
        return linear.notes, linear.modes().omega

    assert seen("ground", equal) == ((), pytest.approx([20.0, 20.0], rel=1e-10))
    assert seen("rotor", equal) == ((), pytest.approx([20.0 - speed, 20.0 + speed], rel=1e-10))
    assert seen("ground", unequal) == ((), pytest.approx([20.0, 30.0], rel=1e-10))
    (note,), _ = seen("rotor", unequal)
    assert note.startswith("not steady: the coefficients of 'whirl.")
    assert "vary with 'spindle.angle'" in note and "attach 'disc' to ground instead of 'carrier'" in note
    turned = disc_on_bearings("rotor", *unequal).mechanism.model_copy(deep=True)
    spindle = [j.model_copy(update={"start": 0.25 + np.pi / 2}) if j.name == "spindle" else j for j in turned.joint]
    started = lw.Model.of(turned.model_copy(update={"joint": tuple(spindle)}))
    assert started.linearize({"spindle": speed}).notes[0].startswith("not steady")  # K_xy is the same 0.5 rad later


def test_forces_and_outputs_that_stand_while_the_coordinates_turn_are_told():
    w = [1.0, 5.0]
    standing, turning = (disc_on_bearings(frame, 400.0, 400.0) for frame in ("ground", "rotor"))
    assert standing.frequency_response("disc.force.x", ["disc.position.x"], w, {"spindle": 3.0}).notes == ()
    told = turning.frequency_response("disc.force.x", ["disc.position.x", "whirl.x"], w, {"spindle": 3.0}).notes
    assert [note.split("'")[1] for note in told] == ["disc.force.x", "disc.position.x"]
    with pytest.raises(lw.OptionError, match="the coordinates turn with the rotor"):
        turning.unbalance_response("spindle", w, "disc", 1e-3, ["disc.position.x"], progress=False)


def test_the_full_coriolis_term_and_half_of_it():
    """A mass on a turntable: omega -+ speed exactly; P4's eq 19 as printed gives 8.157 and 11.157 rad/s."""
    linear = mass_on_turntable(10.0).linearize({"turn": 3.0})
    assert linear.modes().omega == pytest.approx([7.0, 10.0, 13.0], rel=1e-12)
    assert without_half_of_coriolis(linear)[[0, 2]] == pytest.approx([8.157, 11.157], abs=5e-4)
    assert pytest.approx(-linear.C.T, abs=1e-12) == linear.C


def test_governor_has_the_published_digits_and_those_of_a_separate_derivation():
    linear = governor().linearize({"spindle": GOVERNOR_SPEED}, independent=["collar"])
    found = linear.equilibrium
    assert found["collar.distance"] == pytest.approx(0.15001577829981044, rel=1e-12)
    assert abs(found["arm 1.angle"]) == pytest.approx(0.7855971821630747, rel=1e-12)
    assert linear.M[0, 0] == pytest.approx(31.46470351172051, rel=1e-12)
    assert linear.C[0, 0] == pytest.approx(30.0, rel=1e-12)
    assert linear.K[0, 0] == pytest.approx(1350.9635107893594, rel=1e-11)
    (mode,) = linear.modes()
    assert mode.eigenvalue == pytest.approx(-0.4767246573422357 + 6.535179777068875j, rel=1e-11)
    assert mode.omega == pytest.approx(6.552544629190104, rel=1e-11)
    assert mode.damping == pytest.approx(0.07275412596482521, rel=1e-10)
    printed = (31.4647, 1350.9635, 6.553, 0.7856, 0.15)
    ours = (linear.M[0, 0], linear.K[0, 0], mode.omega, abs(found["arm 1.angle"]), found["collar.distance"])
    for value, text in zip(ours, printed, strict=True):
        assert round(value, len(str(text).split(".")[1])) == text


def test_the_governor_is_chosen_in_its_collar_and_runs_without_torque():
    found = governor().equilibrium({"spindle": GOVERNOR_SPEED})
    assert found.reduction.names == ("collar.distance",)
    assert found.driving == pytest.approx({"spindle.angle": 0.0}, abs=1e-9)
    assert (found.stable, found.notes) == (True, ())


def test_small_motions_of_the_governor_are_linear_and_what_is_left_is_of_second_order():
    linear = governor().linearize({"spindle": GOVERNOR_SPEED}, independent=["collar"])
    d = linear.equilibrium["collar.distance"]
    left = []
    for size in (2e-3, 1e-3, 5e-4):
        base = governor().mechanism
        joints = tuple(j.model_copy(update={"start": d + size}) if j.name == "collar" else j for j in base.joint)
        model = lw.Model.of(base.model_copy(update={"joint": joints}))
        model.driver("motor", "spindle", f"{GOVERNOR_SPEED!r}*t")
        run = model.simulate(1.0, every=0.1, rtol=1e-11, progress=False)
        exact = np.array([(expm(linear.A * t) @ [size, 0.0])[0] for t in run.t])
        left.append(np.abs(run["collar.distance"] - d - exact).max())
    assert left[0] < 0.02 * 2e-3
    assert np.log2(np.array(left[:-1]) / left[1:]) == pytest.approx([2.0, 2.0], abs=0.15)


def test_modes_are_followed_through_a_crossing():
    """Two uncoupled oscillators, one of which stiffens with the parameter: branches cross, and stay what they are."""

    def two(value: float):
        m = lw.Model("two", gravity=(0, 0, 0))
        for k, stiffness in enumerate((9.0, value)):
            m.body(f"m{k}", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(0, k, 0))
            m.prismatic(f"x{k}", m.ground, f"m{k}", at=(0, k, 0), axis="x")
            m.spring_damper(f"k{k}", m.ground, f"m{k}", points=((-1, k, 0), (0, k, 0)), stiffness=stiffness)
        return m

    found = lw.sweep(two, "stiffness", np.arange(4.5, 16.0, 1.0))
    kept = {tuple(np.round(found.frequencies[:, b], 9)) for b in range(2)}
    assert kept == {tuple(np.full(12, 3.0)), tuple(np.round(np.sqrt(found.values), 9))}


def test_p4_is_reproduced_and_its_figures_are_drawn(tmp_path):
    linear = governor().linearize({"spindle": GOVERNOR_SPEED}, independent=["collar"])
    items = p4.governor_items(linear)
    for item in items[:5]:
        assert item.verdict.startswith("reproduced, all printed digits"), item
    before, peak = p4.impact_items(linear, tmp_path)
    assert before.ours < 5e-5  # m: the start has died away before the blow
    assert peak.ours == pytest.approx(1.0401, abs=2e-3)  # Hz; the paper reads 1.042
    for name in ("p4-fig3-impact.png", "p4-fig4-spectrum.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert [item.ours for item in p4.coriolis_items()] == pytest.approx([7.0, 13.0], rel=1e-12)


def test_table_4_of_p4_is_two_decimals_times_the_unit_of_frequency_but_for_a_slip():
    """The print has 1641.44 for 1614.44; a verdict is one of our number, whatever it is."""
    for speed, n in p4.PRINTED:
        for printed in (p4.PRINTED[speed, n], p4.REFERENCE[speed, n]):
            number, slip = p4.without_dimension(printed)
            assert number == round(number, 2)
            assert ("1614.44" in slip) == (printed == 1641.44)
            assert bool(slip) == (abs(number * p4.UNIT_SPEED - printed) > 0.01)
    assert p4.beam_verdict(2245.01, 5.0171, "").startswith("reproduced, all printed digits")
    assert p4.beam_verdict(2245.01, 5.0271, "").startswith("reproduced in part")
    assert p4.beam_verdict(2245.01, 5.0471, "").startswith("not reproduced")
