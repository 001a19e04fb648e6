"""The contract of one dataset, for frames that a run has not made."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandera.pandas
    import pandera.pyspark

    from data_platform.frame.report import FrameReport
    from data_platform.policies import Dataset

Frame = TypeVar("Frame")


class RulesNotCheckedWarning(UserWarning):
    """A frame was accepted although some rules of its contract were not checked; the message names them."""


@dataclass(frozen=True)
class DatasetContract:
    """Judges frames whose rows are those of ``dataset``, with its columns in their declared types.

    A frame is refused if a row breaks a rule of ``contract_lite`` or ``contract`` that does not only warn, whatever
    ``min_compliance`` says. ``references`` maps the URNs of other datasets to Spark frames of their rows; without them
    references are not checked.
    """

    dataset: Dataset

    @property
    def urn(self) -> str:
        return self.dataset.urn

    def validate(self, frame: Frame, *, references: Mapping[str, Any] | None = None) -> Frame:
        """Returns ``frame`` if its rows keep the contract; warns about rules that were not checked.

        Raises:
            ContractError: With the number of rows that break each rule, and no value of theirs.
            UsageError: ``frame`` is no frame of pandas or Spark.
        """
        report = self.check(frame, references=references)
        report.require_passed()
        if report.not_checked:
            rules = "; ".join(f"{rule} ({reason})" for rule, reason in report.not_checked.items())
            warnings.warn(f"{self.urn}: not checked: {rules}", RulesNotCheckedWarning, stacklevel=2)
        return frame

    def check(self, frame: Any, *, references: Mapping[str, Any] | None = None) -> FrameReport:
        """The rows that break each rule, as a value; it raises only if ``frame`` is no frame of pandas or Spark."""
        if is_pandas(frame):
            from data_platform.frame import pandas_frame

            self._refuse_references(references)
            return pandas_frame.check(self.dataset, frame)
        from data_platform.frame.spark_frame import SparkFrame

        return SparkFrame(self.dataset, require_spark(frame), references or {}).check()

    def violations(self, frame: Any, *, references: Mapping[str, Any] | None = None) -> Any:
        """``frame`` with a column ``_violations``: the signatures of the rules that each row breaks, as in quarantine.

        Raises:
            ContractError: The columns are not those of the contract, or a rule cannot be judged.
        """
        if is_pandas(frame):
            from data_platform.frame import pandas_frame

            self._refuse_references(references)
            return pandas_frame.violations(self.dataset, frame)
        from data_platform.frame.spark_frame import SparkFrame

        return SparkFrame(self.dataset, require_spark(frame), references or {}).violations()

    def pandas(self) -> pandera.pandas.DataFrameSchema:
        """The contract as a schema of pandera. ``metadata["not_checked"]`` names the rules that it does not have.

        The messages of pandera quote values of the frame; those of ``validate`` do not.
        """
        from data_platform.frame.pandas_rule import pandas_rules
        from data_platform.frame.pandas_schema import pandas_schema

        return pandas_schema(self.dataset, pandas_rules(self.dataset))

    def pyspark(self) -> pandera.pyspark.DataFrameSchema:
        """Columns, types and enums as a schema of pandera, for tools that read one; needs an open Spark session.

        Use ``validate`` to judge a frame: pandera's own does not raise for Spark.
        """
        from data_platform.frame.pyspark_schema import pyspark_schema

        return pyspark_schema(self.dataset)

    def _refuse_references(self, references: Mapping[str, Any] | None) -> None:
        if references:
            raise UsageError(f"{self.urn}: a pandas frame is not compared with other datasets; use a Spark frame")


def is_pandas(frame: Any) -> bool:
    pandas = sys.modules.get("pandas")  # a pandas frame exists only if pandas was imported
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def require_spark(frame: Any) -> Any:
    if "pyspark.sql" in sys.modules:
        from pyspark.sql import DataFrame

        if isinstance(frame, DataFrame):
            return frame
    raise UsageError(f"expected a frame of pandas or Spark, found {type(frame).__name__}")
