"""Generalized-alpha: its constants, order 2 with and without constraints, kept tangent, stops, failures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.elements.solids.shapes import rod
from linkwork.errors import NumericalError, OptionError
from linkwork.integrators.implicit import scheme
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.model import Model
from linkwork.results.result import Result
from validation.plane_linkages import FORMULATIONS, FourBar, mechanism

GRAVITY = (0.0, 0.0, -9.81)  # m/s2
NO_CONTROL = 0.1  # tolerance that every step of length hmax meets


def pendulum() -> Mechanism:
    bar = {"name": "bar", "mass": 1.3, "inertia": (0.01, 0.12, 0.12), "at": (0.5, 0.0, 0.0)}
    pin = {"name": "pin", "kind": "revolute", "between": ("ground", "bar"), "at": (0.0, 0.0, 0.0), "axis": "-y"}
    return Mechanism.model_validate({"gravity": GRAVITY, "body": (bar,), "joint": (pin,)})


def four_bar(plane: str | None) -> Mechanism:
    return mechanism(*FourBar().parts(math.radians(60.0), -4.0), plane)


def top() -> Mechanism:
    """A body without symmetry that tumbles about a ball joint: rotations in space."""
    body = {"name": "body", "mass": 2.0, "inertia": (0.1, 0.2, 0.25), "at": (0.3, 0.1, 0.2),
            "angular_velocity": (3.0, -2.0, 4.0)}  # fmt: skip
    ball = {"name": "ball", "kind": "spherical", "between": ("ground", "body"), "at": (0.0, 0.0, 0.0)}
    return Mechanism.model_validate({"gravity": GRAVITY, "body": (body,), "joint": (ball,)})


def sprung(push: str = "0", stiffness: float = 40.0, damping: float = 0.0, at: float = 1.2) -> Mechanism:
    """1 kg on a guide along x, a spring of 1 m from the origin, a force along x."""
    mass = {"name": "mass", "mass": 1.0, "inertia": (1e-2, 1e-2, 1e-2), "at": (at, 0.0, 0.0)}
    guide = {"name": "guide", "kind": "prismatic", "between": ("ground", "mass"), "at": (0.0, 0.0, 0.0), "axis": "x"}
    spring = {"name": "spring", "between": ("ground", "mass"), "points": ((0.0, 0.0, 0.0), (at, 0.0, 0.0)),
              "stiffness": stiffness, "damping": damping, "free_length": 1.0}  # fmt: skip
    force = {"name": "push", "body": "mass", "force": (push, 0.0, 0.0)}
    parts = {"body": (mass,), "joint": (guide,), "spring_damper": (spring,), "applied_force": (force,)}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), **parts})


def run(model: Mechanism, until: float, **options) -> Result:
    return simulate(model, Options(until=until, **{"integrator": "generalized-alpha", **options}))


# ----------------------------------------------------------------------------------------------------------- constants


def multipliers_at(omega_h: float) -> np.ndarray:
    """Eigenvalues of one step of x'' = -omega^2 x on (x, h v, h^2 a), from the equations at the head of the module."""
    m, f, g, b = scheme.ALPHA_M, scheme.ALPHA_F, scheme.GAMMA, scheme.BETA
    w = omega_h**2
    left = np.array([[1.0, 0.0, -b], [0.0, 1.0, -g], [(1 - f) * w, 0.0, 1 - m]])
    right = np.array([[1.0, 1.0, 0.5 - b], [0.0, 1.0, 1 - g], [-f * w, 0.0, -m]])
    return np.linalg.eigvals(np.linalg.solve(left, right))


def test_spectral_radius_falls_from_one_to_rho():
    radii = [np.abs(multipliers_at(w)).max() for w in np.logspace(-2, 6, 60)]
    assert radii[0] == pytest.approx(1.0, abs=1e-6)
    assert radii[-1] == pytest.approx(scheme.RHO, abs=1e-2)
    assert max(radii) < 1.0 + 1e-12


def test_error_constants():
    """Both from one step along v = t^3 and v = t^2 with a as the scheme keeps it."""
    m, f, g, b = scheme.ALPHA_M, scheme.ALPHA_F, scheme.GAMMA, scheme.BETA
    v_dot = {p: lambda t, p=p: p * t ** (p - 1) for p in (2, 3)}
    a, v = {2: 2 * scheme.LAG, 3: None}, {}
    new = ((1 - f) * v_dot[2](1.0) + f * v_dot[2](0.0) - m * a[2]) / (1 - m)
    assert new == pytest.approx(2 * (1 + scheme.LAG))  # a lags by as much at the end of the step
    assert (1 - g) * a[2] + g * new == pytest.approx(1.0)  # order 2
    position = (0.5 - b) * a[2] + b * new
    assert 1 / 3 - position == pytest.approx(2 * scheme.ERROR_Q)
    # v = t^3 over many steps, after which a has forgotten how it began: the error of a step that is left
    a[3], v[3] = 0.0, 0.0
    for k in range(200):
        new = ((1 - f) * v_dot[3](k + 1.0) + f * v_dot[3](k + 0.0) - m * a[3]) / (1 - m)
        before, v[3], a[3] = v[3], v[3] + (1 - g) * a[3] + g * new, new
    assert 200.0**3 - 199.0**3 - (v[3] - before) == pytest.approx(6 * scheme.ERROR_V, abs=1e-8)


# --------------------------------------------------------------------------------------------------------------- order


def errors_at(model: Mechanism, formulation: str, until: float, steps: list[int]) -> np.ndarray:
    """Largest errors of q, v and lam at four samples, with equal steps."""
    common = {"formulation": formulation, "every": until / 4}
    exact = run(model, until, integrator="dop853", rtol=1e-12, **common)
    rows = []
    for count in steps:
        h = until / count
        one = run(model, until, rtol=NO_CONTROL, hmax=h, **common)
        # One may be cut where the redundant rows chosen at the start nearly lose rank; the position is a regular one.
        assert one.certificate.steps - count in (0, 1)
        assert max(one.certificate.max_violation.values()) < 1e-10
        rows.append([np.abs(getattr(one, k) - getattr(exact, k)).max(initial=0.0) for k in ("q", "v", "lam")])
    return np.array(rows)


@pytest.mark.parametrize(
    ("model", "formulation", "until"),
    [
        (pendulum(), "joint", 1.0),
        (pendulum(), "absolute", 1.0),
        (four_bar("xz"), "joint", 0.3),
        (four_bar("xz"), "absolute", 0.3),
        (four_bar(None), "absolute", 0.3),  # three redundant equations
        (top(), "joint", 0.5),
        (top(), "absolute", 0.5),
    ],
)
def test_positions_velocities_and_multipliers_have_order_2(model: Mechanism, formulation: str, until: float):
    errors = errors_at(model, formulation, until, [128, 256])
    for coarse, fine in errors.T:
        if coarse > 0.0:
            assert math.log2(coarse / fine) == pytest.approx(scheme.ORDER, abs=0.1), errors


def test_order_2_with_steps_that_change():
    """Error times square of the number of steps stays the same over two decades, on a pendulum that swings through."""
    exact = run(pendulum(), 2.0, integrator="dop853", rtol=1e-12)
    measured = []
    for rtol in (1e-4, 1e-6, 1e-8):
        one = run(pendulum(), 2.0, rtol=rtol)
        h = one.steps["h"]
        assert h[5:-1].max() > 1.4 * h[5:-1].min()
        assert one.certificate.rejected < 0.1 * len(h)
        measured.append(np.abs(one.q - exact.q).max() * one.certificate.steps**2)
    assert max(measured) < 1.5 * min(measured)


def test_between_the_steps_as_accurate_as_at_their_ends():
    exact = run(pendulum(), 1.0, integrator="dop853", rtol=1e-12)
    one = run(pendulum(), 1.0, rtol=NO_CONTROL, hmax=0.02)
    for name in ("q", "v"):
        error = np.abs(getattr(one, name) - getattr(exact, name))[:, 0]
        assert error.max() < 1.02 * error[::10].max()


def test_work_of_a_damper():
    """The power's integral makes the energy balance close, in proportion to the square of the step."""
    drifts = []
    for h in (0.01, 0.005):
        one = run(sprung(damping=3.0), 1.0, rtol=NO_CONTROL, hmax=h)
        assert one.energy[-1, 2] < -0.1
        drifts.append(abs(one.channel("energy.balance")[-1]))
    assert drifts[1] < 0.3 * drifts[0] < 1e-3


