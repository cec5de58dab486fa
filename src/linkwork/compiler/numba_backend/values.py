"""What Numba makes of our objects, in kernels and as arguments: kernels, intrinsics, structures by reference."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.numba_backend.argument_types import StructureRef, numba_type
from linkwork.compiler.numba_backend.intrinsics import numba_intrinsic
from linkwork.compiler.references import Reference


@typeof_impl.register(Intrinsic)
def _type_of_intrinsic(value: Intrinsic, context: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(numba_intrinsic(value))


@typeof_impl.register(Reference)
def _type_of_reference(value: Reference, context: Any) -> Any:
    value._numba_type_ = numba_type(value.type)  # so that the next call need not come here
    return value._numba_type_


register_model(StructureRef)(models.OpaqueModel)  # a pointer


@unbox(StructureRef)
def _pointer_of(kind: StructureRef, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, c.context.get_value_type(kind)))


@infer_getattr
class _Fields(AttributeTemplate):
    key = StructureRef

    def generic_resolve(self, typ: Any, attr: str) -> Any:  # type: ignore[override]
        place = typ.places.get(attr)
        return None if place is None else typ.members[place]


@lower_getattr_generic(StructureRef)
def _field(context: Any, builder: Any, structure: StructureRef, pointer: Any, name: str) -> Any:
    descriptions = builder.bitcast(pointer, context.get_value_type(structure.members).as_pointer())
    zero, place = (context.get_constant(types.int32, k) for k in (0, structure.places[name]))
    return builder.load(builder.gep(descriptions, [zero, place]))
