"""Ways to stay on the constraints, one file each, found by name in METHODS (registry.py).

Read contract.py first (the stages of a method), then normal_step.py (the linear problem) and correction.py (back onto
the constraints), then the methods: parametrization, baumgarte, proximal, articulated, partitioning/.
"""
