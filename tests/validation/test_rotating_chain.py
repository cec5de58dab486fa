"""Rotating beams as chains of rigid links, extrapolated to many links: the digits of the exact solutions; Table 4."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.library.rotating import AREA, DENSITY, SECOND_MOMENT, UNIT_SPEED, YOUNG, rotating_cantilever
from linkwork.reproduce.p4 import exact_chordwise
from validation.rotating_beam import COUPLED, FLAP
from vibrating_models import bar_chain, stretching_chain

COUNTS = (16, 20, 28, 36, 48, 64)  # links
MORE = (*COUNTS, 88)  # fast beams on large hubs bend in a narrow layer at the clamp


def extrapolated(frequencies: Callable[[int], np.ndarray], counts: tuple[int, ...] = COUNTS) -> np.ndarray:
    """The limit of many links: a polynomial in 1/count^2 through all counts, at 0 (Neville's scheme)."""
    square = [1.0 / count**2 for count in counts]
    table = [frequencies(count) for count in counts]
    for k in range(1, len(table)):
        table = [
            (table[i + 1] * square[i] - table[i] * square[i + k]) / (square[i] - square[i + k])
            for i in range(len(table) - 1)
        ]
    return table[0]


def over_speeds(flap: bool, hub: float, speeds: list[float]) -> np.ndarray:
    """Three frequencies at each speed."""

    def swept(count: int) -> np.ndarray:
        found = bar_chain(count, flap, hub).sweep("spindle", speeds, orders=(), progress=False)
        assert found.notes == []
        return np.sort(found.frequencies, axis=1)[:, :3]

    return extrapolated(swept, MORE)


def check_flapwise_and_chordwise(hub: float, speeds: list[float]) -> None:
    """A beam on a hub, across the plane of rotation and in it, at some speeds."""
    exact = np.array([FLAP[hub][speed][:3] for speed in speeds])
    assert over_speeds(True, hub, speeds) == pytest.approx(exact, rel=1e-8)
    in_plane = np.sqrt(exact**2 - np.array(speeds)[:, None] ** 2)
    assert over_speeds(False, hub, speeds) == pytest.approx(in_plane, rel=1e-8)
    if hub == 0.0:
        series = [exact_chordwise(float(speed))[:3] for speed in speeds]
        assert np.array(series) == pytest.approx(in_plane, rel=1e-8)


@pytest.mark.parametrize("hub", [min(FLAP), max(FLAP)])
def test_flapwise_and_chordwise_frequencies_to_all_digits(hub):
    check_flapwise_and_chordwise(hub, [1.0, 10.0])


@pytest.mark.slow
@pytest.mark.parametrize("hub", FLAP)
def test_all_flapwise_and_chordwise_frequencies_to_all_digits(hub):
    check_flapwise_and_chordwise(hub, list(FLAP[hub]))


def coupled_error(case: tuple[float, float, float]) -> float:
    """Largest relative difference of five frequencies of a beam that bends in the plane of rotation and stretches."""
    _, hub, speed = case

    def five(count: int) -> np.ndarray:
        return stretching_chain(count, *case).linearize({"spindle": speed}).modes().omega[:5]

    found = extrapolated(five, MORE if hub > 1.0 else COUNTS)
    return float(np.abs(found / COUPLED[case] - 1.0).max())


def chain_of_beams(count: int, speed: float, axial: float) -> np.ndarray:
    """Two frequencies of P4's lumped masses and beam elements, from their energy alone, rad/s.

    Masses at L/n .. L, half of one at the tip, without rotary inertia.  Element: 1/2 e . S e, where e are place and
    angle of its second end seen from its first, less the undeformed ones.  K: complex steps of the slope of the energy;
    the steady place by Newton; the angles, which have no inertia, eliminated.
    """
    h, EI, EA = 1.0 / count, YOUNG * SECOND_MOMENT, axial * YOUNG * AREA
    S = np.array([[EA / h, 0, 0], [0, 12 * EI / h**3, -6 * EI / h**2], [0, -6 * EI / h**2, 4 * EI / h]])
    mass = np.full(count, DENSITY * AREA * h)
    mass[-1] /= 2
    inertia = np.repeat(mass, 3) * np.tile([1.0, 1.0, 0.0], count)

    def slope(q):  # of one place, or of several in rows
        nodes = np.concatenate([np.zeros((*q.shape[:-1], 3), q.dtype), q], axis=-1).reshape(*q.shape[:-1], -1, 3)
        a, b, out = nodes[..., :-1, :], nodes[..., 1:, :], np.zeros_like(nodes)
        c, s, x, y = np.cos(a[..., 2]), np.sin(a[..., 2]), b[..., 0] - a[..., 0], b[..., 1] - a[..., 1]
        e = np.stack([c * x + s * y - h, -s * x + c * y, b[..., 2] - a[..., 2]], axis=-1)
        f = e @ S  # force and moment on the second end, in the axes of the first
        on_b = np.stack([c * f[..., 0] - s * f[..., 1], s * f[..., 0] + c * f[..., 1]], axis=-1)
        out[..., 1:, :2] += on_b
        out[..., :-1, :2] -= on_b
        out[..., 1:, 2] += f[..., 2]
        out[..., :-1, 2] += (-s * x + c * y) * f[..., 0] - (c * x + s * y) * f[..., 1] - f[..., 2]
        return out.reshape(*q.shape[:-1], -1)[..., 3:] - speed**2 * inertia * q

    def stiffness(q):
        return (slope(q + 1e-30j * np.eye(3 * count)).imag / 1e-30).T

    q = np.kron(h * np.arange(1, count + 1), [1.0, 0.0, 0.0])
    for _ in range(6):
        q = q - np.linalg.solve(stiffness(q), slope(q))
    K, turning = stiffness(q), np.arange(2, 3 * count, 3)
    moving = np.setdiff1d(np.arange(3 * count), turning)
    K = K[np.ix_(moving, moving)] - K[np.ix_(moving, turning)] @ np.linalg.solve(
        K[np.ix_(turning, turning)], K[np.ix_(turning, moving)]
    )
    M, C = np.diag(np.repeat(mass, 2)), np.kron(np.diag(mass), 2 * speed * np.array([[0.0, -1.0], [1.0, 0.0]]))
    A = np.block([[np.zeros_like(M), np.eye(2 * count)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return np.sort(np.linalg.eigvals(A).imag)[2 * count :][:2]


@pytest.mark.parametrize(
    ("axial", "speed", "table"),
    [
        (1e4, 2.0, (3.619, 22.481)),  # what P4's Table 4 needs: it prints 3.67 (a slip for 3.61), 22.48
        (1e4, 10.0, (5.017, 31.957)),  # 5.02, 31.96
        (1.0, 2.0, (3.603, 22.441)),  # EA as printed
        (1.0, 10.0, (4.569, 31.222)),
    ],
)
def test_table_4_of_the_rotating_cantilever_and_its_energy_alone(axial, speed, table):
    linear = rotating_cantilever(axial=axial).linearize({"spindle": speed * UNIT_SPEED})
    found = linear.modes().omega[:2]
    assert found / UNIT_SPEED == pytest.approx(table, abs=5e-4)
    assert found == pytest.approx(chain_of_beams(30, speed * UNIT_SPEED, axial), rel=1e-5)


def test_with_the_printed_stiffness_many_elements_give_other_digits_than_thirty():
    """At speeds 2 and 10 the limit of many elements is 3.606, 22.486, 4.584, 31.35: 60 are a quarter as far as 30."""
    for speed, limit in ((2.0, (3.6061, 22.4855)), (10.0, (4.5842, 31.349))):
        thirty, sixty = (chain_of_beams(n, speed * UNIT_SPEED, 1.0) / UNIT_SPEED - limit for n in (30, 60))
        assert np.abs(thirty).min() > 2.5e-3
        assert sixty / thirty == pytest.approx([0.25, 0.25], abs=0.16)


def test_beam_elements_with_axes_half_way_are_nearer_to_the_exact_beam():
    """The same masses joined by `Model.beam`, axially stiff, at speed 10; exact 5.049 and 32.120.

    Euler-Bernoulli elements with their consistent geometric stiffness, assembled apart: 5.0474 and 32.0677.
    """
    h = 1.0 / 30
    model = lw.Model("beams", gravity=(0, 0, 0))
    for body in rotating_cantilever(axial=1e4).mechanism.body:
        model.body(body.name, mass=body.mass, inertia=body.inertia, at=body.at)
    model.revolute("spindle", model.ground, "hub", at=(0, 0, 0), axis="z")
    for i in range(1, 31):
        model.planar(f"place {i}", "hub", f"mass {i}", at=(i * h, 0, 0), axis="z")
        before = "hub" if i == 1 else f"mass {i - 1}"
        model.beam(
            f"beam {i}", before, f"mass {i}", points=((i * h - h, 0, 0), (i * h, 0, 0)), modulus=YOUNG * 1e4,
            shear_modulus=YOUNG * 1e4, area=AREA, Iy=SECOND_MOMENT / 1e4, Iz=SECOND_MOMENT / 1e4, J=1e-5,
        )  # fmt: skip
    linear = model.linearize({"spindle": 10.0 * UNIT_SPEED})
    assert linear.notes == ()
    assert linear.modes().omega[:2] / UNIT_SPEED == pytest.approx([5.0474, 32.0677], abs=5e-4)


FEW = [(70.0, 0.0, 10.0), (70.0, 5.0, 10.0), (1000.0, 1.0, 10.0)]


@pytest.mark.parametrize("case", FEW, ids=str)
def test_coupled_chordwise_frequencies_to_all_digits(case):
    assert coupled_error(case) < 6e-8


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in COUPLED if case not in FEW], ids=str)
def test_all_coupled_chordwise_frequencies_to_all_digits(case):
    assert coupled_error(case) < 6e-8
