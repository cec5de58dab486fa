"""Beam finite elements: frequencies and deflections against closed forms, order of convergence, element matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model, geometric_stiffness
from linkwork.flexible.finite_elements.materials import Material, material
from linkwork.flexible.finite_elements.sections import Section, circle, rectangle, tube
from linkwork.flexible.reduction import natural_frequencies, static_solution

THIN = rectangle(0.001, 0.001)  # of a beam of 1 m: rotary inertia counts 1e-6


def roots(equation, starts):
    """Roots beta of a frequency equation, one in each bracket of width 1 about the start."""
    return np.array([brentq(equation, s - 0.5, s + 0.5, xtol=1e-14) for s in starts])


K = np.arange(1, 4)
COS, COSH, SIN, SINH = np.cos, np.cosh, np.sin, np.sinh
# beta of omega = beta^2 sqrt(EI / rho A L^4): Blevins 1979, table 8-1
CLASSICAL = {
    "clamped-free": (("clamped", "free"), roots(lambda b: COS(b) + 1 / COSH(b), (1.875, 4.694, 7.855))),
    "clamped-clamped": (("clamped", "clamped"), roots(lambda b: COS(b) - 1 / COSH(b), (4.730, 7.853, 10.996))),
    "free-free": (("free", "free"), roots(lambda b: COS(b) - 1 / COSH(b), (4.730, 7.853, 10.996))),
    "clamped-pinned": (("clamped", "roller"), (4 * K + 1) * np.pi / 4),
    "pinned-free": (("pinned", "free"), (4 * K + 1) * np.pi / 4),
    "pinned-pinned": (("pinned", "roller"), K * np.pi),
    "clamped-guided": (("clamped", "guided"), (4 * K - 1) * np.pi / 4),
    "free-guided": (("free", "guided"), (4 * K - 1) * np.pi / 4),
    "pinned-guided": (("pinned", "guided"), (2 * K - 1) * np.pi / 2),
    "guided-guided": (("guided", "guided"), K * np.pi),
}
for name in ("clamped-pinned", "pinned-free", "clamped-guided", "free-guided"):  # tan b = +- tanh b, asymptote above
    ends, asymptote = CLASSICAL[name]
    sign = -1 if "guided" in name else 1
    CLASSICAL[name] = (ends, roots(lambda b, s=sign: SIN(b) - s * np.tanh(b) * COS(b), asymptote))


def dimensionless(beam: Beam, supports, count: int) -> np.ndarray:
    """omega sqrt(rho A L^4 / EI) of the modes that are not rigid."""
    s, m = beam.sections[0], beam.material
    unit = np.sqrt(m.density * s.A * beam.length**4 / (m.modulus * s.Iz))
    omega = natural_frequencies(finite_model(beam), supports, count + 3) * unit
    return omega[omega > 0.1][:count]


@pytest.mark.parametrize("plane", ["xy", "xz"])
@pytest.mark.parametrize("ends", CLASSICAL)
def test_frequencies_of_all_classical_supports_to_4_digits(ends, plane):
    (left, right), beta = CLASSICAL[ends]
    beam = Beam("beam", 1.0, THIN, material("steel"), elements=30, plane=plane)
    found = dimensionless(beam, {"1": left, "31": right}, 3)
    assert found == pytest.approx(beta**2, rel=2e-5)


@pytest.mark.parametrize("ends", ["clamped-free", "clamped-clamped", "pinned-pinned", "free-free"])
def test_frequencies_converge_with_the_fourth_order(ends):
    (left, right), beta = CLASSICAL[ends]
    errors = []
    for n in (8, 16, 32):
        beam = Beam("beam", 1.0, rectangle(0.05, 0.05), material("steel"), elements=n, plane="xy", rotary_inertia=False)
        errors.append(dimensionless(beam, {"1": left, str(n + 1): right}, 3) / beta**2 - 1)
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(np.array(errors) > 0)  # Rayleigh: from above
    assert order[1, 1:] == pytest.approx(4.0, abs=0.1)  # the first mode's error is rounding by then
    assert order[0] == pytest.approx(4.0, abs=0.25)


def timoshenko_pinned(k: int, beam: Beam) -> float:
    """The lower omega (rad/s) of the k-th half wave of a pinned Timoshenko beam (Huang 1961), exact."""
    s, m = beam.sections[0], beam.material
    a = (k * np.pi / beam.length) ** 2
    EI, shear = m.modulus * s.Iz, s.ky * m.shear_modulus * s.A
    rho_A, rho_I = m.density * s.A, m.density * s.Iz
    # rho_I rho_A / shear w^4 - (rho_A + a (rho_I + EI rho_A / shear)) w^2 + EI a^2 = 0
    squares = np.roots([rho_I * rho_A / shear, -(rho_A + a * (rho_I + EI * rho_A / shear)), EI * a**2])
    return float(np.sqrt(min(squares)))


def test_timoshenko_beam_against_its_exact_frequencies():
    errors = []
    for n in (32, 64):
        beam = Beam("thick", 1.0, rectangle(0.2, 0.1), material("steel"), elements=n, theory="timoshenko", plane="xy")
        supports = {"1": ("uy",), str(n + 1): ("uy", "ux")}
        found = natural_frequencies(finite_model(beam), supports, 4)
        exact = [timoshenko_pinned(k, beam) for k in (1, 2)]
        errors.append(np.array([found[np.argmin(np.abs(found - w))] / w - 1 for w in exact]))
    assert np.abs(errors[1]) == pytest.approx(0, abs=2e-4)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)  # rotation is interpolated in quadratics


def test_torsion_and_stretch_of_a_clamped_bar():
    bar = Beam("bar", 1.0, tube(0.02, 0.015), material("aluminium"), elements=40)
    omega = natural_frequencies(finite_model(bar), {"1": "clamped"}, 30)
    m = bar.material
    for speed in (np.sqrt(m.modulus / m.density), np.sqrt(m.shear_modulus / m.density)):  # a tube has J = Iy + Iz
        quarter_wave = np.pi / 2 * speed
        assert np.min(np.abs(omega / quarter_wave - 1)) < 1e-4


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
@pytest.mark.parametrize("elements", [1, 3])
def test_static_deflection_under_tip_load_is_exact(theory, elements):
    beam = Beam("arm", 0.8, rectangle(0.03, 0.07), material("titanium"), elements=elements, theory=theory)
    s, m, L, tip = beam.sections[0], beam.material, beam.length, str(elements + 1)
    d, reaction = static_solution(finite_model(beam), {"1": "clamped"}, {tip: (5.0, 10.0, 20.0, 3.0, 0.0, 0.0)})
    shear = 0.0 if theory == "euler-bernoulli" else L / (5 / 6 * m.shear_modulus * s.A)
    expected = [
        5.0 * L / (m.modulus * s.A),
        10.0 * (L**3 / (3 * m.modulus * s.Iz) + shear),
        20.0 * (L**3 / (3 * m.modulus * s.Iy) + shear),
        3.0 * L / (m.shear_modulus * s.J),
        -20.0 * L**2 / (2 * m.modulus * s.Iy),
        10.0 * L**2 / (2 * m.modulus * s.Iz),
    ]
    assert d[-6:] == pytest.approx(expected, rel=1e-9)
    assert reaction == pytest.approx([-5.0, -10.0, -20.0, -3.0, 20.0 * L, -10.0 * L], rel=1e-9)


def test_element_matrices_are_przemienieckis():
    """Consistent mass of one Euler-Bernoulli element with rotary inertia in a plane (Przemieniecki 1968, eq 11.24)."""
    s, m, l = rectangle(0.02, 0.03), material("copper"), 0.7
    one = finite_model(Beam("one", l, s, m, elements=1, plane="xy"))
    rho_A, r = m.density * s.A, s.Iz / (s.A * l**2)
    near = np.array([[13 / 35 + 6 / 5 * r, (11 / 210 + r / 10) * l], [0, (1 / 105 + 2 / 15 * r) * l**2]])
    cross = (13 / 420 - r / 10) * l
    far = np.array([[9 / 70 - 6 / 5 * r, -cross], [cross, (-1 / 140 - r / 30) * l**2]])
    near[1, 0] = near[0, 1]
    flip = np.diag([1, -1])
    bending = rho_A * l * np.block([[near, far], [far.T, flip @ near @ flip]])
    axial = rho_A * l / 6 * np.array([[2, 1], [1, 2]])
    M = one.M.toarray()
    assert M[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] == pytest.approx(bending, rel=1e-12)
    assert M[np.ix_([0, 3], [0, 3])] == pytest.approx(axial, rel=1e-12)


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
def test_rigid_motions_cost_no_strain_and_have_the_rigid_inertia(theory):
    beam = Beam("bar", 1.2, rectangle(0.05, 0.08), material("steel"), elements=5, theory=theory, start=-0.4)
    model = finite_model(beam)
    assert np.abs(model.K @ model.rigid).max() < 1e-9 * np.abs(model.K).max()
    mass = material("steel").density * 1.2 * 0.05 * 0.08
    M = model.rigid.T @ (model.M @ model.rigid)
    assert M[:3, :3] == pytest.approx(mass * np.eye(3), abs=1e-10 * mass)
    about = mass * 0.2**2
    assert np.diag(M)[3:] == pytest.approx(
        mass / 12 * np.array([0.05**2 + 0.08**2, 1.2**2 + 0.08**2, 1.2**2 + 0.05**2]) + [0.0, about, about]
    )


def test_euler_buckling_from_the_geometric_stiffness():
    from scipy.linalg import eigh

    beam = Beam("strut", 1.0, THIN, material("steel"), elements=8, plane="xy")
    model = finite_model(beam)
    C = model.support_rows({"1": "pinned", "9": "roller"})
    held = np.flatnonzero(np.asarray(abs(C).sum(axis=0)).ravel())
    free = np.setdiff1d(np.arange(model.size), held)
    K, Kg = model.K.toarray()[np.ix_(free, free)], geometric_stiffness(beam, -1.0).toarray()[np.ix_(free, free)]
    critical = 1 / eigh(-Kg, K, eigvals_only=True)[-1]
    assert critical == pytest.approx(np.pi**2 * beam.material.modulus * THIN.Iz, rel=1e-4)


def test_stepped_beam_equals_its_uniform_refinement():
    thick, thin = circle(0.02), circle(0.015)
    coarse = Beam("shaft", 1.0, (thick, thin), material("steel"), elements=2)
    fine = Beam("shaft", 1.0, (thick,) * 5 + (thin,) * 5, material("steel"), elements=10)
    load = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    tips = [
        static_solution(finite_model(b), {"1": "clamped"}, {str(b.elements + 1): load})[0][-6:] for b in (coarse, fine)
    ]
    assert tips[0] == pytest.approx(tips[1], rel=1e-9)


def test_saint_venant_torsion_constants():
    """Timoshenko & Goodier, table of torsion of rectangles: J = 0.1406 a^4 (square), 0.2287 a b^3 (2 : 1)."""
    assert pytest.approx(0.1406, abs=5e-5) == rectangle(1.0, 1.0).J
    assert pytest.approx(0.2287, abs=5e-5) == rectangle(2.0, 1.0).J / 2
    assert isinstance(circle(1.0), Section) and pytest.approx(np.pi / 2) == circle(1.0).J
    assert Material.of(200e9, 80e9, 7800.0).poisson == pytest.approx(0.25)
