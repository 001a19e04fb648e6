"""Reads OpenLineage events of any producer, and builds events for legacy jobs."""
