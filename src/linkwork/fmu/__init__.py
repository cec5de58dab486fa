"""Functional mock-up units: models for other simulation programs, and those of others in a model.

Read export.py (what is written), inputs.py, outputs.py and parameters.py (what others see), frozen_run.py, image.py
and model_file.py (a run at its start as data), description.py (XML); runtime/ is what runs a model in C.
"""
