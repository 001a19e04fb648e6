"""The SQL that policies may contain: which functions it may call, and what else makes a rule or a step acceptable.

Policies run no code. A rule is an expression over the columns of one row, a step is one SELECT over its inputs. Two
parsers check each text: sqlglot when policies are read, without Spark, and Spark's own parser before the text runs.
A text that the two parse differently is refused and never run.
"""
