"""The elements of one kind, as a field of Mechanism: checked by their own class when there are any.

Pydantic builds the checks of a class when it is first used.  As plain fields all kinds would be built with Mechanism;
a model has few of them.
"""

from __future__ import annotations

from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from linkwork.elements.declaration.base import Element


class Listed:
    """Annotation of a field that holds elements of a kind."""

    def __init__(self, kind: type[Element]) -> None:
        self.kind = kind

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        each = core_schema.with_info_plain_validator_function(self._checked)
        return core_schema.tuple_variable_schema(each)

    def _checked(self, given: Any, info: ValidationInfo) -> Element:
        return self.kind.model_validate(given, context=info.context)

    def __get_pydantic_json_schema__(self, _: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        self.kind.model_rebuild()  # where it is not built yet
        return handler(core_schema.tuple_variable_schema(self.kind.__pydantic_core_schema__))
