"""Legacy scheduler definitions, read into plain values: no Spark, no Dagster, no catalog.

``jil`` reads Autosys' job language; ``mapping`` says which files and jobs are which datasets, and ``declared`` puts
that together; ``difference`` compares two scans; ``secret`` takes passwords out of texts.
What a scan knows is in ``data_platform.model.legacy``.
"""
