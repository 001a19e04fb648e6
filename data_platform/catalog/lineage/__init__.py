"""What producers tell of their runs: events read, folded into runs and versions, and the graph that they make.

``event`` reads one OpenLineage event; ``ingest`` puts any number of them into the tables.
"""
