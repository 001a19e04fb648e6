"""The pipeline as Dagster objects: assets, checks, partitions, an I/O manager. It translates and decides nothing.

Dagster reads annotations at run time, so modules here do not postpone them.
"""
