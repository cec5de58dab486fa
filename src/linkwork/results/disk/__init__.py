"""What keeps a run on disk whole: checksums.py, checkpoints.py (to go on from), hdf5_repair.py (files cut or unclosed).

resumable.py reads a run up to its newest checkpoint.  storage.py and reading.py, beside this folder, come first.
"""
