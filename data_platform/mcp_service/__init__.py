"""The Model Context Protocol: assistants read the catalog, and act on it, by calling routes of the API.

A tool is a route (``tool``), so roles, teams, hidden fields, checks and the audit log are those of the API. There is no
logic of its own here. Only ``server`` imports the package of the protocol.
"""
