"""Legacy jobs: their scheduler's files, read into plain values, and the events that the jobs report themselves.

No Spark, no Dagster, no catalog. ``client`` and ``wrapper``, with what they import, need only the standard library.

``jil`` reads Autosys' job language; ``mapping`` maps files and jobs to datasets, and ``merged_mapping`` merges the
mapping files; ``scan_difference`` compares two scans. ``data_platform.model.legacy`` holds the types of a scan, and
``data_platform.model.secret`` removes passwords from texts.
"""
