"""Finite elements of a flexible body.

Read finite_model.py first (K, M, nodes), then beam_elements.py with sections.py and materials.py, meshes.py (solids),
connections.py (how nodes are joined to what is outside).
"""