# ---------------------------------------------------------------------------------------------------------------- work


def test_a_linear_system_needs_its_tangent_once():
    """Two evaluations a step: one iteration that converges at once, and the corrected end; a few for new lengths."""
    one = run(sprung(), 5.0, rtol=NO_CONTROL, hmax=0.01).certificate
    assert one.steps == 500
    assert one.evaluations <= 3 * 500 + 10


@pytest.mark.jit
def test_steps_allocate_nothing(allocated):
    counts = []
    for hmax in (1e-2, 1e-3):  # 100 and 1000 steps, in as many chunks
        before = allocated()
        run(sprung(), 0.06 * hmax / 1e-3, rtol=NO_CONTROL, hmax=hmax, every=10.0)
        counts.append(allocated() - before)
    assert counts[0] == counts[1]


# ---------------------------------------------------------------------------------------------- stops and failures


def test_stops_are_hit_exactly():
    one = run(sprung("if(t<0.37, 2, 0)"), 1.1)
    assert {0.37, 1.1} <= set(one.steps["t"])
    assert one.certificate.t_end == 1.1


def test_largest_step_is_respected():
    assert run(sprung(), 1.0, rtol=1e-2, hmax=0.013).steps["h"].max() <= 0.013


@pytest.mark.parametrize("push", ["1/(0.5-t)^2", "sqrt(0.5-t)"])
def test_a_step_that_collapses_leaves_the_last_accepted_state(push: str):
    """A force that grows without bound, and one that does not exist, from t = 0.5 s on."""
    with pytest.raises(NumericalError) as failure:
        run(sprung(push), 1.0, every=0.01)
    partial = failure.value.partial
    assert 0.499 < partial.certificate.t_end <= 0.5
    assert partial.certificate.status == "failed"
    assert np.isfinite(partial.q).all() and np.isfinite(partial.v).all()
    assert len(partial.t) >= 50


