"""Mechanisms that move in a plane: the same equations with three numbers for a motion or a force instead of six.

Read detection.py first (what such a mechanism is), then records.py (what is known of it, and its state), tree.py and
rows.py (the kernels that `evaluate` calls in place of its own).
"""
