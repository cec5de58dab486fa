"""Verbs that add elements: bodies (bars.py: those that joints define), joints, constraints, forces, contacts, signals.

Each is a class of verbs on builder.py, which ../model.py puts together.
"""
