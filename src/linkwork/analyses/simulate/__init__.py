"""Forward dynamics.

Read dynamics.py first (options, what is refused), then forward_run.py (the run in compiled chunks), impacts.py and
driver_phases.py (what changes at an instant), samples.py (rows into a Result), failures.py, interrupts.py.
"""
