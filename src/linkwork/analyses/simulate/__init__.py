"""Forward dynamics.

Read dynamics.py first (options, what is refused), then forward_run.py (the run), chunk_buffers.py (what its loop
fills), recording.py and samples.py (rows into a Result), post_check.py (singular positions, branches), events.py,
impacts.py, driver_phases.py and communication.py (what changes at an instant), failures.py, interrupts.py.
"""
