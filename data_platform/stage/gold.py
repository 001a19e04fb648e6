"""Gold: the candidate that consumers would see, judged as a whole by the full contract.

Nothing is set aside row by row here: one broken promise holds the batch, and gold is restored to what it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.errors import NotCertifiedError, PolicyError, UnreadableVersionError
from data_platform.gates import contract, pii, schema
from data_platform.gates.expression import relation
from data_platform.gates.expression.split import split
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage
from data_platform.stage import control_total
from data_platform.stage.candidate import Candidate, Measured
from data_platform.stage.day import session_of
from data_platform.stage.prerequisite import delivery_id, require_current, require_in_place
from data_platform.stage.redaction import protector
from data_platform.stage.table_read import READER, rows_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.installation import Platform
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class GoldPlan:
    """How rows of gold are judged: what is measured of them, and the verdicts on what was measured.

    ``flags`` tell of each row alone what it breaks, except rules that only warn.
    """

    contract: contract.ContractPlan
    flags: dict[str, Column]
    measures: dict[str, Column]
    judge: Callable[[Measured], tuple[Verdict, ...]]


def prepare(platform: Platform, dataset: Dataset, partition: date | None, run_id: str) -> Candidate:
    """Raises: UsageError, if silver of this partition did not pass; PolicyError, if gold was moved and left behind."""
    from pyspark.sql import functions as F

    require_in_place(platform, dataset)
    started, bundle = platform.now(), dataset.bundle
    version = require_current(platform, dataset, Stage.SILVER, partition)
    rows = rows_at(platform, dataset, Stage.SILVER, version, run_id, session_of(platform, dataset))
    key = dataset.policy.partition.key if dataset.policy.partition and partition else None
    if key:
        rows = rows.where(F.col(key) == F.lit(partition))
    planned = plan(platform, dataset, partition, rows, started)
    protect = protector(platform, dataset)
    return Candidate(
        dataset=dataset,
        stage=Stage.GOLD,
        partition=partition,
        run_id=run_id,
        started_at=started,
        split=split(rows, {}, measures=planned.measures),
        judge=planned.judge,
        partition_by=key,
        not_null=[c.field for c in bundle.schema_.constraints if not c.nullable],
        protect=protect,
        delivery_id=delivery_id(platform, dataset, Stage.SILVER, partition),
        input_versions={f"{dataset.urn}@silver": version},
        rows=rows,
        held_rows=protect(rows),
        rules=planned.contract.all,
        severities=planned.contract.severities,
        mark=lambda written: _marked(platform, dataset, planned, written),
    )


def plan(platform: Platform, dataset: Dataset, partition: date | None, rows: DataFrame, now: datetime) -> GoldPlan:
    """How ``rows`` of this partition are judged by the policy of ``dataset``; nothing is read yet."""
    from pyspark.sql import functions as F

    bundle = dataset.bundle
    planned = contract.plan(rows, bundle.contract, bundle.schema_, now)
    asked = [flag for signature, flag in planned.all.items() if signature not in planned.warns]
    leaks = pii.leftover(rows.schema, bundle.pii)
    promised = control_total.kept_by_silver(platform, dataset, partition.isoformat() if partition else None)
    measures = {
        **{f"total:{name}": control_total.total(name) for name in promised},
        "breaking": F.count_if(reduce(lambda a, b: a | b, asked, F.lit(False))),
        **{f"rule:{s}": F.count_if(flag) for s, flag in planned.all.items()},
        **{f"pii:{s}": F.count_if(flag) for s, flag in leaks.items()},
    }
    after = schema_of(rows)
    before = _before(platform, dataset)

    def judge(measured: Measured) -> tuple[Verdict, ...]:
        counts = {n.removeprefix("rule:"): v for n, v in measured.measures.items() if n.startswith("rule:")}
        personal = {n.removeprefix("pii:"): v for n, v in measured.measures.items() if n.startswith("pii:")}
        kept = contract.judge(
            planned,
            read=measured.read,
            kept=measured.read - measured.measures["breaking"],
            broken=counts,
            min_compliance=bundle.contract.min_compliance,
        )
        kept = control_total.judged(kept, {n: measured.measures[f"total:{n}"] for n in promised}, promised)
        return (
            schema.judge_output(before, after, bundle.schema_),
            contract.with_relations(kept, _relations(platform, dataset, measured.written)),
            pii.judge_leftover(list(leaks), personal, measured.read),
        )

    return GoldPlan(planned, {**planned.rejects, **planned.blocks, **leaks}, measures, judge)


def _relations(platform: Platform, dataset: Dataset, written: DataFrame) -> dict[str, relation.Related | str]:
    full = dataset.bundle.contract
    found: dict[str, relation.Related | str] = {}
    for unique in full.unique:
        found[contract.unique_signature(unique)] = relation.duplicates(written, unique)
    for reference in full.references:
        signature = contract.reference_signature(reference)
        target = platform.policies.dataset(reference.dataset)
        try:
            pointer = platform.certified(target.urn)
            require_in_place(platform, target)
            assert pointer.version is not None  # noqa: S101
            rows = rows_at(platform, target, Stage.CERTIFIED, pointer.version, READER)
        except (NotCertifiedError, PolicyError, UnreadableVersionError) as error:
            found[signature] = str(error)
            continue
        found[signature] = relation.unreferenced(written, reference, rows, pointer.version)
    return found


def _marked(platform: Platform, dataset: Dataset, planned: GoldPlan, written: DataFrame) -> DataFrame:
    """The rows of a held batch, each with what it breaks itself; the others kept every rule that looks at rows."""
    full = dataset.bundle.contract
    references = {}
    for reference in full.references:
        target = platform.policies.dataset(reference.dataset)
        pointer = platform.catalog.certification(target.urn)
        if pointer is not None and pointer.version is not None:
            rows = rows_at(platform, target, Stage.CERTIFIED, pointer.version, READER)
            references[contract.reference_signature(reference)] = (reference, rows)
    uniques = {contract.unique_signature(unique): unique for unique in full.unique}
    return relation.marked(written, planned.flags, uniques, references)


def _before(platform: Platform, dataset: Dataset) -> Schema | None:
    """What consumers see today: the columns of the certified version. The catalog has them, readable or not."""
    pointer = platform.catalog.certification(dataset.urn)
    if pointer is None or pointer.version is None:
        return None
    recorded = platform.catalog.schema(pointer.schema_fingerprint)
    return recorded or schema_of(rows_at(platform, dataset, Stage.CERTIFIED, pointer.version, READER))
