"""Declarative Spark SQL: runs the steps of a process as views, and derives their column lineage."""
