"""What every element has: fields, quantities in them, value tables.

Read base.py first (fields, names, vectors), then quantities.py (text in a field becomes an SI number), orientations.py,
parameters.py, tables.py (values over an argument; csv_columns.py); calls.py, annotations.py and wrong_types.py
refuse in words.
"""
