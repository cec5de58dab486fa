"""The parts of a compilation: who turns which names into numbers, composed by context.py.

Read hanging.py (on what bodies hang), places.py (bodies, frames, joint coordinates), motions.py and tree.py (motions;
modal_tables.py, nodes.py for flexible bodies), then programs.py, states.py and signals.py (expressions), rows.py and
joint_rows.py (constraints), family_tables.py.
"""
