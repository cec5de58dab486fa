"""Long chains: an open tree of any depth is simulated, in time and memory that grow with the number of its links."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.start.assembly import assemble
from linkwork.errors import ModelError
from linkwork.formulations.equations import Equations
from linkwork.system import pattern

LENGTH = 0.1  # m


def chain(links: int, tip: str = "") -> lw.Model:
    """Links in a row along x, hanging on ground at one end; `tip`: a spherical joint to ground at the other."""
    model = lw.Model("chain", gravity=(0.0, 0.0, -9.81), plane="xz")
    last = model.ground
    for k in range(links):
        link = model.body(f"link{k}", lw.rod(mass=1.0, length=LENGTH), at=(LENGTH * (k + 0.5), 0.0, 0.0))
        model.revolute(f"pin{k}", last, link, at=(LENGTH * k, 0.0, 0.0), axis="y")
        last = link
    if tip:
        model.revolute(tip, last, model.ground, at=(LENGTH * links, 0.0, 0.0), axis="y")
    return model


def test_without_a_mass_matrix_a_run_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for most in (pattern.MOST_MASSES, 100):
        monkeypatch.setattr(pattern, "MOST_MASSES", most)
        run = chain(40).simulate(0.2, progress=False)
        assert run.certificate.status == "finished"
        found.append(run.result.position[-1])
    np.testing.assert_array_equal(*found)


def test_what_needs_the_mass_matrix_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern, "MOST_MASSES", 100)
    model = chain(40)
    asked = (
        lambda: model.simulate(0.1, integrator="generalized-alpha", progress=False),
        lambda: model.calls().mass_matrix(np.zeros(40)),
        model.linearize,
        lambda: chain(40, tip="tip").simulate(0.1, progress=False),
    )
    for ask in asked:
        with pytest.raises(ModelError, match=r"motions deep.*only an open tree"):
            ask()


def test_memory_grows_with_the_number_of_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: numbers in the workspaces of chains."""
    monkeypatch.setattr(pattern, "MOST_MASSES", 100)
    starts = [assemble(chain(links).mechanism, "joint") for links in (100, 400)]
    sizes = [sum(array.size for array in Equations(start.compiled).work) for start in starts]
    assert sizes[1] < 4.1 * sizes[0]


def test_a_start_velocity_of_many_links_is_met() -> None:
    """More motions than dense matrices serve for: by conjugate gradients."""
    model = lw.Model("spun", gravity=(0.0, 0.0, 0.0), plane="xz")
    last = model.ground
    for k in range(320):
        link = model.body(f"link{k}", lw.rod(mass=1.0, length=LENGTH), at=(LENGTH * (k + 0.5), 0.0, 0.0))
        model.revolute(f"pin{k}", last, link, at=(LENGTH * k, 0.0, 0.0), axis="y", rate=1.0 if k == 0 else 0.0)
        last = link
    start = assemble(model.mechanism, "joint")
    assert start.y[start.compiled.layout.velocities] == pytest.approx([1.0] + 319 * [0.0], abs=1e-12)


def test_given_angles_of_a_tall_tree_are_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing closes, so that no equations have to hold them."""
    monkeypatch.setattr(pattern, "MOST_MASSES", 100)
    model, last = lw.Model("bent", gravity=(0.0, 0.0, -9.81), plane="xz"), "ground"
    given = np.random.default_rng(0).uniform(-0.5, 0.5, 30)
    for k, angle in enumerate(given):
        model.body(f"link{k}", lw.rod(mass=1.0, length=LENGTH), at=(LENGTH * (k + 0.5), 0.0, 0.0))
        model.revolute(f"pin{k}", last, f"link{k}", at=(LENGTH * k, 0.0, 0.0), axis="y", start=float(angle), rate=1.0)
        last = f"link{k}"
    start = assemble(model.mechanism, "joint")
    assert start.y[:30] == pytest.approx(given, abs=1e-14)
    assert start.y[30:60] == pytest.approx(np.ones(30), abs=1e-12)
