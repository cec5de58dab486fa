"""The collector of garbage waits while a mechanism is put together, and is as it was afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import assemble
from linkwork.errors import AssemblyError
from linkwork.library import library_model
from linkwork.mechanism.collector import collector_waits
from linkwork.model import Model
from linkwork.numerics.status import Status


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    gc.enable()


def open_loop() -> Model:
    """A bar between two points that are farther apart than it is long."""
    model = Model("open", gravity=(0.0, 0.0, 0.0))
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.spherical("A", "ground", "bar", at=(0.0, 0.0, 0.0))
    model.distance("AB", "ground", "bar", points=[(9.0, 0.0, 0.0), (1.0, 0.0, 0.0)], length=1.0)
    return model


def test_hardly_anything_is_collected_in_assembly() -> None:
    """With a collector that looks at every object: only on the way in and out."""
    mechanism, collected, thresholds = (
        library_model("n-four-bar", {"n": 30.0}).mechanism,
        list[int](),
        gc.get_threshold(),
    )

    def note(phase: str, info: dict[str, int]) -> None:
        collected.append(info["generation"])

    assemble(mechanism, "joint")
    gc.callbacks.append(note)
    gc.set_threshold(1, 1, 1)
    try:
        assemble(mechanism, "joint")
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert len(collected) < 40


def test_it_waits_while_a_run_is_prepared_and_not_while_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run may last for hours, and call Python that leaves garbage."""
    prepared, goes = list[bool](), list[bool]()
    bind, chunk = ForwardRun.bind, ForwardRun.chunk

    def noted_bind(run: ForwardRun) -> None:
        prepared.append(gc.isenabled())
        bind(run)

    def noted_chunk(run: ForwardRun, limit: int) -> Status:
        goes.append(gc.isenabled())
        return chunk(run, limit)

    monkeypatch.setattr(ForwardRun, "bind", noted_bind)
    monkeypatch.setattr(ForwardRun, "chunk", noted_chunk)
    library_model("four-bar").simulate(0.1)
    assert prepared == [False]
    assert goes
    assert all(goes)


@pytest.mark.parametrize("collecting", [True, False])
def test_it_is_as_it_was(collecting: bool) -> None:
    """After what succeeds, what fails, and within another."""
    mechanism = library_model("four-bar").mechanism
    (gc.enable if collecting else gc.disable)()
    assemble(mechanism, "joint")
    assert gc.isenabled() is collecting
    with pytest.raises(AssemblyError):
        assemble(open_loop().mechanism, "joint")
    assert gc.isenabled() is collecting
    with collector_waits():
        assemble(mechanism, "absolute")
        assert not gc.isenabled()
    assert gc.isenabled() is collecting
