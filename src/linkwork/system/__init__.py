"""From a Mechanism to constant tables of numbers.

Read compile.py (the recipe) and tables.py (the System), then connections.py (bodies and joints by columns), topology.py
(the tree, with kernels in tree_order.py and paths.py), frames.py (poses), layout.py (names), compilation/ (the parts of
the recipe); coordinates.py, flexible.py, pattern.py and units.py serve them.
"""
