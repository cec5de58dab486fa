"""The language of expressions: text in, fragments of a program out.

Read tokens.py and reader.py, grammar.py with functions.py and scope.py (what names mean where), fragments.py (pieces of
a program and what is known of them before it runs), parser.py; dimensions.py checks units, units.py refuses them.
"""
