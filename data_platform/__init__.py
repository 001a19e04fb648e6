"""A data platform that shows data only when it has passed: Dagster, Spark and Delta Lake.

Package map, top to bottom; a package imports only from lines below its own
(``[tool.importlinter]`` in ``pyproject.toml`` checks it)::

    definitions | cli                       doors: the Dagster code location, the command line
    orchestration                           Dagster words for what the pipeline does
    pipeline                                one module a stage; introduces the packages below
    policies | settings                     what was declared, and where things are
    ingestion | gates | delivery | transform | catalog
    lake                                    Spark session and Delta tables
    model                                   frozen values
    errors

Importing any of it does nothing: no I/O, no environment read, no Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.certification import Certification

__all__ = ["certified"]


def certified(urn: str) -> Certification:
    """The version of ``urn`` that consumers may read: its path, version and when it was certified.

    Read it with ``deltalake.DeltaTable(c.path, version=c.version)`` or
    ``spark.read.format("delta").option("versionAsOf", c.version).load(c.path)``.

    Raises:
        NotCertifiedError: No version of this dataset has ever passed.
    """
    from data_platform.pipeline.reader import certified as look_up

    return look_up(urn)
