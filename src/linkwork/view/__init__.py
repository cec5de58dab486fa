"""What a person sees of a run: scene/ (what to draw) -> page/ (the browser), plots/, report/, export/ (other programs).

summary.py has the facts that all of them print, progress.py the bar while a run goes on.
"""
