"""The shelf of benchmarks: our value, the reference, the error and the time, on one page.

findings.py: one line of the page; shelf.py: the problems, in order; page.py: the page.  A problem is one file with a
function `findings(quick)`.  A reference is a closed form, published digits, or equations written by hand in the file of
the problem and solved by SciPy (one_degree.py for mechanisms with one degree of freedom); never a result of linkwork.
"""
