"""Load cases: all that acts on one body at one instant, in equilibrium.

Read load_cases.py first, then instants.py; record_forces.py, contact_forces.py, beam_sections.py for single elements.
"""
