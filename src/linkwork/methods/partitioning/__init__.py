"""Methods that split the motion into dependent and independent directions (P1, P3).

Read partitioned.py first (the algebra), basis.py, then one basis a file: lu.py, qr.py, svd.py, gram_schmidt.py,
projection.py; hybrid.py switches between two, decisions.py has the criteria (choice.py, log.py), method.py what all
share.
"""
