"""The SQL that policies may contain: which functions it may call, and what else makes a rule or a step acceptable.

Policies run no code. A rule is an expression over the columns of one row, a step is one SELECT over its inputs. Two
parsers judge each text: sqlglot when policies are read, where no Spark is at hand, and Spark's own before it runs, so
that a text which the two read differently is refused and never run.
"""
