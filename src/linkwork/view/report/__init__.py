"""The report of a run: report.py, with summaries.py (words and numbers) and html.py (pieces of a page)."""
