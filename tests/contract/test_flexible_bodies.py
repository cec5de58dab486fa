"""Contracts of flexible bodies in the tree: the kernels against the NumPy reference, derivatives, two formulations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from flexible_reference import reference, shifted_kinetic_energy
from linkwork.analyses.start.assembly import assemble
from linkwork.flexible.bodies import flexible_beam, shape_basis
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model, stations
from linkwork.flexible.finite_elements.finite_model import PRODUCTS, Prestress
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_equations import mass_matrix, velocity_forces
from linkwork.flexible.reduction import Frame, reduce
from linkwork.flexible.shape_integrals import gyration, product
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.formulations.mass import packed_mass
from linkwork.numerics.rotations import euler_parameters
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.flexible import shifts

H = 1e-30  # complex step
SHAPE = {"length": 1.2, "width": 0.03, "height": 0.02}
BEAM = {"kind": "beam", "material": "aluminium", "elements": 4, "modes": 4, **SHAPE}


def free_beam(rng, **more) -> lw.Model:
    """One flexible body in space, pushed at a node."""
    q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    m = lw.Model("free beam", gravity=(0, 0, 0))
    turn = euler_parameters(q * np.sign(np.linalg.det(q)))
    m.body("beam", flexible=BEAM | more, at=rng.uniform(-1, 1, 3), orientation=turn)
    return m


def linkage(stiffening: bool) -> lw.Model:
    """Two beams and a ball: one hangs at its clamped end, the other by pins that its modes turn; a loop is closed."""
    m = lw.Model("flexible linkage", gravity=(0, 0, -9.81))
    clamped = BEAM | {"length": 1.0, "supports": {"1": "clamped"}, "stiffening": stiffening, "modes": 3}
    pinned = BEAM | {"length": 1.0, "supports": {"1": "pinned", "5": "pinned"}, "stiffening": stiffening, "modes": 2}
    m.body("a", flexible=clamped)
    m.body("b", flexible=pinned, at=(1, 0, 0))
    m.body("c", lw.sphere(mass=0.3, radius=0.05), at=(2, 0, 0))
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 1, 0.2))
    m.revolute("B", "a", "b", at=(1, 0, 0), axis=(0.1, 1, 0))
    m.spherical("C", "b", "c", at=(2, 0, 0))
    m.distance("D", "ground", "c", points=((1.5, 0.2, -1.0), (2, 0, 0)))
    m.spring_damper("spring", "ground", "a", points=((0.5, 0.3, 0.4), (0.75, 0, 0)), stiffness=30.0, damping=1.0)
    m.applied_force("push", "b", force=(1.0, "2*cos(t)", 0.5), torque=(0, 0.1, 0.2), at=(0.5, 0, 0))
    m.gear("tie", "A", "B", 0.5)
    return m


def moving(model: lw.Model, formulation: str, rng) -> tuple[Equations, np.ndarray, np.ndarray]:
    """The model bent and moving at random, on its constraints."""
    start = assemble(model.mechanism, formulation)
    equations, y = Equations(start.compiled), start.y.copy()
    layout = start.compiled.layout
    nq, nv = layout.q_count, layout.v_count
    sizes = np.array([2.0 * layout.modal_sizes.get(name, 0.0) for name in layout.v_names])
    for _ in range(12):
        equations.evaluate(0.0, y, start.angles, LEVEL_POSITION)
        J = dense_jacobian(equations.system, equations.work)
        delta = np.linalg.pinv(J) @ -equations.work.Phi if len(J) else np.zeros(nv)
        displace(equations.system.dofs, y, delta + (rng.standard_normal(nv) * sizes if _ == 0 else 0.0))
    y[nq : nq + nv] = rng.standard_normal(nv) * np.where(sizes > 0.0, 20 * sizes, 1.0)
    equations.evaluate(0.0, y, start.angles, LEVEL_POSITION)
    J = dense_jacobian(equations.system, equations.work)
    if len(J):
        y[nq : nq + nv] += np.linalg.pinv(J) @ (equations.work.nu - J @ y[nq : nq + nv])
    return equations, y, start.angles


def test_mass_and_velocity_forces_are_those_of_the_reference(rng):
    """M(eta) and Q_v of flexible/modal_body.py, in body axes, from the tree's M and Q in world axes about O."""
    model = free_beam(rng, supports={})
    equations, y, angles = moving(model, "absolute", rng)
    body = model.mechanism.body[0].flexible.modal
    M, Q, z, energy = in_body_axes(equations, y, angles, body.modes)
    eta = y[7 : 7 + body.modes]
    np.testing.assert_allclose(M, mass_matrix(body, eta), rtol=1e-12, atol=1e-13)
    elastic = np.concatenate([np.zeros(6), body.K_e @ eta + body.D_e @ z[6:]])
    wanted = velocity_forces(body, eta, np.zeros(3), z[3:6], z[6:]) - elastic
    np.testing.assert_allclose(Q, wanted, rtol=1e-10, atol=1e-12 * np.abs(wanted).max())
    assert energy[0] == pytest.approx(0.5 * z @ M @ z, rel=1e-12)
    assert energy[1] == pytest.approx(0.5 * eta @ body.K_e @ eta, rel=1e-12)


