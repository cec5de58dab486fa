"""The parallelogram four-bar of P1 and P3, rigid and with a flexible coupler.

Read contest.py first (the mechanism, the methods, their settings), then motion.py (exact motion, did a run stay on its
branch?), costs.py, constraint_tolerance.py, flexible_coupler.py; figures.py draws the histories.
"""
