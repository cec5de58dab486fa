"""Many runs of one mechanism: on threads, on a GPU."""
