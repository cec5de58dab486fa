"""The report of a run: report.py (HTML), printed by pdf.py; tables.py has the model in words, html.py pieces of a page;
cards.py shows models and runs in a notebook.
"""
