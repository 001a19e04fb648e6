"""A scan of a legacy scheduler as part of the catalog: its jobs as processes, what they wait for as edges.

``apply`` brings the catalog from one scan to the next. Each of ``process``, ``dataset`` and ``edge`` knows what its own
rows should be; ``kept`` keeps the scan itself. What differs between two scans is not found here:
``data_platform.legacy`` does that, and this package must not know it.
"""
