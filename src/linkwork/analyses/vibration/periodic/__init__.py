"""Periodic motion at constant speeds, and its stability.

Read periodic_orbit.py first (shooting), then monodromy.py, floquet.py (multipliers) and stability_chart.py.
"""
