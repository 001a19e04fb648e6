"""A dataset's contract for a user's own frames and tests, in pandas and in Spark: ``data_platform.contract(urn)``.

A Spark frame is judged with the gates' own expressions, and a pandas frame by a pandera schema that refuses the same
rows. Rules that only Spark can evaluate are listed for a pandas frame, and never count as kept. Personal values are
not searched for here: that is G5_PII's task, in a run.
"""