def test_data_that_no_body_has_are_taken_as_they_are(rng):
    """G0 and G1 at random, as from elsewhere: M(eta) and Q_v are still those of the reference."""
    shape = Beam("beam", 1.2, rectangle(0.03, 0.02), material("aluminium"), elements=4)
    beam = flexible_beam(shape, modes=3, supports={})
    size = 0.1 * np.abs(beam.G0).max(), 0.1 * np.abs(beam.G1).max()
    body = replace(
        beam,
        G0=beam.G0 + size[0] * rng.standard_normal(beam.G0.shape),
        G1=beam.G1 + size[1] * rng.standard_normal(beam.G1.shape),
        stiffening=None,
    )
    model = lw.Model("free body", gravity=(0, 0, 0))
    model.body("beam", flexible=body, at=(0.3, 0.2, 0.1), angle=0.7, axis=(0.6, 0.0, 0.8))
    equations, y, angles = moving(model, "absolute", rng)
    M, Q, z, _ = in_body_axes(equations, y, angles, body.modes)
    eta = y[7 : 7 + body.modes]
    np.testing.assert_allclose(M, mass_matrix(body, eta), rtol=1e-12, atol=1e-13)
    wanted = velocity_forces(body, eta, np.zeros(3), z[3:6], z[6:])
    wanted[6:] -= body.K_e @ eta + body.D_e @ z[6:]
    np.testing.assert_allclose(Q, wanted, rtol=1e-10, atol=1e-12 * np.abs(wanted).max())


