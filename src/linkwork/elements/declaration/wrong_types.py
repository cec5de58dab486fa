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
NAMED = {  # by the field, whatever its type
    **dict.fromkeys(("between", "body", "against", "on", "of_body"), "the name of a body"),
    **dict.fromkeys(("joint", "joint_a", "joint_b"), "the name of a joint"),
    "material": "the name of a material, as 'steel'", "shape": "a shape",
}  # fmt: skip
AXES = ("axis", "second_axis", "normal")
POINT = "[0.1, 0, 0.25]"
EXAMPLES = {  # of what a field takes
    "gravity": "[0, 0, -9.81]", "at": POINT, "com": POINT, "plane_at": POINT, "points": "[[0, 0, 0.5], [0, 0, 0]]",
    "velocity": "[1, 0, 0]", "angular_velocity": "[0, 0, 10]", "force": "[0, 0, -10]", "torque": "[0, 5, 0]",
    "impulse": "[0, 0, 1]", "inertia": "[0.1, 0.1, 0.02]", "size": "[0.2, 0.1, 0.1]", "between": '["ground", "crank"]',
    **dict.fromkeys(AXES, "'x', '-z' or [1, 0, 0]"),
    "orientation": "[1, 0, 0, 0] (Euler parameters), {angle = '30 deg', axis = 'y'} or {roll_pitch_yaw = [0, 0, 0.5]}",
    "shape": "{kind = 'rod', mass = 1, length = 0.5}, lw.rod(mass=1, length=0.5) in Python",
}  # fmt: skip


def wrong_type(error: Mapping[str, Any], field: str = "") -> str | None:
    """The sentence of a failed validation from its value on, "is [1]; it must be a number"; None: its type is right."""
    needed = NAMED.get(field, NEEDED.get(error["type"])) if error["type"] in NEEDED else None
    if needed is None:
        return None
    value = repr(error.get("input"))
    return f"is {value if len(value) <= LONGEST else value[:LONGEST] + ' ...'}; it must be {needed}"
