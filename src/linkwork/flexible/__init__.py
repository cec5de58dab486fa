"""Finite elements -> modes -> the data of a flexible body: all that happens before the time loop."""
