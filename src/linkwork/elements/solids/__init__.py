"""Solids: what gives a body its mass, inertia and picture.

Read shapes.py first (one solid), then composite.py (several), solid_meshes.py (from the triangles of a file),
body_shapes.py (any of these), pictures.py (what a body looks like where that is something else).
"""
