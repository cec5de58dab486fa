"""Bridges: outputs of a model as functions of other programs, with linkwork's gradients (extras jax, torch, casadi).

Each takes a `Function` (function.py) and gives a function of that program: from the values of the parameters to the
outputs, differentiable once.
"""
