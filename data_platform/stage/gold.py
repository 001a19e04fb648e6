"""Gold: the candidate that consumers would see, judged as a whole by the full contract.

No single row is quarantined here: one broken promise holds the batch, and gold is rolled back; unless people released
the rows that break it, or the batch.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from data_platform.errors import NotCertifiedError, PolicyError, UnreadableVersionError
from data_platform.gates import contract
from data_platform.gates.batch import GoldBatch
from data_platform.gates.expression import relation
from data_platform.gates.expression.split import split
from data_platform.gates.registry import plans_of
from data_platform.lake.partition import Slice
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Severity
from data_platform.stage import control_total, decision
from data_platform.stage.candidate import Attempt, Candidate, QuarantinePlan, RowRules
from data_platform.stage.day import session_of
from data_platform.stage.group import passed_version
from data_platform.stage.prerequisite import carried_over, require_current, require_in_place, version_of
from data_platform.stage.redaction import protector
from data_platform.stage.table_read import READER, missing_tables, rows_at, slice_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from data_platform.gates.plan import GatePlans
    from data_platform.installation import Platform
    from data_platform.model.contract import Reference
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset


def prepare(platform: Platform, dataset: Dataset, partition: PartitionKey | None, run_id: str) -> Candidate:
    """Raises: UsageError, if silver of this partition did not pass; PolicyError, if gold moved without its data."""
    from pyspark.sql import functions as F

    require_in_place(platform, dataset)
    attempt = Attempt(dataset, Stage.GOLD, partition, run_id, platform.now())
    silver = require_current(platform, dataset, Stage.SILVER, partition)
    version = version_of(silver)
    key = dataset.policy.partition.key if dataset.policy.partition and partition else None
    table = platform.table(dataset, Stage.SILVER, session_of(platform, dataset))
    only = Slice(key, partition) if key and partition else None
    rows = slice_of(table, dataset, Stage.SILVER, version, run_id, only)
    before = decision.released_by(silver)
    decisions = decision.find(platform, dataset, Stage.GOLD, partition, silver.delivery_id, before)
    gates = plans(platform, attempt, rows, decisions.allowed)
    protect = protector(platform, dataset)
    return Candidate(
        attempt=attempt,
        gates=gates,
        split=split(rows, {}, measures=gates.measures(F.lit(True))),
        quarantine=QuarantinePlan(
            protect=protect, batch=lambda: rows, mark=lambda written: _marked(platform, attempt, gates, written)
        ),
        rules=rules(gates, rows),
        partition_by=key,
        not_null=[c.field for c in dataset.bundle.schema_.constraints if not c.nullable],
        delivery_id=silver.delivery_id,
        input_versions={f"{dataset.urn}@silver": version, **decisions.input_version(dataset)},
        metadata=carried_over(silver),
        decisions=decisions,
        missing_inputs=lambda: missing_tables(platform, [(dataset, Stage.SILVER, version)]),
    )


def plans(
    platform: Platform, attempt: Attempt, rows: DataFrame, allowed: Mapping[str, int | None] | None = None
) -> GatePlans:
    """The plans that judge ``rows`` of this partition by the policy of the dataset; nothing is read yet.

    ``allowed`` maps rules that people let the batch break to the approved rows.
    """
    dataset = attempt.dataset
    batch = GoldBatch(
        policy=dataset.policy,
        bundle=dataset.bundle,
        rows=rows,
        now=attempt.started_at,
        before=_before(platform, dataset),
        after=schema_of(rows),
        promised=control_total.kept_by_silver(platform, dataset, attempt.partition),
        referenced=lambda reference: _referenced(platform, attempt, reference),
        domains=dataset.learned_domains,
    )
    return plans_of(dataset.gates(Stage.GOLD), batch).releasing(allowed or {})


def rules(gates: GatePlans, rows: DataFrame) -> RowRules:
    """The rules of the contract, each of which may raise on one of ``rows``."""
    contract = gates.of(Gate.G4_CONTRACT)
    return RowRules(rows=rows, flags=contract.flags, severities=contract.severities)


def _referenced(platform: Platform, attempt: Attempt, reference: Reference) -> tuple[DataFrame, int]:
    """The certified rows of a reference and their version; of a member of the same publish group those that passed.

    Raises:
        NotCertifiedError, PolicyError, UnreadableVersionError: There are none, or they cannot be read.
    """
    target = platform.policies.dataset(reference.dataset)
    passed = passed_version(platform, attempt.dataset, target, attempt.partition)
    pointer = platform.catalog.certifications.get(target.urn) if passed is not None else platform.certified(target.urn)
    require_in_place(platform, target)
    certified = pointer.version if pointer else None
    version = max(number for number in (passed, certified) if number is not None)
    return slice_of(platform.table(target, Stage.GOLD), target, Stage.CERTIFIED, version, READER, None), version


def _marked(platform: Platform, attempt: Attempt, gates: GatePlans, written: DataFrame) -> DataFrame:
    """The rows of a held batch, each with the rules that it breaks, except those that only warn."""
    full = attempt.dataset.bundle.contract
    references = {}
    for reference in full.references:
        with suppress(NotCertifiedError, PolicyError, UnreadableVersionError):
            rows, _ = _referenced(platform, attempt, reference)
            references[contract.reference_signature(reference)] = (reference, rows)
    uniques = {contract.unique_signature(unique): unique for unique in full.unique}
    severities = gates.severities
    flags = {signature: flag for signature, flag in gates.flags.items() if severities[signature] is not Severity.WARN}
    return relation.marked(written, flags, uniques, references)


def _before(platform: Platform, dataset: Dataset) -> Schema | None:
    """The columns that consumers see now: those of the certified version. The catalog stores them, readable or not."""
    pointer = platform.catalog.certifications.get(dataset.urn)
    if pointer is None or pointer.version is None:
        return None
    recorded = platform.catalog.runs.schema(pointer.schema_fingerprint)
    return recorded or schema_of(rows_at(platform, dataset, Stage.CERTIFIED, pointer.version, READER))
