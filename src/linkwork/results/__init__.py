"""What an analysis leaves: plain data with names and a certificate; measures, storage."""
