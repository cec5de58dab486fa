"""Integrators of the full state, one file each, found by name in INTEGRATORS (registry.py), and the loop that runs
them.
"""
