"""Compiled building blocks: compilation, rotations, factorizations."""
