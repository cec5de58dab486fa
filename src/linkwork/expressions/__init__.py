"""Expressions of time: parsed once into a small program of opcodes, run by one kernel with two derivatives."""
