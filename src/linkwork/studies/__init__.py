"""Many runs of one model.

study.py varies numbers and tabulates outputs; batch.py runs one mechanism many times on threads, gpu.py on a GPU.
"""
