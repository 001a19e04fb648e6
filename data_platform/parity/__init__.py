"""Parity of a parallel run: compares a legacy job's output with our certified version, by row and by column.

``run.compare`` is the entry point. ``kind``, ``rule``, ``column``, ``report`` and ``markdown`` judge and report, and
need no Spark; ``output``, ``value``, ``comparison`` and ``sample`` read and count with Spark.
"""
