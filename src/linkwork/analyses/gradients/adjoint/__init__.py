"""Gradients of a run by its adjoint equation: few outputs of many parameters, theory (13.9) to (13.12).

motion.py (the run once more, and the instants at which its law jumps), panels.py (the nodes at which the adjoint
equation needs it), sweep.py (the tapes of the nodes, and the way back), channels.py (what a channel is of a sample),
parameters.py (what parameters change of tables and start), gradient.py (the recipe).
"""
