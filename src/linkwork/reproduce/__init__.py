"""The tables and figures of the founding papers, computed beside what they print; papers.py lists the papers.

A paper is one file with a function `reproduce`, and one line of papers.py.  P1 and P3 share the parallelogram/.
benchmarks/ is the shelf of benchmarks.
"""
