"""Bodies: what a user declares, and their tables and kernels.

Read rigid_body.py (declaration), rigid_inertia.py and gravity.py (kernels), tree_paths.py (the walk to the root); then
flexibility.py (declaration), flexible_tables.py, flexible_motion.py, foreshortening.py; lumped_beam.py.
"""
