"""Ways to stay on the constraints, one file each, found by name in METHODS (registry.py)."""
