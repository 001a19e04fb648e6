"""Spark column expressions that gates are built from: typed values, rules, personal data, tokens."""
