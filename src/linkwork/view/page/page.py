"""The page: one HTML file with everything in it - program, style, and the scenes of one or more runs.

The sources are in static/: ES modules, which the page finds by an import map of data addresses; nothing is fetched.
"""

from __future__ import annotations

import base64
import json
import tempfile
import webbrowser
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from linkwork.errors import OptionError
from linkwork.output_files import output_file, writing
from linkwork.results.result import Result
from linkwork.view.html import escaped
from linkwork.view.page.packing import Packer
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene

SOURCES = files("linkwork.view.page") / "static"
MODULES = {  # name in an import -> file
    "three": "three.module.min.js", "three/orbit": "OrbitControls.js", "lw/data": "data.js", "lw/motion": "motion.js",
    "lw/levels": "levels.js", "lw/pools": "pools.js", "lw/mechanism": "mechanism.js", "lw/trails": "trails.js",
    "lw/pace": "pace.js", "lw/stage": "stage.js", "lw/plots": "plots.js", "lw/timeline": "timeline.js",
    "lw/panel": "panel.js", "lw/modes": "modes.js", "lw/main": "main.js",
}  # fmt: skip
THEMES = ("dark", "light")
SUFFIXES = (".html", ".htm")


def view(
    results: Sequence[Result],
    path: str | Path | None = None,
    *,
    open: bool = True,
    theme: str = "dark",
    forces: bool = True,
) -> Path:
    """The page of one run, or of several laid over each other; `forces`: with the loads of the joints, as arrows."""
    if path is not None:
        output_file(path, "the page", SUFFIXES)
    return write_page([scene_of(result, loads=forces) for result in results], path, open=open, theme=theme)


def write_page(
    scenes: Sequence[Scene], path: str | Path | None = None, *, open: bool = True, theme: str = "dark"
) -> Path:
    """Write the page of some scenes and open it in the browser; without a path in a temporary folder."""
    chosen = path if path is not None else Path(tempfile.mkdtemp(prefix="linkwork-")) / "page.html"
    target = output_file(chosen, "the page", SUFFIXES)
    with writing(target):
        target.write_text(page(scenes, theme), encoding="utf-8")
    if open:
        webbrowser.open(target.resolve().as_uri())
    return target


def page(scenes: Sequence[Scene], theme: str = "dark") -> str:
    """The text of the page."""
    if theme not in THEMES:
        raise OptionError(f"there is no theme '{theme}'; choose {' or '.join(THEMES)}", element=theme)
    packer = Packer()
    runs = [packer.plain(scene) for scene in scenes]
    content = {"runs": runs, "meshes": packer.meshes, "arrays": packer.arrays, "theme": theme}
    parts = {
        "title": escaped(scenes[0].name), "style": _source("page.css"),
        "imports": json.dumps({"imports": {name: _address(_source(file)) for name, file in MODULES.items()}}),
        "content": json.dumps(content, separators=(",", ":")).replace("</", "<\\/"), "block": packer.block(),
    }  # fmt: skip
    text = _source("page.html")
    for name, value in parts.items():
        text = text.replace(f"{{{{{name}}}}}", value, 1)
    return text


def _source(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def _address(source: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(source.encode()).decode()
