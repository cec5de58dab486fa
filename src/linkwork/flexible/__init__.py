"""Finite elements -> modes -> the data of a flexible body: everything before the time loop.

Read finite_elements/ (stiffness, mass, nodes), then reduction.py with supported_inverse.py (modes and body frame),
shape_integrals.py and modal_body.py (the data), modal_equations.py, stresses.py; bodies.py and arrays.py do it all in
one call, and report.py accounts for it.
"""
