"""Analyses of a mechanism.

start/ assembles; simulate/ and certificate/ run and judge; kinematics/, loads/, steady/, vibration/, vehicles/ are one
analysis each; diagnosis.py counts degrees of freedom, comparison.py runs every method, single_state.py is one call (its
kernels: single_state_kernels.py).
"""
