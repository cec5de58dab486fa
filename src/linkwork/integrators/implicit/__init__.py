"""Generalized-alpha.

generalized_alpha.py is the method, scheme.py its numbers, start.py its first step; newton.py a trial step (balance.py,
tangent.py, rotation.py), functional_iteration.py one near a singular position; step_control.py error and next length.
"""
