"""Stores a scan of a legacy scheduler in the catalog: its jobs as processes, their dependencies as edges.

``apply`` updates the catalog from one scan to the next. ``process``, ``dataset`` and ``edge`` each write their own
rows; ``kept`` stores the scan itself. ``data_platform.legacy`` computes the difference of two scans; this package must
not import it.
"""
