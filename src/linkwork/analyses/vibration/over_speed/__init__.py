"""Modes and responses over a speed of rotation.

Read sweeps.py first (sweep_path.py: equilibria along the sweep; mode_tracking.py: which mode is which), then
critical_speeds.py and unbalance.py.
"""
