"""Two rods whose joints are held, let go and driven at known times and by an event, and that a blow strikes."""

from __future__ import annotations

import linkwork as lw


def locked_rods() -> lw.Model:
    """A lock by the clock, another by an event, a driver by acceleration that begins late, and a blow."""
    m = lw.Model("locks", gravity=(0, 0, -9.81))
    for k, inboard in enumerate(("ground", "rod 0")):
        m.body(f"rod {k}", lw.rod(mass=1.0, length=1.0), at=(k + 0.5, 0, 0))
        m.revolute(f"pin {k}", inboard, f"rod {k}", at=(k, 0, 0), axis="y")
    m.lock("clutch", "pin 1", since=0.1, until=0.3)
    m.lock("brake", "pin 0", since=10.0)
    m.driver("winch", "pin 1", acceleration="2 + t", since=0.5)
    m.event("low", "coordinate('pin 0') > 0.6", action="lock", driver="brake", once=True)
    m.impulse("blow", "rod 1", t=0.4, impulse=(0, 0, 1.0))
    return m
