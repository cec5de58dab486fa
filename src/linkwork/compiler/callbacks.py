"""Functions of users, compiled to what a kernel calls by its address; Numba is loaded when the first one is.

compiled_callback(function, inputs, outputs)    address and owner (numba_backend/callbacks.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.compiler.numba_backend.callbacks import compiled_callback
else:
    (compiled_callback,) = lazy_functions("linkwork.compiler.numba_backend.callbacks", "compiled_callback")

__all__ = ["compiled_callback"]
