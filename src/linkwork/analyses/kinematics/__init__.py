"""Fully driven mechanisms.

Read kinematics.py first, then tasks.py (times, or an input swept), fully_driven.py (what is refused), following.py
(from position to position), dead_points.py, linkage.py (paths, transmission angles).
"""
