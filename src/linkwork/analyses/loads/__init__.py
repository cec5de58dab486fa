"""Joint loads and load cases of a run.

Read loads.py and reactions.py first, then replay.py (sample_kernels.py, absolute_states.py), uniqueness.py, places.py;
channels.py, number_channels.py and used_loads.py name them; cases/: one body at one instant.
"""
