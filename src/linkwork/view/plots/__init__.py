"""Plots: histories.py for a run, and one file for each other kind of result."""
