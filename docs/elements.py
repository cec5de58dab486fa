"""Hook of the documentation: the fields of every element, from its declaration, so that the page is never behind."""

from __future__ import annotations

import re
import types
import typing
from typing import Any

from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.joint import JointName

PLAIN = {"float": "number", "int": "whole number", "str": "text", "bool": "true or false", "NoneType": ""}


def said(annotation: Any) -> str:
    """A type in words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return said(inner[0])
    if origin is typing.Literal or annotation is JointName:
        return ", ".join(f"`{value}`" for value in inner or JointName.known())
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(filter(None, map(said, inner))))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return f"list of {said(inner[0])}"
        return f"{len(inner)} x {said(inner[0])}" if len(set(inner)) == 1 else ", ".join(map(said, inner))
    name = getattr(annotation, "__name__", str(annotation))
    return PLAIN.get(name, name.strip("_").lower())


def default(field: Any) -> str:
    """What holds unless it is said."""
    if field.is_required():
        return "*must be said*"
    return "" if field.default is None else f"`{field.default!r}`"


def table(kind: str, element: Any) -> str:
    """The section of one kind of element."""
    about = re.sub(r"\s+", " ", (element.__doc__ or "").strip())
    rows = [
        f"| `{name}` | {said(field.annotation)} | {default(field)} | {(field.description or '').replace('|', ' or ')} |"
        for name, field in element.model_fields.items()
    ]
    return f"## {kind}\n\n{about}\n\n| key | takes | default | meaning |\n|---|---|---|---|\n" + "\n".join(rows)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    if "<!-- elements -->" not in markdown:
        return markdown
    tables = "\n\n".join(table(kind, element) for kind, element in DECLARATIONS.items())
    return markdown.replace("<!-- elements -->", tables)