@pytest.mark.parametrize("method", ["auto", "proximal", "svd", "gram-schmidt", "baumgarte"])
def test_every_method_that_serves_keeps_the_order(method: str) -> None:
    """A tolerance 100 times smaller, an energy error some 20 times smaller: order 2."""
    crank = library_model("slider-crank").mechanism
    drifts = [
        run(crank, 0.5, formulation="joint", method=method, rtol=rtol).certificate.energy_drift for rtol in (1e-4, 1e-6)
    ]
    assert drifts[0] < 1e-2 and drifts[1] < 0.08 * drifts[0]


@pytest.mark.parametrize("method", ["lu", "qr", "projection", "hybrid-qr", "hybrid-projection"])
def test_a_method_that_would_cost_the_order_is_refused(method: str) -> None:
    with pytest.raises(OptionError, match=f"method '{method}' .* lose its order; choose method 'auto'"):
        run(library_model("slider-crank").mechanism, 0.5, method=method)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_singular_position_is_passed(formulation: str):
    """A parallelogram released from 10 degrees passes its flat position twice; rows become dependent there."""
    four = library_model("four-bar").mechanism
    exact = run(four, 1.2, formulation=formulation, integrator="adams", rtol=1e-10)
    one = run(four, 1.2, formulation=formulation, rtol=1e-6)
    assert np.abs(one.position - exact.position).max() < 1e-3


