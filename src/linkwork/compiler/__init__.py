"""The one door to the compiler.

Read kernels.py first (the decorators `kernel`, `stage`, `part`, and the cache that is never stale), then carving.py
(parts of an array by their place), references.py (structures by reference), addresses.py (kernels called by their
address), shortcuts.py (what Numba need not do for us).
"""
