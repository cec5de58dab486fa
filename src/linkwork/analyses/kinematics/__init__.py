"""Fully driven mechanisms.

Read kinematics.py first (what may be requested), then following.py (from position to position), dead_points.py,
linkage.py (paths, transmission angles).
"""
