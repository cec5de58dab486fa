"""Draws the house, docs/images/house.svg, from the floors in pyproject.toml and each room's own first line.

python docs/house.py
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "linkwork"
PICTURE = ROOT / "docs" / "images" / "house.svg"

STOREYS = {  # what a storey is for, and its rooms, from the roof down
    "what a user touches": ("cli", "commands", "parameter_sliders", "reproduce", "library", "model", "run"),
    "what is seen, and files": ("view", "fmu", "files"),
    "what can be computed": ("design", "studies", "analyses", "results"),
    "the compiled loop": ("integrators", "methods", "formulations"),
    "from names to numbers": ("system", "mechanism", "elements"),
    "the ground": (
        "flexible",
        "expressions",
        "numerics",
        "compiler",
        "catalogue",
        "output_files",
        "tables",
        "lazy_import",
        "errors",
        "installation",
        "failure_entries",
        "other_words",
    ),
}
TINTS = ("#e8eef7", "#eaf3ee", "#f7f2e4", "#f7e9e4", "#f0eaf5", "#eeeeee")
WIDTH, LEFT, ROW = 940, 190, 46  # px
LETTERS = 125  # of a line


def rooms() -> list[str]:
    """The rooms by floor, from the roof down."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return [name.strip().removeprefix("linkwork.") for names in contract["layers"] for name in names.split("|")]


def about(room: str) -> str:
    """What a room is, by the first sentence of its docstring."""
    folder = PACKAGE / room
    source = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return re.split(r"(?<=\.)\s", " ".join(text.split("\n\n")[0].split()))[0]


def draw() -> str:
    """The picture as SVG."""
    parts, y = [], 10
    for (storey, names), tint in zip(STOREYS.items(), TINTS, strict=True):
        height = ROW * len(names) + 8
        parts.append(f'<rect x="10" y="{y}" width="{WIDTH - 20}" height="{height}" rx="8" fill="{tint}"/>')
        parts.append(f'<text x="24" y="{y + height / 2 + 4}" class="storey">{escape(storey)}</text>')
        for k, name in enumerate(names):
            parts.append(_room(name, y + 4 + ROW * k))
        y += height + 8
    style = "text{font:12px sans-serif;fill:#333} .storey{font-style:italic;fill:#555} .name{font:bold 14px monospace}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img" '
        f'aria-label="The rooms of linkwork, floor by floor">\n<style>{style}</style>\n'
        f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _room(name: str, y: float) -> str:
    text = about(name)
    assert len(text) <= LETTERS, f"the first sentence of {name} is too long for the picture: {text}"
    return (
        f'<text x="{LEFT}" y="{y + 17}" class="name">{name}</text>\n<text x="{LEFT}" y="{y + 34}">{escape(text)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
