"""The equations of motion as a list of elementary operations, written down while `evaluate` runs once in Python.

numbers.py (numbers that write down what is done with them), as_python.py (kernels run as Python over such numbers),
program.py (the list in the order in which it is run again), equations.py (what goes in and comes out).  The lists are
run by integrators/sensitivities/tape.py.
"""
