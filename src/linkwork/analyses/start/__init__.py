"""The start of every analysis: a mechanism assembled, its independent rows known.

Read assembly.py first; contradictions.py explains constraints that stay open, slim_bodies.py keeps rank a matter of
geometry, wheels.py raises vehicles onto the road, scales.py has the units of absolute tolerances.
"""