def test_forces_that_depend_on_auxiliary_states_keep_the_order() -> None:
    """A controller with an integral: a tolerance 100 times smaller, an error some 20 times smaller (order 2)."""
    model = Model("arm", gravity=(0, 0, -9.81))
    arm = model.body("arm", rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.revolute("pin", model.ground, arm, at=(0, 0, 0), axis="y")
    model.controller("pid", "pin", "sin(t)", p=50.0, i=30.0, d=5.0)
    exact = model.simulate(1.0, rtol=1e-10)["pin.angle"]
    errors = [
        np.abs(model.simulate(1.0, rtol=rtol, integrator="generalized-alpha")["pin.angle"] - exact).max()
        for rtol in (1e-5, 1e-7)
    ]
    assert errors[0] < 5e-5
    assert errors[1] < 0.1 * errors[0]


# ------------------------------------------------------------------------------------------------------------- index 3


def index_3_pendulum(h: float, count: int) -> np.ndarray:
    """(x, z, turn) of the pendulum's bar after each step of the equations at the head of the module, in NumPy.

    Rows: the bar's end 0.5 m from its centre stays at the origin.  Newton with fresh derivatives on a and lam; then
    the accelerations of index 1, and the velocities projected in the metric of M.
    """
    m, f, g, b = scheme.ALPHA_M, scheme.ALPHA_F, scheme.GAMMA, scheme.BETA
    mass, force = np.diag([1.3, 1.3, 0.12]), np.array([0.0, -9.81 * 1.3, 0.0])

    def rows(q: np.ndarray) -> np.ndarray:
        return np.array([q[0] - 0.5 * math.cos(q[2]), q[1] - 0.5 * math.sin(q[2])])

    def jacobian(q: np.ndarray) -> np.ndarray:
        return np.array([[1.0, 0.0, 0.5 * math.sin(q[2])], [0.0, 1.0, -0.5 * math.cos(q[2])]])

    def accelerations(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        J, gamma = jacobian(q), -0.5 * v[2] ** 2 * np.array([math.cos(q[2]), math.sin(q[2])])
        return np.linalg.solve(np.block([[mass, J.T], [J, np.zeros((2, 2))]]), np.append(force, gamma))[:3]

    q, v = np.array([0.5, 0.0, 0.0]), np.zeros(3)
    v_dot = accelerations(q, v)
    a, positions = v_dot.copy(), []
    for _ in range(count):
        x = np.append(a, np.zeros(2))  # a_{n+1}, lam_{n+1}
        for _ in range(12):
            q_new = q + h * v + h * h * ((0.5 - b) * a + b * x[:3])
            v_dot_new = ((1 - m) * x[:3] + m * a - f * v_dot) / (1 - f)
            J = jacobian(q_new)
            bend = np.zeros((3, 3))
            bend[2, 2] = 0.5 * (math.cos(q_new[2]) * x[3] + math.sin(q_new[2]) * x[4])
            r = np.append(mass @ v_dot_new + J.T @ x[3:] - force, rows(q_new))
            top = (1 - m) / (1 - f) * mass + h * h * b * bend
            x -= np.linalg.solve(np.block([[top, J.T], [h * h * b * J, np.zeros((2, 2))]]), r)
        q_new = q + h * v + h * h * ((0.5 - b) * a + b * x[:3])
        v_new = v + h * ((1 - g) * a + g * x[:3])
        v_dot_new = accelerations(q_new, v_new)
        a = ((1 - f) * v_dot_new + f * v_dot - m * a) / (1 - m)
        J, W = jacobian(q_new), np.linalg.solve(mass, jacobian(q_new).T)
        q, v, v_dot = q_new, v_new - W @ np.linalg.solve(J @ W, J @ v_new), v_dot_new
        positions.append(q)
    return np.array(positions)


def test_each_step_is_that_of_the_equations_of_index_3():
    model = pendulum().model_copy(update={"plane": "xz"})
    one = run(model, 1.0, formulation="absolute", rtol=NO_CONTROL, hmax=0.02, every=0.02)
    assert one.certificate.steps == 50
    wanted = index_3_pendulum(0.02, 50)
    assert np.abs(one.position[1:, 0, [0, 2]] - wanted[:, :2]).max() < 1e-8  # Newton leaves 1e-8 of a speed


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_short_steps_lose_no_digits(formulation: str):
    """h = 1e-7 s: rounding / h^2 is 0.01 m/s2, which would make 4e-8 m/s in these 40 steps."""
    h, model = 1e-7, four_bar("xz")
    exact = run(model, 40 * h, formulation=formulation, integrator="dop853", rtol=1e-12, every=10 * h)
    one = run(model, 40 * h, formulation=formulation, rtol=1e-10, hmax=h, every=10 * h)
    assert one.certificate.rejected == 0
    assert np.abs(one.v - exact.v).max() < 1e-11
