"""The commands of `linkwork`, one file each in files/, motion/ and vibration/; cli.py finds and loads them all.

Shared by them: application.py (the program and its common options), answer.py (JSON, errors, exit codes),
arguments.py (texts of options as numbers), tables.py (tables on the terminal).  A new command is one new file.
"""
