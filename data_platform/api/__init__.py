"""Door 2: the catalog's HTTP service. The web framework is used here, in ``server`` and in the portal, and no more.

A route reads its request, asks the catalog one thing, and shows the answer; what is true of datasets and runs is
decided in ``catalog``. Importing it imports neither Spark nor Dagster, since the service has need of neither.
"""
