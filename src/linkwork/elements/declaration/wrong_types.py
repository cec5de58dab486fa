"""What a value of the wrong type should have been, in a user's words: pydantic's are about its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONGEST = 60  # characters of a value that are shown
NEEDED = {  # by the type of pydantic's error
    **dict.fromkeys(("string_type", "string_sub_type", "string_unicode"), "a text"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type", "dataclass_type"), "a table, {key = value}"),
    "callable_type": "a function",
}


def wrong_type(error: Mapping[str, Any]) -> str | None:
    """The sentence of a failed validation from its value on, "is [1]; it must be a number"; None: its type is right."""
    needed = NEEDED.get(error["type"])
    if needed is None:
        return None
    value = repr(error.get("input"))
    return f"is {value if len(value) <= LONGEST else value[:LONGEST] + ' ...'}; it must be {needed}"
