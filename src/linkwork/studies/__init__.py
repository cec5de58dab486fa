"""Many runs of one model.

Read study.py (the recipe), vary.py, outputs.py, plan.py, one_run.py, table.py, found.py; engines/ makes the runs.
batch.py, share.py, room.py and gpu.py are the compiled loop over many simulations, on threads and on a GPU.
"""
