"""The pages that people see: what is late, what consumers see of each dataset, and why.

Every page is made in three steps. A reader asks the catalog and the policies, a view model is a frozen value computed
from that, and a template shows it. ``?format=json`` returns the same value as JSON, so a page never knows more than its
twin. Pages work without scripts; scripts only add times of the viewer's zone, charts and filters without a reload.

The package imports neither Spark nor Dagster. Roles and the rules for sensitive fields are those of ``api``.
"""
