"""However much happens in one chunk of a run, everything is written down."""

from __future__ import annotations

import pytest

import linkwork as lw

BLOWS = 60  # at one instant


@pytest.mark.parametrize("count", [100, 240, 400])
def test_events_and_then_many_blows_at_once(count):
    """The crossings of sin up to t = 0.9 s, then all blows: each is in the log, in order, and each moves the body."""
    model = lw.Model("struck", gravity=(0, 0, 0))
    body = model.body("body", lw.sphere(mass=1.0, radius=0.1))
    model.prismatic("guide", "ground", body, at=(0, 0, 0), axis="x")
    model.event("tick", f"sin({2 * count / 0.9}*pi*(t + 1e-4)) > 0", "log")
    for k in range(BLOWS):
        model.impulse(f"blow {k}", "body", t=0.9, impulse=(0.25, 0.0, 0.0))
    run = model.simulate(1.0, every=0.1, progress=False)
    names = [entry["name"] for entry in run.certificate.events]
    before = [entry for entry in run.certificate.events if entry["t"] < 0.9 - 1e-3]
    assert names.count("tick") >= count - 1
    assert {entry["name"] for entry in before} == {"tick"}
    assert [name for name in names if name != "tick"] == [f"blow {k}" for k in range(BLOWS)]
    assert run["guide.speed"][-1] == pytest.approx(0.25 * BLOWS, rel=1e-12)
