"""What every element has: fields, quantities in them, shapes, value tables.

Read base.py first (fields, names, vectors), then quantities.py (text in a field becomes an SI number), shapes.py (mass
and inertia from a solid), tables.py (values over an argument), pictures.py (what a body looks like).
"""
