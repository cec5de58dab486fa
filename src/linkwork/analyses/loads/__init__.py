"""Joint loads and load cases of a run.

Read loads.py and reactions.py first, then replay.py (sample_kernels.py, absolute_states.py), uniqueness.py, places.py;
load_cases.py and instants.py for one body at one instant; record_forces.py, contact_forces.py for single elements.
"""
