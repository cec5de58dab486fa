"""Forward dynamics.

Read dynamics.py first (options, what is refused), then forward_run.py (the run), chunk_buffers.py (what its loop
fills), recording.py and samples.py (rows into a Result), post_check.py (singular positions, branches), events.py
(what has happened), driver_phases.py, communication.py (FMUs), failures.py, interrupts.py.
"""