def in_body_axes(equations, y, angles, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, Q and z = (v, omega, eta') of one free flexible body, and its energies, from the tree's in world axes."""
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    work = equations.work
    M = np.zeros((6 + m, 6 + m))
    scatter(equations.system.dofs, work.M, M)
    R = work.R[1]
    T = np.block([[R, np.zeros((3, 3 + m))], [np.zeros((3, 3)), R, np.zeros((3, m))],
                  [np.zeros((m, 6)), np.eye(m)]])  # fmt: skip
    z = T.T @ y[7 + m : 13 + 2 * m]
    return T.T @ M @ T, T.T @ work.Q, z, work.energy


@pytest.mark.parametrize("length", [1.2, 1e-7])
def test_the_shift_has_the_moments_of_the_prestress(length):
    """int u = m a + B h0, int x u^T = h0 a^T + P0 B^T, of a beam and of one of a tenth of a micrometre."""
    section = rectangle(0.02 * length, 0.01 * length)
    beam = Beam("beam", length, section, material("aluminium"), elements=4, start=-0.3 * length)
    body = flexible_beam(beam, modes=3, supports={"1": "clamped"})
    found, P0 = shifts(body, body.stiffening), product(body.J0)
    a, B = found[..., :3], found[..., 3:].reshape(3, 3, 3, 3)
    first = np.moveaxis(body.stiffening.acceleration, 0, 2)
    np.testing.assert_allclose(body.mass * a + B @ body.h0, first, atol=1e-10 * np.abs(first).max())
    spin = -gyration(body.h0[:, None] * a[:, :, None] + P0 @ B.swapaxes(2, 3))[..., 2, 2]  # about z
    wanted = body.stiffening.spin[PRODUCTS.index((2, 2))]
    np.testing.assert_allclose(spin, wanted, atol=1e-10 * np.abs(wanted).max())


def test_sections_turn_as_a_whole_to_second_order(rng):
    """Kinetic energy to second order in eta and eta', with sections that turn by exact rotations, any motion.

    The middle of a section is at x + u, less the shortening of the fibres between it and the clamp: of a line that
    bends, and of those around a line that twists, (Iy + Iz) / A r_x'^2.  The integral by midpoints.
    """
    modes, section, supports, n = 9, rectangle(0.3, 0.18), {"1": "clamped"}, 300
    beam = Beam("beam", 1.0, section, material("aluminium"), elements=3, start=-0.4)
    body, fem = flexible_beam(beam, modes=modes, supports=supports), finite_model(beam)
    shapes = reduce(fem, shape_basis(fem, modes, supports, ()), Frame("tangent", ("1",)), modes).shapes
    at = stations(beam, ((np.arange(n) + 0.5) / n, np.full(n, 1.0 / n)))
    x, dx = np.array([s.x for s in at]), 1.0 / (3 * n)
    U, dU = (np.array([rows @ shapes[6 * s.element : 6 * s.element + 12] for s, rows in zip(at, of, strict=True)])
             for of in ([s.U for s in at], [s.dU for s in at]))  # fmt: skip
    assert np.abs(U[:, 3]).max() > 0.1 * np.abs(U[:, 4:]).max()  # it twists as well
    S, polar = fem.particles.shapes(shapes), (section.Iy + section.Iz) / section.A
    of_fibres = beam.material.density * dx * np.array([section.A, section.Iz, section.Iy])

    def exact(eta, z):
        """From velocities by complex steps: of the middle, and of (0, 1, 0) and (0, 0, 1) turned."""
        later = eta + 1j * H * z[6:]
        u, slope = U @ later, dU @ later
        strain = 0.5 * (slope[:, 1] ** 2 + slope[:, 2] ** 2 + polar * slope[:, 3] ** 2)
        shorter = (np.cumsum(strain) - 0.5 * strain) * dx
        middle = np.column_stack([x + u[:, 0] - shorter, u[:, 1], u[:, 2]])
        total = 0.0
        for where, mass in zip((middle, *np.moveaxis(turns(u[:, 3:])[:, :, 1:], 2, 0)), of_fibres, strict=True):
            moving = (z[:3] if where is middle else 0.0) + np.cross(z[3:6], where.real) + where.imag / H
            total += 0.5 * mass * np.sum(moving**2)
        return total

    def by_shifts(eta, z):
        return shifted_kinetic_energy(fem.particles, S, shifts(body, body.stiffening), eta, z)

    def second_order(T, h=1e-4):
        less, none, more = (T(k * h * eta, np.append(motion, k * h * rates)) for k in (-1, 0, 1))
        return (less - 2.0 * none + more) / h**2

    for _ in range(5):
        motion, eta, rates = rng.standard_normal(6), *(rng.standard_normal((2, modes)) / np.abs(U).max())
        apart = second_order(by_shifts) - second_order(exact)
        assert abs(apart) < 1e-4 * np.abs([*eta, *rates]).max() ** 2  # modal masses are 1


def turns(r: np.ndarray) -> np.ndarray:
    """exp(tilde(r)) to second order, of each row: (n, 3, 3)."""
    across = np.cross(r[:, None, :], np.eye(3)).swapaxes(1, 2)
    return np.eye(3) + across + 0.5 * across @ across


def test_a_body_that_foreshortens_is_the_sum_of_its_particles(rng):
    """M, Q_v and energy of r = x + S eta + a + B x, whatever the prestress; M stays positive definite."""
    modes, supports = 4, {"1": "clamped"}
    beam = Beam("beam", 1.2, rectangle(0.03, 0.02), material("aluminium"), elements=4, start=-0.3)
    fem = finite_model(beam)
    shapes = reduce(fem, shape_basis(fem, modes, supports, ()), Frame("tangent", ("1",)), modes).shapes
    S = fem.particles.shapes(shapes)

    def random(*size):
        a = rng.standard_normal((*size, modes, modes))
        return a + a.swapaxes(-1, -2)

    plain = flexible_beam(beam, modes=modes, supports=supports)
    wild = Prestress(random(3), 0.3 * random(3), 0.3 * random(6), plain.stiffening.node_force)
    for body in (plain, replace(plain, stiffening=wild)):
        model = lw.Model("free beam", gravity=(0, 0, 0))
        model.body("beam", flexible=body, at=(0.3, 0.2, 0.1), angle=0.7, axis=(0.6, 0.0, 0.8))
        equations, y, angles = moving(model, "absolute", rng)
        y[7 : 7 + modes] *= 5.0
        M, Q, z, energy = in_body_axes(equations, y, angles, modes)
        eta = y[7 : 7 + modes]
        T = partial(shifted_kinetic_energy, fem.particles, S, shifts(body, body.stiffening))
        z0 = np.concatenate([np.zeros(3), z[3:]])  # the kernels have the acceleration of O, not v'
        wanted, Q_v = reference(T, eta, z0)
        np.testing.assert_allclose(M, wanted, atol=1e-11 * np.abs(wanted).max())
        Q_v[6:] -= body.K_e @ eta + body.D_e @ z[6:]
        np.testing.assert_allclose(Q, Q_v, atol=1e-10 * np.abs(Q_v).max())
        assert energy[0] == pytest.approx(T(eta, z), rel=1e-11)
        for size in (1.0, 3.0, 10.0, 30.0):
            y[7 : 7 + modes] = size * eta
            M = in_body_axes(equations, y, angles, modes)[0]
            assert np.linalg.eigvalsh(M)[0] > 0.0


@pytest.mark.parametrize("stiffening", [False, True])
@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_rows_at_nodes_have_their_derivatives(formulation, stiffening, rng):
    """Phi_v is the derivative of Phi, and gamma what the velocity equation leaves, with modes and nodes on the way."""
    equations, y, angles = moving(linkage(stiffening), formulation, rng)
    twin = Equations(equations.compiled, np.complex128)
    layout = equations.compiled.layout
    nq, nv = layout.q_count, layout.v_count
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    J, gamma, v = dense_jacobian(equations.system, equations.work), equations.work.gamma.copy(), y[nq : nq + nv]
    rate = np.zeros(len(y))
    for direction in (rng.standard_normal(nv), v):
        coordinate_rates(equations.system.dofs, y, direction, rate)
        twin.evaluate(0.0, y + 1j * H * rate, angles, LEVEL_POSITION)
        np.testing.assert_allclose(twin.work.Phi.imag / H, J @ direction, rtol=1e-9, atol=1e-10)
    turning = np.array(dense_jacobian(equations.system, twin.work._replace(J=twin.work.J.imag / H)))
    np.testing.assert_allclose(turning @ v, -gamma, rtol=1e-9, atol=1e-9 * np.abs(gamma).max())


def test_the_mass_matrix_may_be_asked_for_again(rng):
    """Impulses ask for M at the position evaluated last: it has the modes and what hangs on nodes already."""
    equations, y, angles = moving(linkage(False), "joint", rng)
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    M = equations.work.M.copy()
    packed_mass(equations.system_ref, equations.work_ref)
    np.testing.assert_array_equal(equations.work.M, M)


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_forces_are_minus_the_slope_of_energy(formulation, rng):
    """At rest Q is -dU/dq along every motion: gravity, springs, stiffness of the modes and nodes."""
    model = linkage(True)
    model._elements["applied_force"].clear()
    model._mechanism = None
    equations, y, angles = moving(model, formulation, rng)
    layout = equations.compiled.layout
    nq, nv = layout.q_count, layout.v_count
    y[nq : nq + nv] = 0.0
    equations.evaluate(0.0, y, angles, LEVEL_ALL)
    Q = equations.work.Q.copy()
    twin, rate = Equations(equations.compiled, np.complex128), np.zeros(len(y))
    slopes = np.zeros(nv)
    for j in range(nv):
        coordinate_rates(equations.system.dofs, y, np.eye(nv)[j], rate)
        twin.evaluate(0.0, y + 1j * H * rate, angles, LEVEL_ALL)
        slopes[j] = twin.work.energy[1].imag / H
    np.testing.assert_allclose(Q, -slopes, rtol=1e-9, atol=1e-9 * np.abs(slopes).max())


@pytest.mark.parametrize("stiffening", [False, True])
def test_both_formulations_move_alike_and_keep_the_energy(stiffening):
    runs = [linkage(stiffening).simulate(0.1, formulation=f, rtol=1e-8) for f in ("absolute", "joint")]
    for run in runs:
        assert run.certificate.status == "finished"
        assert run.certificate.energy_drift < 1e-7
    for channel in ("c.position.z", "a.position.x", "b.mode1", "a.mode2"):
        scale = np.abs(runs[0][channel]).max() + 1e-12
        np.testing.assert_allclose(runs[0][channel], runs[1][channel], atol=2e-6 * scale)


def test_a_free_flying_body_keeps_momentum_and_energy(rng):
    """Bent by a push at its end and then left alone: its momentum, angular momentum and energy stay."""
    model = free_beam(rng, supports={}, modes=6)
    push = [f"if(t < 0.05, {f}, 0)" for f in (3.0, 20.0, -30.0)]
    model.applied_force("push", "beam", force=push, axes="body", at=(1.2, 0, 0))
    model._elements["body"][0] = model._elements["body"][0].model_copy(
        update={"velocity": (0.3, -0.2, 0.5), "angular_velocity": (3.0, 5.0, -4.0)}
    )
    run = model.simulate(0.3, rtol=1e-10)
    assert run.certificate.energy_drift < 1e-9
    beam = model.mechanism.body[0].flexible.modal
    momenta = []
    for k in np.flatnonzero(run.t > 0.051)[::40]:
        e0, e = run.orientation("beam")[k, 0], run.orientation("beam")[k, 1:]
        tilde = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
        R = np.eye(3) + 2 * (e0 * tilde + tilde @ tilde)
        eta = np.array([run[f"beam.mode{i + 1}"][k] for i in range(6)])
        rates = np.array([run[f"beam.mode{i + 1}_rate"][k] for i in range(6)])
        z = np.concatenate([R.T @ run.velocity("beam")[k], R.T @ run.angular_velocity("beam")[k], rates])
        p, L = np.split(mass_matrix(beam, eta)[:6] @ z, 2)
        momenta.append(np.concatenate([R @ p, R @ L + np.cross(run.position("beam")[k], R @ p)]))
    momenta = np.array(momenta)
    assert np.abs(np.array([run[f"beam.mode{i + 1}"] for i in range(6)])).max() > 1e-5  # it does bend
    np.testing.assert_allclose(momenta, momenta[0] * np.ones_like(momenta), atol=1e-8 * np.abs(momenta).max())
