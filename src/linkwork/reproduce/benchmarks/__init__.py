"""The shelf of benchmarks: our value, the reference, the error and the time, on one page.

findings.py: one line of the page; shelf.py: the problems, in order; page.py: the page.  A problem is one file with a
function `findings(quick)`.  A reference is a closed form, published digits, equations written by hand in the file of
the problem and solved by SciPy (one_degree.py for mechanisms with one degree of freedom), or another program's result
(benchmarks/exudyn_beams.py, benchmarks/mbdyn_beams.py); never a result of linkwork.  peers.py: how long other programs
take.
"""
