"""The contract of a dataset as a Dagster type, for the inputs and outputs of a user's own assets.

A frame that breaks its contract fails the step before the I/O manager stores it. The result has signatures and counts;
dagster-pandera's own check would write values of the frame to Dagster's log, so only its description of the columns
is used.
"""

import warnings
from functools import cache, lru_cache
from typing import Any, Literal

import dagster as dg

import data_platform
from data_platform.errors import DataPlatformError
from data_platform.frame.contract import DatasetContract
from data_platform.orchestration.dagster_types import table_schema
from data_platform.policies import stamp_of
from data_platform.settings import read_settings


def dagster_type(contract: str | DatasetContract, *, frame: Literal["pandas", "spark"] = "pandas") -> dg.DagsterType:
    """``contract`` is the URN of a dataset, or the contract itself.

    A type of a URN judges each frame by the policy on disk at that time, and the same call returns the same type, since
    the names of types are unique in a code location. For pandas it imports pandera, about a second; for Spark nothing.

    Raises:
        UsageError: No dataset has this name.
        PolicyError: The policies are wrong.
    """
    return _type_of_urn(contract, frame) if isinstance(contract, str) else _made(contract, contract, frame)


@cache
def _type_of_urn(urn: str, frame: str) -> dg.DagsterType:
    return _made(urn, data_platform.contract(urn), frame)


def _current(urn: str) -> DatasetContract:
    return _read(urn, stamp_of(read_settings().policies))


@lru_cache(maxsize=64)
def _read(urn: str, stamp: str) -> DatasetContract:
    """The contract by the policy files of this ``stamp``, which says whether somebody edited one."""
    del stamp
    return data_platform.contract(urn)


def _made(contract: str | DatasetContract, declared: DatasetContract, frame: str) -> dg.DagsterType:
    name = f"{declared.dataset.id.identifier}__{frame}"
    return (_pandas_type if frame == "pandas" else _spark_type)(name, contract, declared)


def _pandas_type(name: str, contract: str | DatasetContract, declared: DatasetContract) -> dg.DagsterType:
    import pandas as pd
    from dagster_pandera import pandera_schema_to_dagster_type

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # the lock has the version that was tried
        made = pandera_schema_to_dagster_type(declared.pandas())
    return dg.DagsterType(
        type_check_fn=lambda _, value: _checked(contract, value, is_frame=isinstance(value, pd.DataFrame)),
        name=name,
        description=made.description,
        metadata=made.metadata,
        typing_type=pd.DataFrame,
    )


def _spark_type(name: str, contract: str | DatasetContract, declared: DatasetContract) -> dg.DagsterType:
    dataset = declared.dataset
    return dg.DagsterType(
        type_check_fn=lambda _, value: _checked(contract, value, is_frame=hasattr(value, "sparkSession")),
        name=name,
        description=dataset.policy.description or None,
        metadata={"schema": table_schema(dataset, dataset.bundle.schema_.declared)},
    )


def _checked(contract: str | DatasetContract, value: Any, *, is_frame: bool) -> dg.TypeCheck:
    if not is_frame:
        return dg.TypeCheck(success=False, description=f"expected a frame, found {type(value).__name__}")
    try:
        current = _current(contract) if isinstance(contract, str) else contract
        report = current.check(value)
    except DataPlatformError as error:
        return dg.TypeCheck(success=False, description=str(error))
    metadata = {
        "rows": dg.MetadataValue.int(report.rows),
        "broken": dg.MetadataValue.json(dict(report.broken)),
        "warned": dg.MetadataValue.json(dict(report.warned)),
        "errors": dg.MetadataValue.json(dict(report.errors)),
        "not_checked": dg.MetadataValue.json(dict(report.not_checked)),
    }
    return dg.TypeCheck(success=report.passed, description=str(report), metadata=metadata)
