"""The Dagster code location. This module only connects the parts, which are in ``data_platform.orchestration``.

Loading it reads the settings and the policies. It imports neither Spark nor pandera.
"""

import dagster as dg

from data_platform.orchestration.location import build
from data_platform.settings import read_settings


@dg.definitions
def defs() -> dg.Definitions:
    return build(read_settings())
