"""The kernels that run programs.

Read opcodes.py and operations.py, then program.py (with two time derivatives), of_state.py (any scalar type), tables.py
(splines), wide_range.py (beyond doubles); enclosure.py (intervals) and crossings.py (thresholds in time) rest on them.
"""
