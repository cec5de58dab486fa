"""Machine code by Numba: the only place that knows it, within the bounds of pyproject.toml.

Read dispatchers.py first, then argument_types.py and values.py (what Numba makes of our types and objects),
intrinsics.py, disk_cache.py; last pipeline.py and shortcuts.py, which reach into Numba's private parts.
"""
