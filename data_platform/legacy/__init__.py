"""Legacy jobs: what their scheduler's files say, read into plain values, and what they tell of themselves.

No Spark, no Dagster, no catalog. ``client`` and ``wrapper``, with what they import, need the standard library alone.

``jil`` reads Autosys' job language; ``mapping`` says which files and jobs are which datasets, and ``declared`` puts
that together; ``difference`` compares two scans; ``secret`` takes passwords out of texts.
What a scan knows is in ``data_platform.model.legacy``.
"""
