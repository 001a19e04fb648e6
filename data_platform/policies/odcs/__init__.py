"""Open Data Contracts (ODCS 3): reads them into a policy bundle, and writes a dataset as one.

A contract that ``writer`` wrote is read back as the same bundle. Each check is in the standard's own words, so that
other tools can run it; what the standard cannot express is a custom property of the vendor ``data-platform``
(``custom_property``). A check that somebody edited after the export counts as edited.
"""
