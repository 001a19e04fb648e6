"""dagster-pyspark's resource with the session that the platform opens. Importing this imports Spark."""

from typing import Any, Self

from dagster_pyspark import LazyPySparkResource
from pydantic import PrivateAttr

from data_platform.lake.session import SparkOptions, open_session, session_settings


class RunPySparkResource(LazyPySparkResource):
    """``spark_config`` are the settings of the session, but for Delta's jars, which are looked for when it is opened.

    dagster-pyspark's own would start a JVM without Delta, in the process group of the terminal.
    """

    _options: SparkOptions = PrivateAttr(default_factory=SparkOptions)

    @classmethod
    def of(cls, options: SparkOptions, session: Any = None) -> Self:
        """``session`` is one that is open already."""
        resource = cls(spark_config=session_settings(options))
        resource._options, resource._spark_session = options, session
        return resource

    @property
    def opened(self) -> Any:
        """The session, if it was asked for."""
        return self._spark_session

    def _init_session(self) -> None:
        if self._spark_session is None:
            self._spark_session = open_session(self._options)
