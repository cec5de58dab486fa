"""What a MuJoCo file may read: MuJoCo opens the files that it names itself, so that it is looked through before.

Includes and submodels, meshes, textures and height fields lie in the model's folder or below; counts by which a line
becomes millions of bodies or pixels are bounded.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from linkwork.errors import FileError
from linkwork.files.limits import Budget, is_file, leads_outside
from linkwork.files.source import read_text

FOLDERS = ("meshdir", "texturedir", "assetdir")  # of a <compiler>: where files are looked for
MODELS = ("include", "model")  # tags that name files of the same kind
COUNTS = ("count", "nrow", "ncol", "width", "height", "ntexrow", "nuserdata", "nkey", "njmax", "nconmax", "nstack")
MOST = 10_000  # of each


def check_robot_files(path: Path) -> None:
    """Refuse a file that is not a MJCF, and files that it names outside of its folder."""
    root = ElementTree.fromstring(read_text(path))
    if root.tag != "mujoco":
        raise FileError(f"'{path.name}' holds a <{root.tag}>, not a <mujoco>; a URDF file is to be called .urdf")
    folder, budget, waiting = path.parent, Budget(), [path]
    while waiting:
        part = waiting.pop()
        budget.spend(part)
        elements = list(ElementTree.fromstring(read_text(part)).iter())
        places = [folder, *(folder / named for element in elements for named in _folders(element))]
        for element in elements:
            _check_counts(path, element)
            for file in (text for key, text in element.attrib.items() if key.startswith("file") or key in FOLDERS):
                for place in places:
                    _check_place(path, place, file)
                if element.tag in MODELS and is_file(folder / file):
                    waiting.append(folder / file)


def _folders(element: ElementTree.Element) -> list[str]:
    return [text for key, text in element.attrib.items() if key in FOLDERS]


def _check_place(path: Path, place: Path, file: str) -> None:
    outside = leads_outside(place, file, path.parent.resolve())
    if outside is not None:
        raise FileError(f"'{path.name}': {outside}")


def _check_counts(path: Path, element: ElementTree.Element) -> None:
    for key in COUNTS:
        for number in element.attrib.get(key, "").split():
            if number.lstrip("+-").isdigit() and (len(number) > 9 or int(number) > MOST):
                raise FileError(f"'{path.name}': {key} of <{element.tag}> is {number[:20]}; at most {MOST} is read")
