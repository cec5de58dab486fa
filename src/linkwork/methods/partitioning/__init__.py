"""Methods that split the motion into dependent and independent directions (P1, P3).

Read partitioned.py first (the algebra), basis.py, then one basis a file: lu.py, qr.py, svd.py, gram_schmidt.py,
projection.py; hybrid.py switches between two.  decisions.py is what is done after a step (choice.py, log.py; of
hybrids conditioning.py, as printed printed.py), method.py what all share.
"""
