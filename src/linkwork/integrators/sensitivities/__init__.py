"""Derivatives of runs: sensitivities integrated beside the state, and the adjoint sweep back over a run.

variation.py is what their kernels need; slopes_of_rates.py the rates of the sensitivities, by complex steps or
slopes_by_tape.py, solved by solution.py; corrected_slopes.py what a step's correction makes of them; saltation.py what
happens at instants; tape.py runs and reads the tape of the equations, adjoint.py goes back over it; directional.py is
one direction alone.
"""
