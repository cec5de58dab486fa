"""The floors of the house, also where import-linter cannot look: modules named in a text, loaded when first used."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAZY = re.compile(r"lazy_(?:module|functions)\(\s*\"linkwork\.(\w+)")


def floors() -> dict[str, int]:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return {
        name.strip().removeprefix("linkwork."): floor
        for floor, names in enumerate(reversed(contract["layers"]))
        for name in names.split("|")
    }


def test_every_room_has_a_floor():
    package = ROOT / "src" / "linkwork"
    rooms = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert rooms - {"__init__", "__main__"} == set(floors())


def test_what_loads_when_first_used_is_on_a_lower_floor():
    floor, package, found = floors(), ROOT / "src" / "linkwork", 0
    for path in package.rglob("*.py"):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        for used in LAZY.findall(path.read_text(encoding="utf-8")):
            assert used == room or floor[used] < floor[room], f"{path} loads linkwork.{used}, which is not below it"
            found += 1
    assert found > 10


def test_the_picture_of_the_house_is_that_of_the_house():
    spec = importlib.util.spec_from_file_location("house", ROOT / "docs" / "house.py")
    assert spec is not None and spec.loader is not None
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    assert [room for rooms in house.STOREYS.values() for room in rooms] == house.rooms()
    assert house.PICTURE.read_text(encoding="utf-8") == house.draw(), "run python docs/house.py"
