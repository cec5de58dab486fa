"""How far a run can be trusted.

trajectory.py keeps the states of the accepted steps; singular/ finds the singular positions among them, branches.py
velocities that jump beside one without a force; open_constraints.py rows that are not met, resolution.py steps too
long; global_error.py is what a second run says; verdict.py decides.
"""
