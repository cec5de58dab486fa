"""Joint loads and load cases of a run.

Read loads.py first, then replay.py (samples evaluated again, three ways), uniqueness.py; load_cases.py and instants.py
for one body at one instant; record_forces.py and contact_forces.py for forces of single elements.
"""
