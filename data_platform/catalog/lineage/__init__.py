"""Lineage from producers' run events: they are read, folded into runs and versions, and form the graph.

``event`` reads one OpenLineage event; ``ingest`` writes any number of them to the tables.
"""
