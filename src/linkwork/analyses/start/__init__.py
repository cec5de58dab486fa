"""The start of every analysis: a mechanism assembled, its independent rows known.

Read assembly.py first, then its steps: rough_state.py, closing.py (contradictions.py: why loops stay open), wheels.py,
start_velocities.py, other_formulation.py, independent_rows.py (like_bodies.py, loop_misfit.py), checks.py; scales.py.
"""
