"""Gradients of analyses with respect to numbers of a model.

An analysis gives what it found with slopes along every parameter (varied.py): a function of `build` (settings ->
Mechanism), the settings, the parameters and the options of the analysis.  simulation.py does so for runs: starts.py has
the starts of mechanisms beside this one, varied_run.py integrates the sensitivities in the compiled loop.
kinematics.py, equilibrium.py, modes.py and response.py are algebraic; stencil.py is the difference formula of all.
What outputs make of it, and the callable for optimizers, is studies/slopes.py.
"""
