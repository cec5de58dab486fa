"""The page: one HTML file with everything in it - program, style, and the scenes of one or more runs.

The sources are in static/: ES modules, which the page carries compressed and finds by an import map of data addresses;
nothing is fetched.
"""

from __future__ import annotations

import json
import re
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from linkwork.errors import OptionError
from linkwork.output_files import output_file, writing
from linkwork.results.result import Result
from linkwork.view.html import escaped
from linkwork.view.page.packing import Packer, packed
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene

SOURCES = files("linkwork.view.page") / "static"
VENDORED = {"three.module.min.js": "three", "OrbitControls.js": "three/orbit"}  # file -> name in an import
THEMES = ("auto", "dark", "light")  # auto: as the browser prefers
SUFFIXES = (".html", ".htm")


def view(
    results: Sequence[Result],
    path: str | Path | None = None,
    *,
    open: bool = True,
    theme: str = "auto",
    forces: bool = True,
) -> Path:
    """The page of one run, or of several laid over each other; `forces`: with the loads of the joints, as arrows."""
    if path is not None:
        output_file(path, "the page", SUFFIXES)
    return write_page([scene_of(result, loads=forces) for result in results], path, open=open, theme=theme)


def write_page(
    scenes: Sequence[Scene], path: str | Path | None = None, *, open: bool = True, theme: str = "auto"
) -> Path:
    """Write the page of some scenes and open it in the browser; without a path in a temporary folder."""
    chosen = path if path is not None else Path(tempfile.mkdtemp(prefix="linkwork-")) / "page.html"
    target = output_file(chosen, "the page", SUFFIXES)
    with writing(target):
        target.write_text(page(scenes, theme), encoding="utf-8")
    if open:
        webbrowser.open(target.resolve().as_uri())
    return target


def page(scenes: Sequence[Scene], theme: str = "auto", live: Mapping[str, object] | None = None) -> str:
    """The text of the page; `live`: sliders and the address that computes (view/live/)."""
    return filled(source("page.html"), page_parts(scenes, theme, live))


def page_parts(
    scenes: Sequence[Scene], theme: str = "auto", live: Mapping[str, object] | None = None
) -> dict[str, str]:
    """What goes into the places {{name}} of the page."""
    if theme not in THEMES:
        raise OptionError(f"there is no theme '{theme}'; choose {' or '.join(THEMES)}", element=theme)
    content, block = content_of(scenes)
    return {
        "title": escaped(scenes[0].name), "style": source("page.css"), "program": _program(),
        "content": in_script(content | {"theme": theme, "live": live}), "block": block,
    }  # fmt: skip


def content_of(scenes: Sequence[Scene]) -> tuple[dict[str, object], str]:
    """Scenes as the page reads them: what JSON has, and one block with all arrays."""
    packer = Packer()
    runs = [packer.plain(scene) for scene in scenes]
    return {"runs": runs, "meshes": packer.meshes, "arrays": packer.arrays}, packer.block()


def filled(text: str, parts: Mapping[str, str]) -> str:
    """A text with its places filled, as far as there are parts for them."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts.get(place[1], place[0]), text)


def source(name: str) -> str:
    """The text of a file of the page."""
    return (SOURCES / name).read_text(encoding="utf-8")


@cache
def _program() -> str:
    """The modules by the names under which they are imported, packed."""
    names = sorted(file.name for file in SOURCES.iterdir() if file.name.endswith(".js"))
    sources = {VENDORED.get(name, f"lw/{name.removesuffix('.js')}"): source(name) for name in names}
    return packed(json.dumps(sources).encode())


def in_script(content: object) -> str:
    """JSON that no name in it can end or comment out: HTML sees neither `</script>` nor `<!--` without a `<`."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
