"""Random mechanisms for the tests: plain data, drawn by seed.

trees.py: open trees, as other programs know them too.  loops.py: closed loops.  figures.py: what some starts hide.
anything.py: these with drivers, gears, springs, friction, flexible arms, any masses, any scale; trial.py tries one,
record.py many.  peers.py: the same mechanisms in Pinocchio and MuJoCo, cut open by cut_bodies.py.
"""

from random_mechanisms.loops import Edge, random_linkage, random_planar_linkage, with_masses
from random_mechanisms.trees import (
    DOF_COUNT,
    GROUND,
    PITCH,
    Link,
    LinkState,
    RandomTree,
    Shape,
    body_name,
    random_states,
    random_tree,
    scalar_first,
)

__all__ = [
    "DOF_COUNT", "GROUND", "PITCH", "Edge", "Link", "LinkState", "RandomTree", "Shape", "body_name", "random_linkage",
    "random_planar_linkage", "random_states", "random_tree", "scalar_first", "with_masses",
]  # fmt: skip
