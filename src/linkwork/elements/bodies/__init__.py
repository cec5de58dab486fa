"""Bodies: what a user declares, and their tables and kernels.

Read rigid_body.py (declaration), rigid_inertia.py (table, inertia in world axes); then, for flexible bodies,
flexibility.py (declaration), flexible_tables.py, foreshortening.py (shifts of second order), lumped_beam.py.
"""
