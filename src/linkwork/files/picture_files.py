"""Files that a model names, meshes and tables: beside the file that names them, in the model's folder or below."""

from __future__ import annotations

import warnings
from pathlib import Path

from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.declaration.base import Element
from linkwork.elements.solids.pictures import Picture
from linkwork.errors import ModelWarning
from linkwork.files.limits import is_file, leads_outside, shown


def with_pictures_within(element: Element, path: Path, folder: Path) -> Element:
    """An element of the model file `path` with its meshes found; those outside `folder` are left out with a warning."""
    if not isinstance(element, Body) or not any(picture.file for picture in element.pictures):
        return element
    found = [_found(picture, element.who, path, folder) for picture in element.pictures]
    return element.model_copy(update={"pictures": tuple(picture for picture in found if picture is not None)})


def beside(model: Path, folder: Path, name: str) -> Path:
    """A file that a model names, in the model's folder or below; ValueError outside of it."""
    here = model.resolve().parent
    if Path(name).is_absolute() and Path(name).is_relative_to(here):
        name = str(Path(name).relative_to(here))
    if leads_outside(here, name, folder) is not None:
        raise ValueError(f"file '{shown(name)}' is outside the model's folder; put it beside the model")
    return here / name


def _found(picture: Picture, who: str, path: Path, folder: Path) -> Picture | None:
    if not picture.file:
        return picture
    here, name = path.resolve().parent, picture.file
    if Path(name).is_absolute() and Path(name).is_relative_to(here):
        name = str(Path(name).relative_to(here))
    if leads_outside(here, name, folder) is not None:
        _warn(path, f"{who}: mesh '{shown(name)}' is outside the model's folder; what it shows is not drawn")
        return None
    if not is_file(here / name):
        _warn(path, f"{who}: there is no mesh '{shown(name)}'; what it shows is not drawn")
        return None
    return picture.model_copy(update={"file": str(here / name)})


def _warn(path: Path, what: str) -> None:
    warnings.warn(f"{path.name}: {what}", ModelWarning, stacklevel=2)
