"""Signals: numbers that the state determines, for measures, expressions, controllers and events.

Read frame_pairs.py first (a number between two frames, its rate and wrench), then signals.py (the family),
measures.py (declarations), states.py (auxiliary states), outputs.py and force_probes.py (forces as signals);
fmu_block.py is for models of other programs.
"""
