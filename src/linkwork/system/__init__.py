"""From a Mechanism to constant tables of numbers.

Read compile.py (the recipe) and tables.py (the System), then topology.py (the tree), frames.py (poses), layout.py
(names), compilation/ (the parts of the recipe); coordinates.py, flexible.py, pattern.py and units.py serve them.
"""
