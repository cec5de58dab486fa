"""Verbs of a model by what users call it: a name of the library, a file, a Model, a function of numbers.

Read any_model.py and sources.py, then study.py, design.py (optimize and fit) and gradients.py.
"""
