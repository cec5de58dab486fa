"""Which numbers of a mechanism do not move its start: what elements answer, against assemblies made anew."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.gradients import starts
from linkwork.analyses.gradients.balanced_starts import balance_of, states_along
from linkwork.analyses.gradients.starts import SHARE, begins_alike, started, starts_beside
from linkwork.analyses.gradients.stencil import line_of
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Neighbour, assemble
from linkwork.errors import LinkworkError
from linkwork.files.nearby import Nearby
from linkwork.library import LIBRARY
from linkwork.mechanism import Mechanism
from linkwork.system.compile import compile_mechanism

OPTIONS = Options(until=1.0, from_equilibrium=False)
FIELDS = (
    "mass", "inertia.1", "density", "stiffness", "damping", "length", "radius", "friction", "free_length", "at.0",
    "com.1", "angle", "rate", "velocity.0", "coefficient", "exponent", "height",
)  # fmt: skip
MOST = 4  # of one field


def fields_of(mechanism: Mechanism) -> list[str]:
    """Numbers of its elements that can be moved."""
    found = []
    for field in FIELDS:
        some = 0
        for element in mechanism.elements():
            with suppress(LinkworkError):
                Nearby(mechanism, [f"{element.name}.{field}"])
                found.append(f"{element.name}.{field}")
                some += 1
            if some == MOST:
                break
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(LIBRARY))
def test_what_is_said_to_leave_the_start_alone_does(name: str) -> None:
    mechanism = lw.library_model(name).mechanism
    start = started(mechanism, OPTIONS)
    for field in fields_of(mechanism):
        near = Nearby(mechanism, [field])
        with suppress(LinkworkError):
            moved = near({field: near.values[field] * 1.001 or 0.001})
            if begins_alike(mechanism, moved, OPTIONS):
                there = started(moved, OPTIONS)
                np.testing.assert_array_equal(there.y, start.y, err_msg=field)
                assert there.rank == start.rank


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(LIBRARY))
def test_a_mechanism_beside_a_start_is_assembled_as_by_itself(name: str) -> None:
    """Compiled with the structure that is known, in the workspace of another, its rows looked at and not for."""
    mechanism = lw.library_model(name).mechanism
    start = started(mechanism, OPTIONS)
    neighbour, formulation = Neighbour(start), start.compiled.layout.formulation
    for field in fields_of(mechanism)[::3]:
        near = Nearby(mechanism, [field])
        with suppress(LinkworkError):
            moved = near({field: near.values[field] * (1.0 + 1e-5) or 1e-5})
            alone, beside = assemble(moved, formulation), assemble(moved, formulation, beside=neighbour)
            np.testing.assert_array_equal(beside.y, alone.y, err_msg=field)
            assert (beside.rank, beside.start_rank) == (alone.rank, alone.start_rank), field
            plain = compile_mechanism(moved, formulation)
            shared = compile_mechanism(moved, formulation, like=start.compiled)
            for table, own in zip(plain.system, shared.system, strict=True):
                assert table.tobytes() == own.tobytes(), field
            assert plain.layout.q_names == shared.layout.q_names


def test_masses_springs_and_gravity_leave_it_alone_and_geometry_does_not() -> None:
    model = lw.library_model("slider-crank")
    for name, alike in (("crank.mass", True), ("gravity.2", True), ("crank.at.0", False)):
        near = Nearby(model.mechanism, [name])
        moved = near({name: near.values[name] + 0.001})
        assert begins_alike(model.mechanism, moved, OPTIONS) is alike, name
    car = lw.library_model("hmmwv").mechanism
    tyre = next(one.name for one in car.elements() if one.key == "tyre")
    for field, alike in (("stiffness", True), ("radius", False)):
        near = Nearby(car, [f"{tyre}.{field}"])
        moved = near({f"{tyre}.{field}": near.values[f"{tyre}.{field}"] * 1.001})
        assert begins_alike(car, moved, OPTIONS) is alike
        assert not begins_alike(car, moved, Options(until=1.0, from_equilibrium=True))


def test_a_run_keeps_its_start_for_its_gradient_and_no_file_does(tmp_path: Path) -> None:
    run = lw.library_model("pendulum").simulate(0.2, progress=False)
    here = run.gradient(["end(energy.kinetic)"], ["bar.mass"], mode="forward").gradient
    run.save(tmp_path / "run.h5")
    read = lw.load(tmp_path / "run.h5")
    assert run._start is not None and read._start is None
    np.testing.assert_array_equal(read.gradient(["end(energy.kinetic)"], ["bar.mass"], mode="forward").gradient, here)


# -- in equilibrium ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("quarter-car", "suspension.stiffness"), ("quarter-car", "car.mass"), ("pendulum on a spring", "bar.mass"),
        ("pendulum on a spring", "bar.at.0"), ("pendulum on a spring", "pin.at.2"),
        ("hmmwv", "chassis.at.0"), ("hmmwv", "chassis.at.2"),
    ],
)  # fmt: skip
def test_a_balance_changes_as_a_search_for_it(name: str, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the parameter leaves the assembly alone or moves it."""
    mechanism = (sprung() if name == "pendulum on a spring" else lw.library_model(name)).mechanism
    options, near = Options(until=1.0, rtol=1e-9, from_equilibrium=True), Nearby(mechanism, [field])
    start = started(mechanism, options)
    (found,) = starts_beside(near, near.values, [field], start, options)
    balance = balance_of(start)
    assert balance is not None
    if field in ("suspension.stiffness", "car.mass", "bar.mass"):
        assert states_along(balance, line_of(near, near.values, field, SHARE)) is not None
    monkeypatch.setattr(starts, "balance_of", lambda _: None)
    (searched,) = starts_beside(near, near.values, [field], start, options)
    size = np.abs(searched.y).max()
    assert size > 0.0
    np.testing.assert_allclose(found.y, searched.y, rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("seed", range(4))
def test_a_vehicle_that_nothing_holds_stands_where_it_was_put(seed: int) -> None:
    """With four different springs: place and heading are those of the assembly, and so beside it."""
    random, car = np.random.default_rng(seed), lw.library_model("hmmwv").mechanism
    corners = [f"{end} {side} spring" for end in ("front", "rear") for side in ("left", "right")]
    near = Nearby(car, [f"{name}.stiffness" for name in corners])
    values = {name: value * random.uniform(0.9, 1.1) for name, value in near.values.items()}
    options = Options(until=1.0, rtol=1e-9, from_equilibrium=True)
    start = started(near(values), options)
    assert start.assembled is not None and start.neutral == ("drive.x", "drive.y", "drive.wz")
    x, y, _, *e = (start.y - start.assembled.y)[:7]
    assert max(abs(x), abs(y), abs(e[3])) < 1e-11  # it was put there with its axes those of the world
    assert np.linalg.norm(start.y[4:6]) > 1e-5  # while it leans
    field = f"{corners[seed]}.stiffness"
    (found,) = starts_beside(near, values, [field], start, options)
    assert states_along(balance_of(start), line_of(near, values, field, SHARE)) is not None  # type: ignore[arg-type]
    h = 1e-4 * values[field]
    there, here = (started(near({**values, field: values[field] + k * h}), options).y for k in (1, -1))
    np.testing.assert_allclose(found.y * h, (there - here) / 2.0, rtol=1e-5, atol=1e-12)


def sprung() -> lw.Model:
    """A bar on a pin, with a spring about it."""
    model = lw.Model("bar", gravity=(0, 0, -9.81))
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    model.torsional_spring_damper("spring", "pin", stiffness=20.0, damping=0.1)
    return model
