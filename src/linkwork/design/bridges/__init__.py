"""Bridges: a function with its gradient (`lw.value_and_grad`) as one of JAX, PyTorch or CasADi (extras of these names).

From the values of the parameters to a vector of outputs, differentiable once.
"""
