"""The JSON schema of model files: that of Mechanism, with parameters, includes, and texts wherever a number is."""

from __future__ import annotations

from typing import Any

from linkwork.expressions.quantities import units_in
from linkwork.mechanism import Mechanism

_VALUE = {"anyOf": [{"type": "number"}, {"type": "string"}, {"$ref": "#/$defs/Parameters"}]}
_INCLUDE = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "description": "below the folder of the model"},
        "prefix": {"type": "string", "description": "put before the names of its elements"},
        "parameters": {"$ref": "#/$defs/Parameters", "description": "values for its parameters"},
    },
    "required": ["file"],
    "additionalProperties": False,
}


def schema() -> dict[str, Any]:
    """The JSON schema of model files; the unit of a number is its `unit`."""
    made: dict[str, Any] = _opened(Mechanism.model_json_schema())
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "linkwork model file"
    made["$defs"]["Parameters"] = {
        "type": "object",
        "description": "numbers, quantities such as '25.4 mm', or expressions of other parameters, by name",
        "additionalProperties": _VALUE,
    }
    made["properties"] |= {
        "parameters": {"$ref": "#/$defs/Parameters"},
        "include": {
            "type": "array",
            "description": "other model files whose elements belong to this model",
            "items": {"anyOf": [{"type": "string"}, _INCLUDE]},
        },
    }
    made["required"] = [key for key in made.get("required", []) if key != "gravity"]  # an included file may give it
    return made


def _opened(part: Any) -> Any:
    """A part of the schema in which a text may stand for a number; descriptions give their units."""
    if isinstance(part, list):
        return [_opened(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    opened = {key: _opened(entry) for key, entry in part.items()}
    if part.get("type") in ("number", "integer"):
        opened["type"] = [part["type"], "string"]
    if isinstance(part.get("description"), str) and (units := units_in(part["description"])):
        opened["unit"] = " or ".join(units)
    return opened
