"""Forces, one file each: declaration, table, kernel, family.

Read spring_damper.py as the simplest, bushing.py as a force between two frames, contact.py as one with events,
laws.py for forces given by expressions.
"""
