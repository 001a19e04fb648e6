"""What a sample of texts contains, judged in Python: patterns with check digits, and a small classifier for names."""
