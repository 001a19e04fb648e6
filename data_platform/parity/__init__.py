"""Parity of a parallel run: what a legacy job wrote against our certified version of it, by row and by column.

``run.compare`` does all of it. ``kind``, ``rule``, ``column``, ``report`` and ``markdown`` judge and tell, and need no
Spark; ``output``, ``value``, ``comparison`` and ``sample`` do the reading and counting, where the data is.
"""
