"""Radau IIA of order 5.

radau.py is a step and its length; scheme.py the numbers, which follow from the nodes, and what is kept in memory;
newton.py solves the equations of a step, with the matrices of jacobian.py.
"""
