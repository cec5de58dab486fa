"""Plots: histories.py of a run, and one file for each other kind of result.

All are drawn on a sheet (sheet.py: axes, legends, colours, files); panels.py draws several runs over one another.
"""
