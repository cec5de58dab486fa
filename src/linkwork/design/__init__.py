"""Design by wish: numbers of a model chosen so that outputs are least, or agree with what was measured.

Read variables.py (what may vary), goals.py (what is wanted) and trials.py (one evaluation, all of them kept) first,
then landscape.py and optimize.py with optimum.py (its answer), and fit.py with measured.py (data), identifiability.py
and fitted.py (its answer); bridges/ for other programs.
"""
