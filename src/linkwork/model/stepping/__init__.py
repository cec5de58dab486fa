"""A model step by step, for programs that close the loop around it.

Read stepper.py (one run), stepped_drivers.py (drivers that are inputs), environment.py (for reinforcement learning,
many runs at once), side_by_side.py (all of a thread in one compiled loop) and steppers.py (arrays of them, on threads
or a GPU).
"""
