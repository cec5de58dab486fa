"""Where the runs of a study are made: one file an engine, the same bits from each of the CPU's.

contract.py says what an engine is, choice.py which there are and which one `auto` takes.
"""
