"""P1's flexible coupler of the parallelogram four-bar: copper, 10 beam elements, 11 nodes, 2 vibration modes.

Source: P1 (Kim & Yoo 1997): copper, 8910 kg/m3, E = 117 GPa, nu = 0.35.  Its lengths are lost; reconstructed from the
flat positions at 0.18 and 1.0 s: cranks 1 m, coupler and ground 2 m, one uniform section, here 20 mm square as in the
library's rigid four-bar.  The mechanism moves in the plane xz, so the modes are those of bending in xz; the coupler is
pinned at both ends, and its frame lies on the chord between them, at the middle like the rigid coupler's.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.flexible.bodies import flexible_beam
from linkwork.flexible.finite_elements.beam_elements import Beam
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_body import ModalBody

LENGTH, WIDTH = 2.0, 0.02  # m


def coupler(modes: int | Sequence[int] = 2) -> ModalBody:
    """The coupler; node "1" at x = -1 m and node "11" at x = 1 m are the pins, node "6" is the middle."""
    beam = Beam("coupler", LENGTH, rectangle(WIDTH, WIDTH), material("copper"), elements=10, plane="xz",
                start=-LENGTH / 2)  # fmt: skip
    return flexible_beam(beam, modes=modes, supports={"1": "pinned", "11": "roller"})
