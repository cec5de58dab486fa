"""Contracts of the equations, over every registered joint, row and force: derivatives, work, two formulations, no
allocation.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.kernels import kernel
from linkwork.compiler.meter import METER
from linkwork.elements.family import Phase
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.formulations.records import Factors
from linkwork.library import LIBRARY
from linkwork.mechanism import Mechanism
from linkwork.methods.normal_step import factorize
from linkwork.methods.parametrization import constrain
from linkwork.methods.registry import METHODS, choose_method
from linkwork.numerics.rotations import axis_rotation, euler_parameters
from linkwork.numerics.status import ACCELERATE, LEVEL_ALL, LEVEL_POSITION
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import compile_mechanism

CLOSED = [name for name, kind in JOINTS.items() if kind.rows]
H = 1e-30  # complex step


def random_pose(rng) -> dict:
    q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return {"at": rng.uniform(-1, 1, 3), "orientation": euler_parameters(q * np.sign(np.linalg.det(q)))}


def random_inertia(rng) -> dict:
    points = rng.standard_normal((8, 3))
    J = np.sum([np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in points], axis=0)
    return {"mass": rng.uniform(0.5, 3.0), "inertia": J * rng.uniform(0.01, 0.1), "com": rng.uniform(-0.3, 0.3, 3)}


def two_bodies(kind: str, rng, driven: bool = False) -> Mechanism:
    """Two free bodies with one joint of the kind between them; springs and forces of every sort around."""
    point = rng.uniform(-1, 1, 3)
    axis = {"axis": rng.standard_normal(3)} if JOINTS[kind].needs_axis else {}
    if kind == "universal":
        axis["second_axis"] = np.cross(axis["axis"], rng.standard_normal(3))
    if kind == "screw":
        axis["pitch"] = 0.3
    drivers = [
        {"name": f"drive {c}", "joint": "J", "coordinate": c, "motion": "0.3*sin(2*t)+0.1*t"}
        for c in list(JOINTS[kind].measured)
        if driven
    ]
    torsion = [{"name": "torsion", "joint": "J", "stiffness": 4.0, "damping": 0.3, "free_angle": 0.2}]
    return Mechanism.model_validate(
        {
            "gravity": (0.3, -0.4, -9.81),
            "body": [{"name": n, **random_pose(rng), **random_inertia(rng)} for n in ("a", "b")],
            "joint": [{"name": "J", "kind": kind, "between": ("a", "b"), "at": point, **axis}],
            "driver": drivers,
            "spring_damper": [
                {"name": "spring", "between": ("ground", "b"), "points": (rng.uniform(-2, 2, 3), rng.uniform(-2, 2, 3)),
                 "stiffness": 30.0, "damping": 2.0, "free_length": 0.7}
            ],
            "torsional_spring_damper": torsion if kind == "revolute" else [],
            "applied_force": [
                {"name": "push", "body": "a", "force": ("2*t+1", 0.5, "cos(t)"), "torque": (0.1, "sin(t)", 0),
                 "axes": "body", "at": (0.1, 0.2, 0.3)}
            ],
        }
    )  # fmt: skip


def state(mechanism: Mechanism, rng, formulation: str = "absolute") -> tuple[Equations, np.ndarray, np.ndarray]:
    """An assembled start with random velocities that meet the constraints."""
    start = assemble(mechanism, formulation)
    equations = Equations(start.compiled)
    y = start.y.copy()
    nq, nv = start.compiled.layout.q_count, start.compiled.layout.v_count
    y[nq : nq + nv] = rng.standard_normal(nv)
    equations.evaluate(0.0, y, start.angles, LEVEL_POSITION)
    J, nu = dense_jacobian(equations.system, equations.work), equations.work.nu
    y[nq : nq + nv] += np.linalg.pinv(J) @ (nu - J @ y[nq : nq + nv])
    return equations, y, start.angles


def along(equations: Equations, y: np.ndarray, delta: np.ndarray, h: complex) -> np.ndarray:
    """y moved by h N(q) delta."""
    rate = np.zeros(len(y))
    coordinate_rates(equations.system.dofs, y, delta, rate)
    return y + h * rate


def complex_twin(equations: Equations) -> Equations:
    return Equations(equations.compiled, np.complex128)


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("kind", CLOSED)
def test_phi_v_is_the_derivative_of_phi(kind, driven, rng):
    equations, y, angles = state(two_bodies(kind, rng, driven), rng)
    twin = complex_twin(equations)
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    J = dense_jacobian(equations.system, equations.work)
    for _ in range(3):
        delta = rng.standard_normal(J.shape[1])
        twin.evaluate(0.0, along(equations, y, delta, 1j * H), angles, LEVEL_POSITION)
        np.testing.assert_allclose(twin.work.Phi.imag / H, J @ delta, rtol=1e-12, atol=1e-13)
        moved = []
        for h in (1e-6, -1e-6):
            z = y.copy()
            displace(equations.system.dofs, z, h * delta)
            equations.evaluate(0.0, z, angles, LEVEL_POSITION)
            moved.append(equations.work.Phi.copy())
        np.testing.assert_allclose((moved[0] - moved[1]) / 2e-6, J @ delta, atol=1e-8)


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("kind", CLOSED)
def test_gamma_is_what_the_velocity_equation_leaves(kind, driven, rng):
    """d/dt (Phi_v v - nu) at v_dot = 0 is -gamma: in space by a complex step, in time from the driver's program."""
    equations, y, angles = state(two_bodies(kind, rng, driven), rng)
    nq, nv = equations.compiled.layout.q_count, equations.compiled.layout.v_count
    v = y[nq : nq + nv]
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    gamma = equations.work.gamma.copy()
    twin = complex_twin(equations)
    twin.evaluate(0.0, along(equations, y, v, 1j * H), angles, LEVEL_POSITION)
    turning = twin.work.J.imag / H
    rate = np.zeros(len(gamma))
    for con in equations.system.constraints:
        columns = equations.system.columns["dof"][con["first_column"] : con["first_column"] + con["column_count"]]
        for r in range(con["first_row"], con["first_row"] + con["row_count"]):
            first = equations.system.rows[r]["first_value"]
            rate[r] = turning[first : first + len(columns)] @ v[columns]
    later, earlier = [], []
    for t, into in ((1e-5, later), (-1e-5, earlier)):
        equations.evaluate(t, y, angles, LEVEL_POSITION)
        into.append(equations.work.nu.copy())
    nu_dot = (later[0] - earlier[0]) / 2e-5
    np.testing.assert_allclose(gamma, nu_dot - rate, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kind", CLOSED)
def test_an_undriven_constraint_acts_equally_on_both_bodies(kind, rng):
    """Force and moment on A and B are opposite about any point: no work in any motion of the pair as one body."""
    equations, y, angles = state(two_bodies(kind, rng), rng)
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    work, con = equations.work, equations.system.constraints[0]
    arm = work.O[con["body_a"]] - work.O[con["body_b"]]
    on_a, on_b = work.W[:, :6], work.W[:, 6:]
    np.testing.assert_allclose(on_a[:, :3], on_b[:, :3], atol=1e-14)
    np.testing.assert_allclose(on_a[:, 3:] + np.cross(arm, on_a[:, :3]), on_b[:, 3:], atol=1e-13)


@pytest.mark.parametrize("kind", JOINTS)
def test_forces_are_the_slope_of_the_potential_energy(kind, rng):
    """At rest Q = -dU/dq + applied forces, M and T agree: complex step through the whole evaluation."""
    mechanism = two_bodies(kind, rng).model_copy(update={"applied_force": ()})
    for formulation in ("absolute", "joint"):
        equations, y, angles = state(mechanism, rng, formulation)
        equations = Equations(equations.compiled.as_open_tree(False))
        nq, nv = equations.compiled.layout.q_count, equations.compiled.layout.v_count
        y[nq:] = 0.0
        equations.evaluate(0.0, y, angles, LEVEL_ALL)
        twin = complex_twin(equations)
        for j in range(nv):
            delta = np.zeros(nv)
            delta[j] = 1.0
            twin.evaluate(0.0, along(equations, y, delta, 1j * H), angles, LEVEL_ALL)
            assert -twin.work.energy[1].imag / H == pytest.approx(equations.work.Q[j], rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("kind", JOINTS)
def test_mass_matrix_gives_the_kinetic_energy(kind, rng):
    for formulation in ("absolute", "joint"):
        equations, y, angles = state(two_bodies(kind, rng), rng, formulation)
        equations = Equations(equations.compiled.as_open_tree(False))
        equations.evaluate(0.0, y, angles, LEVEL_ALL)
        nq, nv = equations.compiled.layout.q_count, equations.compiled.layout.v_count
        M = np.zeros((nv, nv))
        scatter(equations.system.dofs, equations.work.M, M)
        v = y[nq : nq + nv]
        assert 0.5 * v @ M @ v == pytest.approx(equations.work.energy[0], rel=1e-12)
        assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("kind", CLOSED)
def test_absolute_and_joint_coordinates_give_the_same_accelerations(kind, driven, rng):
    """The power balance of both: T' + U' = power, with the same energies and the same driver and damper power."""
    mechanism = two_bodies(kind, rng, driven)
    runs = [simulate(mechanism, Options(until=0.5, formulation=f, rtol=1e-11)) for f in ("absolute", "joint")]
    np.testing.assert_allclose(runs[0].position, runs[1].position, atol=2e-9)
    np.testing.assert_allclose(runs[0].velocity, runs[1].velocity, atol=2e-8)
    for run in runs:
        assert run.certificate.energy_drift < 1e-9
        assert run.certificate.max_violation["position"] < 1e-10


# -- forces between two frames ------------------------------------------------------------------------------------
def random_matrix(rng, size: float) -> np.ndarray:
    """Symmetric and positive definite, 6 x 6."""
    A = rng.standard_normal((6, 6))
    return size * (A @ A.T + np.eye(6))


def frames_apart(rng) -> list[dict]:
    """A frame on each body; as the bodies are said, the second is 0.4 m and about 0.9 rad away from the first."""
    turn = axis_rotation(np.array([0.6, 0.0, 0.8]), 0.9)
    return [
        {"name": "F", "body": "a", "at": (0.2, -0.1, 0.3)},
        {"name": "M", "body": "b", "at": rng.uniform(-0.2, 0.2, 3), "orientation": euler_parameters(turn)},
    ]


def push(t, x):
    return np.array([x[0] * x[1], 1.0 - x[2], 2.0 * t, x[1], 0.3, x[0]])


def vector_force(kind: str, rng) -> dict:
    """One element of the kind between bodies a and b, with springs, dampers and friction where it has them."""
    section = {"modulus": 50.0, "shear_modulus": 20.0, "area": 1.0, "Iy": 0.2, "Iz": 0.3, "J": 0.4, "ky": 0.8}
    between = {"between": ("a", "b"), "frames": ("F", "M")}
    return {
        "bushing": {**between, "stiffness": random_matrix(rng, 5.0), "damping": random_matrix(rng, 0.2),
                    "preload": (1.0, -2.0, 0.5, 0.3, -0.4, 0.2)},
        "beam": {**between, **section, "kz": 0.7, "length": 0.5, "damping": 0.05},
        "contact": {"body": "b", "against": "a", "shape": "sphere", "radius": 2.0, "at": (0.1, 0.2, -0.1),
                    "normal": rng.standard_normal(3), "stiffness": 9.0, "damping": 0.1, "friction": 0.4,
                    "smoothing": 0.7},
        "python_force": {"body": "b", "against": "a", "at": (0.1, 0.2, 0.3), "axes": "body", "function": push,
                         "inputs": ("x(b, a)", "vy(b, a)", "t*wz(b)")},
    }[kind]  # fmt: skip


VECTOR_FORCES = ("bushing", "beam", "contact", "python_force")


def pushed(kind: str, rng, joints: list[dict] | None = None) -> Mechanism:
    poses = [
        {"at": (0.1, 0.2, 0.3), "orientation": euler_parameters(axis_rotation(np.array([0.0, 0.6, 0.8]), 0.4))},
        {"at": (0.5, -0.1, 0.4), "orientation": euler_parameters(axis_rotation(np.array([1.0, 0.0, 0.0]), -0.3))},
    ]
    return Mechanism.model_validate(
        {
            "gravity": (0.3, -0.4, -9.81),
            "body": [
                {"name": name, **pose, **random_inertia(rng)} for name, pose in zip(("a", "b"), poses, strict=True)
            ],
            "frame": frames_apart(rng),
            "joint": joints or [],
            kind: [{"name": "E", **vector_force(kind, rng)}],
        }
    )


def moving(kind: str, rng) -> tuple[Equations, np.ndarray, np.ndarray]:
    equations, y, angles = state(pushed(kind, rng), rng)
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    return equations, y, angles


def wrenches_alone(equations: Equations, angles: np.ndarray) -> np.ndarray:
    """What the families of forces alone do to the bodies, in the state evaluated last."""
    work = equations.work
    work.F[:] = 0.0
    work.energy[:] = 0.0
    for table in equations.compiled.families:
        if table.family.actions:
            kernel = table.family.kernels[Phase.FORCES]
            kernel(equations.system_ref, 0.0, angles, equations.work_ref, table.first, table.last)
    return work.F.copy()


@pytest.mark.parametrize("kind", ["bushing", "beam", "contact"])
def test_vector_forces_are_the_slope_of_their_energy(kind, rng):
    equations, y, angles = state(pushed(kind, rng), rng)
    equations = Equations(equations.compiled.as_open_tree(False))
    y[equations.compiled.layout.q_count :] = 0.0
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    twin, nv = complex_twin(equations), equations.compiled.layout.v_count
    for j in range(nv):
        twin.evaluate(0.0, along(equations, y, np.eye(nv)[j], 1j * H), angles, LEVEL_ALL)
        assert -twin.work.energy[1].imag / H == pytest.approx(equations.work.Q[j], rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("kind", VECTOR_FORCES)
def test_vector_forces_act_equally_on_both_bodies(kind, rng):
    equations, _, angles = moving(kind, rng)
    F, O = wrenches_alone(equations, angles), equations.work.O
    about_origin = F[:, 3:] + np.cross(O, F[:, :3])
    assert np.abs(F[1]).max() > 0.1
    np.testing.assert_allclose(F[:, :3].sum(axis=0), 0.0, atol=1e-13)
    np.testing.assert_allclose(about_origin.sum(axis=0), 0.0, atol=1e-13)


@pytest.mark.parametrize("kind", VECTOR_FORCES)
def test_the_power_of_vector_forces_is_all_accounted_for(kind, rng):
    """F . V = -dU/dt + (power without potential), with dU/dt by a complex step along the motion."""
    equations, y, angles = moving(kind, rng)
    work, nq = equations.work, equations.compiled.layout.q_count
    F = wrenches_alone(equations, angles)
    given = work.energy[2]
    twin = complex_twin(equations)
    twin.evaluate(0.0, along(equations, y, y[nq : nq + len(work.v)], 1j * H), angles, LEVEL_ALL)
    wrenches_alone(twin, angles)
    assert np.sum(F * work.V) == pytest.approx(given - twin.work.energy[1].imag / H, rel=1e-11)
    assert abs(given) > 1e-3


@pytest.mark.parametrize("kind", VECTOR_FORCES)
def test_vector_forces_in_absolute_and_joint_coordinates(kind, rng):
    joints = [
        {"name": "pin", "kind": "revolute", "between": ("ground", "a"), "at": (0, 0, 0), "axis": (0.3, 1, 0.2)},
        {"name": "ball", "kind": "spherical", "between": ("a", "b"), "at": (0.3, 0.1, 0.3)},
    ]
    mechanism = pushed(kind, rng, joints)
    runs = [simulate(mechanism, Options(until=0.3, formulation=f, rtol=1e-10)) for f in ("absolute", "joint")]
    np.testing.assert_allclose(runs[0].position, runs[1].position, atol=1e-8)
    for run in runs:
        assert run.certificate.energy_drift < 1e-8


# -- rolling ------------------------------------------------------------------------------------------------------
def test_rows_of_a_rolling_disc(rng):
    """Phi_v of the height is the slope of Phi; gamma of all rows is what d/dt (Phi_v v) leaves at v_dot = 0."""
    disc = {"name": "roll", "body": "a", "radius": 0.5, "axis": (0.2, 0.3, 1.0), "centre": (0.1, 0.2, 0.05),
            "normal": (0.1, -0.2, 1.0), "height": 0.3}  # fmt: skip
    body = {"name": "a", **random_pose(rng), **random_inertia(rng)}
    mechanism = Mechanism.model_validate({"gravity": (0, 0, -9.81), "body": [body], "rolling_disc": [disc]})
    equations, y, angles = state(mechanism, rng)
    v = y[7:13]
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    J, gamma = dense_jacobian(equations.system, equations.work), equations.work.gamma.copy()
    twin = complex_twin(equations)
    for delta in np.eye(6):
        twin.evaluate(0.0, along(equations, y, delta, 1j * H), angles, LEVEL_POSITION)
        assert twin.work.Phi[0].imag / H == pytest.approx(J[0] @ delta, abs=1e-13)
    twin.evaluate(0.0, along(equations, y, v, 1j * H), angles, LEVEL_POSITION)
    turning = twin.work.J.imag.reshape(3, 6) / H
    np.testing.assert_allclose(gamma, -turning @ v, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(J @ v, 0.0, atol=1e-13)


def solved(equations: Equations) -> int:
    return solve_once(equations.system_ref, equations.work_ref)


@kernel
def solve_once(system, work):
    status = factorize(system, work)
    constrain(system, work, ACCELERATE)
    return status


@pytest.mark.jit
def test_normal_step_is_the_least_one_and_the_equations_hold(rng):
    """M v_dot + Phi_v^T lam = Q and Phi_v v_dot = gamma, for Cholesky and for the rank-revealing factorization."""
    equations, y, angles = state(LIBRARY["four-bar"].build(angle=40.0).mechanism, rng)
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    work = equations.work
    M = np.zeros((len(work.Q), len(work.Q)))
    scatter(equations.system.dofs, work.M, M)
    J = dense_jacobian(equations.system, work)
    assert solved(equations) == 0
    assert work.method["rank"] == 17
    cholesky = work.v_dot.copy()
    np.testing.assert_allclose(M @ work.v_dot + J.T @ work.lam, work.Q, atol=1e-10)
    np.testing.assert_allclose(J @ work.v_dot, work.gamma, atol=1e-10)
    active = work.active
    active["low"][1] = active["high"][1]  # one active row empty: Cholesky must give up
    assert solved(equations) == 0
    assert work.method["factors"] == Factors.DELICATE
    assert work.method["rank"] == 17
    np.testing.assert_allclose(work.v_dot, cholesky, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(M @ work.v_dot + J.T @ work.lam, work.Q, atol=1e-10)


@pytest.mark.jit
def test_a_chunk_of_steps_allocates_nothing(allocated):
    """Twice the steps, the same allocations: the loop itself makes none."""
    four_bar = LIBRARY["four-bar"].build().mechanism

    def allocations(until: float) -> int:
        before = allocated()
        simulate(four_bar, Options(until=until, every=until, integrator="rk4", step=1e-3))
        return allocated() - before

    allocations(0.01)
    assert allocations(0.02) == allocations(0.06)


def test_another_model_compiles_nothing():
    simulate(LIBRARY["four-bar"].build().mechanism, Options(until=0.01))
    simulate(LIBRARY["pendulum"].build().mechanism, Options(until=0.01))
    before, tried = METER.count, 0
    for entry in LIBRARY.values():
        mechanism = entry.build().mechanism
        if not compile_mechanism(mechanism, "joint").families:  # a family is compiled when a model first has it
            simulate(mechanism, Options(until=1e-3))
            simulate(mechanism, Options(until=1e-3, formulation="absolute"))
            tried += 1
    assert METER.count == before
    assert tried >= 6


def test_every_method_says_which_mechanisms_it_serves():
    closed = compile_mechanism(LIBRARY["four-bar"].build().mechanism, "joint").system
    opened = compile_mechanism(LIBRARY["pendulum"].build().mechanism, "joint").system
    for name, method in METHODS.items():
        serves, refuses = (opened, closed) if method.open_tree else (closed, opened)
        assert choose_method(name, serves)[0] is method
        with pytest.raises(OptionError):
            choose_method(name, refuses)
