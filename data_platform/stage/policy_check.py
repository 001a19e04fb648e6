"""Checks all policies with Spark: each dataset's rules and process, in the zone in which a run computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.stage.process_check import process_findings
from data_platform.stage.rule_check import dataset_findings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pyspark.sql import SparkSession

    from data_platform.policies import Dataset, Policies
    from data_platform.policies.problem import Finding


def findings_of(session: SparkSession, policies: Policies, now: datetime) -> Iterator[tuple[Dataset, list[Finding]]]:
    """Yields each dataset with the problems that Spark has with its policy and process. ``session`` is not changed."""
    zones: dict[str, SparkSession] = {}
    for dataset in policies.datasets:
        zone = dataset.policy.zone
        if zone not in zones:
            zones[zone] = _in_zone(session, zone)
        findings = dataset_findings(zones[zone], policies, dataset, now)
        if dataset.process is not None:
            findings += process_findings(_in_zone(session, zone), policies, dataset, now)
        yield dataset, findings


def _in_zone(session: SparkSession, zone: str) -> SparkSession:
    own = session.newSession()
    own.conf.set("spark.sql.session.timeZone", zone)
    return own
