"""Door 1: the Dagster code location. It only wires; ``data_platform.orchestration`` has the parts.

Loading it reads the policies, and imports neither Spark nor pandera.
"""

import dagster as dg

from data_platform.orchestration.location import build
from data_platform.settings import read_settings


@dg.definitions
def defs() -> dg.Definitions:
    return build(read_settings())
