"""Hook of the documentation: blocks fenced as ```math become pictures (SVG), which need neither script nor font."""

from __future__ import annotations

from typing import Any

import ziamath

SIZE = 17  # pixels


def formula(source: str, *_: Any, **__: Any) -> str:
    """LaTeX -> SVG in the colour of the text, one equation a line; the source for those who cannot see it."""
    lines = [line for line in source.strip().splitlines() if line.strip()]
    return '<div class="formula">' + "".join(map(drawn, lines)) + "</div>"


def drawn(line: str) -> str:
    """One equation."""
    said = line.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    svg = ziamath.Latex(line, size=SIZE, color="currentColor").svg()
    return f'<p role="math" aria-label="{said}">{svg}</p>'


def on_config(config: Any) -> Any:
    """Called by MkDocs: a fence of our own beside the usual ones."""
    fence = {"name": "math", "class": "formula", "format": formula}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config
