"""Parquet: typed columns, which Spark reads."""
