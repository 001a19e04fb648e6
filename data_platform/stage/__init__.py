"""The stages bronze, silver, gold and certified: the pipeline of a partition from landing to the certified view.

``driver`` runs them. A stage prepares a ``Candidate``; ``writer`` writes it once, has it judged, and records the
result. Nothing here imports Dagster.
"""
