"""Proposed policies of new datasets on their way to approval: their files, how far they are, the branch, the request.

Nothing here opens Spark, so the portal shows and submits what ``onboarding`` has proposed.
"""
