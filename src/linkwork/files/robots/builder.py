"""Robots described elsewhere (URDF, SDF, MJCF) as data of a model file: what the readers share.

All describe a tree of links at its zero position.  There every body and joint is given in world coordinates, so that
linkwork's joint coordinates are zero where the robot's are.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.elements.declarations import DECLARATIONS
from linkwork.errors import FileError, ModelWarning
from linkwork.files.limits import is_file, leads_outside, shown
from linkwork.files.source import Keys, Source, read_text
from linkwork.numerics.rotations import euler_parameters
from linkwork.system.frames import Pose

STOPS = "stop_stiffness"  # parameter of every robot
CARRIER = 1e-12  # of the whole mass: what a link without mass gets, below the rounding of the dynamics of the others
CARRIER_RADIUS = 0.1  # m, of gyration


class Builder:
    """Collects the elements of one robot; names are made unique, since other formats have one list a kind."""

    def __init__(self, path: Path, name: str, stops: float = 0.0) -> None:
        self.path, self.stops = path, stops  # N m/rad or N/m, of stops at the limits of joints; 0: none
        self.data: dict[str, Any] = {"name": name or path.stem, "parameters": {STOPS: stops}}
        self.taken = {"ground"}
        self.without_stops: list[str] = []  # joints whose limits are left out
        self.notes: list[str] = []

    def name(self, wanted: str, also: str) -> str:
        """A name that no other element has; `also` is put behind one that is taken."""
        plain = " ".join(wanted.replace(".", "_").split()) or also
        made = plain if plain not in self.taken else f"{plain} {also}"
        number = 2
        while made in self.taken:
            made, number = f"{plain} {also} {number}", number + 1
        self.taken.add(made)
        return made

    def add(self, element: str, /, **fields: Any) -> None:
        """An element; numbers as lists."""
        plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()}
        self.data.setdefault(element, []).append({key: value for key, value in plain.items() if value is not None})

    def body(self, name: str, pose: Pose, mass: float, com: np.ndarray, J_C: np.ndarray, pictures: list[Any]) -> None:
        """A body whose frame is at `pose` in the world; com (m) and J_C (kg m2) in its axes."""
        placed = {"at": pose.p, "orientation": euler_parameters(pose.R)}
        self.add("body", name=name, mass=mass, com=com, inertia=J_C, **placed, pictures=pictures or None)

    def carrier(self, name: str, pose: Pose, whole_mass: float) -> None:
        """A body in place of a link without mass that carries others: far too light for them to feel."""
        mass = CARRIER * whole_mass
        self.body(name, pose, mass, np.zeros(3), mass * CARRIER_RADIUS**2 * np.eye(3), [])

    def mesh_file(self, name: str) -> str | None:
        """Where a mesh lies that the robot's file names: beside that file, or in the package (ROS) around it.

        None: outside of both, where a file has no business.
        """
        places = list(_places(self.path.resolve().parent, name))
        found = next((path for path in places if is_file(path)), None)
        if not places:
            self.left_out(f"mesh '{shown(name)}' is outside the robot's folder; what it shows is not drawn")
            return None
        if found is None:
            self.left_out(f"there is no mesh '{shown(name)}'; what it shows is not drawn")
        return name if found is None else str(found)

    def left_out(self, what: str) -> None:
        """Note that something of the file has no part in the model."""
        if what not in self.notes:
            self.notes.append(what)

    def limits(self, joint: str, name: str, lower: float | None, upper: float | None) -> None:
        """Limits of a joint's travel (rad, m): stops on request, else left out."""
        if not self.stops:
            self.without_stops.append(joint)
            return
        stop = self.name(f"{joint} stop", "force")
        self.add("stop", name=stop, joint=name, lower=lower, upper=upper, stiffness=STOPS, exponent=1.0)

    def refusal(self, what: str) -> FileError:
        """The error for what would move differently without it."""
        return FileError(f"'{self.path.name}': {what}")

    def source(self) -> Source:
        """The data, with the line where the robot's file names an element; one warning of what was left out."""
        notes = list(self.notes)
        if self.without_stops:
            notes.insert(0, f"the limits of joints {listed(self.without_stops)} do not stop them; the parameter "
                            f"{STOPS} makes stops of them, as in --set {STOPS}=1e4 (N m/rad, N/m)")  # fmt: skip
        if notes:
            warnings.warn_explicit(f"{self.path.name}: {'; '.join(notes)}", ModelWarning, self.path.name, 0)
        text = read_text(self.path)
        return Source(self.path, self.data, lambda keys: _line(self.data, text, keys))


def _places(folder: Path, name: str) -> Iterator[Path]:
    """Where a mesh may lie: by its path from the folder, or package://NAME/PATH in the package around the folder."""
    scheme, slashes, rest = name.rpartition("://")
    if scheme != "package":
        candidates = [(folder, rest if slashes else name)]
    else:
        package, _, within = rest.partition("/")
        around = [above for above in (folder, *folder.parents) if above.name == package]
        candidates = [(folder, rest), *((above, within) for above in around)]
    yield from (place / file for place, file in candidates if leads_outside(place, file, place) is None)


def _line(data: dict[str, Any], text: str, keys: Keys) -> int | None:
    if len(keys) < 2 or keys[0] not in DECLARATIONS:
        return None
    name = data[str(keys[0])][keys[1]].get("name", "")
    found = re.search(rf"""name\s*=\s*["']{re.escape(name)}["']""", text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def listed(names: Iterable[str], most: int = 4) -> str:
    """The first few of some names."""
    every = [f"'{name}'" for name in names]
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")
