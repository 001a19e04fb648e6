"""The catalog's HTTP service. Only this package, ``server`` and the portal use the web framework.

A route reads its request, calls the catalog once, and returns the result; the logic of datasets and runs is in
``catalog``. Importing the package imports neither Spark nor Dagster, since the service does not need them.
"""
