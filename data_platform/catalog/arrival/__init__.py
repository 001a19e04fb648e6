"""Arrivals that trigger work downstream: versions, completion markers, reports of checks."""
