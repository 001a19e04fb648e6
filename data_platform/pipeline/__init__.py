"""The road a row travels: one module a stage. Here ingestion, gates, delivery, transform and catalog meet.

A stage prepares a ``Candidate``; ``deliver`` writes it once, has it judged, and records what came of it.
Nothing here knows Dagster.
"""
