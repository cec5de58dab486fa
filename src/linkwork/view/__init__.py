"""What a person sees: plots of results, progress of runs."""
