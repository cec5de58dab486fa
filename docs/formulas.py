"""Hook of the documentation: blocks fenced as ```math become MathML, which browsers draw without any script."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert


def formula(source: str, *_: Any, **__: Any) -> str:
    """LaTeX -> MathML, one equation a line."""
    lines = [line for line in source.strip().splitlines() if line.strip()]
    return '<div class="formula">' + "".join(convert(line, display="block") for line in lines) + "</div>"


def on_config(config: Any) -> Any:
    """Called by MkDocs: a fence of our own beside the usual ones."""
    fence = {"name": "math", "class": "formula", "format": formula}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config
