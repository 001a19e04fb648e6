"""A data platform that shows data only when it has passed: Dagster, Spark and Delta Lake.

Package map, top to bottom; a package imports only from lines below its own
(``[tool.importlinter]`` in ``pyproject.toml`` checks it)::

    ingestion     records of a delivery, each with its file, line and reason if malformed; manifests
    gates         what a batch is judged by, as column expressions (beside ingestion: neither knows the other)
    lake          the Spark session; Delta tables: created once, written a partition at a time, restored
    model         frozen values: datasets, schemas, verdicts, evidence, certification
    errors

Importing any of it does nothing: no I/O, no environment read, no Spark.
"""
