"""Integrators of the full state, one file each, found by name in INTEGRATORS (registry.py), and the loop around them.

Read contract.py first (the stages of an integrator), then control.py and rates.py (what they share), rk4.py (the
plainest of them), ab3.py, dop853.py, adams.py, implicit/; loop/ takes the steps and samples.
"""
