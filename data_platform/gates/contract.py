"""G4_CONTRACT: do the rows keep what their contract promises?

On silver the *lite* contract rejects rows one by one; on gold the *full* contract judges the whole candidate. Rules on
single rows are evaluated in the stage's one write (``contract_plan``). Two promises cannot be: uniqueness and
references compare rows with other rows, and cost one more query. Their signatures are NOT_UNIQUE and UNKNOWN_REFERENCE.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.errors import NotCertifiedError, PolicyError, UnreadableVersionError
from data_platform.gates.batch import GoldBatch, SilverBatch
from data_platform.gates.expression import control_total, relation
from data_platform.gates.expression.contract_plan import plan
from data_platform.gates.expression.relation import Target
from data_platform.gates.plan import GatePlan
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.batch import Batch
    from data_platform.gates.expression.contract_plan import ContractPlan
    from data_platform.gates.expression.relation import Related
    from data_platform.gates.plan import Measured
    from data_platform.model.contract import Reference, Unique


def planned(batch: Batch) -> GatePlan:
    """Raises: PolicyError, if a rule is invalid for any rows."""
    match batch:
        case SilverBatch():
            return SilverContract(batch)
        case GoldBatch():
            return GoldContract(batch)
    raise AssertionError("bronze has no contract")


class SilverContract(GatePlan):
    """The lite contract. It also reports the rows that have no value of their type, or are of another day."""

    gate = Gate.G4_CONTRACT

    def __init__(self, batch: SilverBatch) -> None:
        self._batch, bundle = batch, batch.bundle
        personal = list(batch.personal.remediated)
        self.own = plan(
            batch.rows, bundle.contract_lite, bundle.schema_, batch.now, stand_in=batch.stand_in, personal=personal
        )
        self._all = self.own.with_rejects(batch.flags, batch.reasons)

    @property
    def rejects(self) -> Mapping[str, Column]:
        return self._all.rejects

    @property
    def flags(self) -> Mapping[str, Column]:
        return {**self.own.blocks, **self.own.warns}

    @property
    def details(self) -> Mapping[str, Column]:
        return self.own.details

    @property
    def severities(self) -> Mapping[str, Severity]:
        return self._all.severities

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        text, promised = self._batch.text, self._batch.promised.items()
        return {
            **{("total", name): control_total.total(text.get(name, name), of) for name, of in promised},
            **{("kept", name): control_total.total(name, of, kept) for name, of in promised},
            **_counted(self.flags),
        }

    def judge(self, measured: Measured) -> Verdict:
        verdict = judge(
            self._all,
            read=measured.read,
            kept=measured.accepted,
            broken={**measured.broken, **_measures_of(measured, "broken")},
            min_compliance=self._batch.bundle.contract_lite.min_compliance,
        )
        promised = self._batch.promised
        verdict = control_total.judged(verdict, _measures_of(measured, "total"), promised)
        return control_total.with_kept(verdict, _measures_of(measured, "kept"), promised)


class GoldContract(GatePlan):
    """The full contract. No row is rejected here: a broken rule holds the batch."""

    gate = Gate.G4_CONTRACT

    def __init__(self, batch: GoldBatch) -> None:
        self._batch, bundle = batch, batch.bundle
        self.own = plan(batch.rows, bundle.contract, bundle.schema_, batch.now)

    @property
    def flags(self) -> Mapping[str, Column]:
        return self.own.all

    @property
    def severities(self) -> Mapping[str, Severity]:
        return self.own.severities

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        from pyspark.sql import functions as F

        holding = [flag for signature, flag in self.flags.items() if signature not in self.own.warns]
        return {
            **{("total", name): control_total.total(name, of) for name, of in self._batch.promised.items()},
            "breaking": F.count_if(kept & reduce(lambda a, b: a | b, holding, F.lit(False))),
            **_counted({signature: kept & flag for signature, flag in self.flags.items()}),
        }

    def judge(self, measured: Measured) -> Verdict:
        verdict = judge(
            self.own,
            read=measured.read,
            kept=measured.read - measured.measures["breaking"],
            broken=_measures_of(measured, "broken"),
            min_compliance=self._batch.bundle.contract.min_compliance,
        )
        verdict = control_total.judged(verdict, _measures_of(measured, "total"), self._batch.promised)
        return with_relations(verdict, self._relations(measured.written))

    def _relations(self, written: DataFrame) -> dict[str, Related | str]:
        """Maps each signature to the rows that break it, or to the reason why it could not be checked."""
        full = self._batch.bundle.contract
        targets = {reference_signature(reference): self._target(reference) for reference in full.references}
        readable = {signature: target for signature, target in targets.items() if isinstance(target, Target)}
        surplus, missing = relation.related(written, full.unique, list(readable.values()))
        uniques = dict(zip(map(unique_signature, full.unique), surplus, strict=True))
        answers = dict(zip(readable, missing, strict=True))
        references = {name: target if isinstance(target, str) else answers[name] for name, target in targets.items()}
        return {**uniques, **references}

    def _target(self, reference: Reference) -> Target | str:
        """The rows that are referred to, or the reason why they cannot be read."""
        try:
            rows, version = self._batch.referenced(reference)
        except (NotCertifiedError, PolicyError, UnreadableVersionError) as error:
            return str(error)
        return Target(reference, rows, version)


def _counted(flags: Mapping[str, Column]) -> dict[Hashable, Column]:
    from pyspark.sql import functions as F

    return {("broken", signature): F.count_if(flag) for signature, flag in flags.items()}


def _measures_of(measured: Measured, kind: str) -> dict[str, Any]:
    return {n[1]: value for n, value in measured.measures.items() if isinstance(n, tuple) and n[0] == kind}


def judge(
    planned: ContractPlan,
    *,
    read: int,
    kept: int,
    broken: Mapping[str, int],
    min_compliance: float,
) -> Verdict:
    """``broken`` maps signatures to rows; details are signatures of their own.

    The gate passes if the share of rows kept is at least ``min_compliance``, no blocking rule is broken, and every rule
    could be checked; else the share is unknown. Quarantined rows are reported in any case.
    """
    compliance = kept / read if read else None
    enough = compliance is None or compliance >= min_compliance
    results = [RuleResult.errored(signature, reason) for signature, reason in planned.errors.items()]
    for signature, severity in planned.severities.items():
        if signature not in planned.errors:
            results += _results(signature, severity, broken, planned.reasons.get(signature, ""))
    blocked = any(r.outcome is Outcome.FAILED and r.severity is Severity.BLOCK for r in results)
    outcome = Outcome.ERRORED if planned.errors else Outcome.FAILED if blocked or not enough else Outcome.PASSED
    return Verdict(
        gate=Gate.G4_CONTRACT,
        outcome=outcome,
        results=tuple(results),
        compliance=None if planned.errors else compliance,
        reason="" if enough or compliance is None else _too_few(compliance, min_compliance),
        metadata={"rows_read": read, "rows_kept": kept, "min_compliance": min_compliance},
    )


def with_relations(before: Verdict, relations: Mapping[str, Related | str]) -> Verdict:
    """``before`` with uniqueness and references: ``relations`` maps signatures to rows or to a reason.

    Its compliance includes them. It is None if it is unknown: a relation could not be checked, or several rules are
    broken, perhaps by the same rows.
    """
    results = list(before.results)
    outcome = before.outcome
    for signature, answer in relations.items():
        if isinstance(answer, str):
            results.append(RuleResult.errored(signature, answer))
            outcome = Outcome.ERRORED
            continue
        results.append(replace(RuleResult.counted(signature, answer.rows, Severity.BLOCK), reason=answer.reason))
        if answer.rows and outcome is Outcome.PASSED:
            outcome = Outcome.FAILED
    kept = _kept(before, [answer if isinstance(answer, str) else answer.rows for answer in relations.values()])
    return replace(
        before,
        outcome=outcome,
        results=tuple(results),
        compliance=None if kept is None or before.compliance is None else kept / before.metadata["rows_read"],
        metadata={**before.metadata, "rows_kept": kept},
    )


def _kept(before: Verdict, answers: Collection[int | str]) -> int | None:
    """Rows that keep every rule and relation."""
    read, kept = before.metadata["rows_read"], before.metadata["rows_kept"]
    broken = [answer for answer in answers if answer]
    if not broken:
        return int(kept)
    one = broken[0]
    return read - one if len(broken) == 1 and kept == read and isinstance(one, int) else None


def unique_signature(unique: Unique) -> str:
    return f"NOT_UNIQUE:{','.join(unique.fields)}"


def reference_signature(reference: Reference) -> str:
    return f"UNKNOWN_REFERENCE:{','.join(reference.fields)}:{reference.dataset}"


def _results(signature: str, severity: Severity, broken: Mapping[str, int], reason: str) -> list[RuleResult]:
    broken_rows = {s: n for s, n in broken.items() if n and (s == signature or s.startswith(signature + ":"))}
    if not broken_rows:
        return [RuleResult.counted(signature, 0, severity)]
    return [replace(RuleResult.counted(s, n, severity), reason=reason) for s, n in broken_rows.items()]


def _too_few(compliance: float, wanted: float) -> str:
    return f"{compliance:.1%} of the rows keep every rule, and the contract wants {wanted:.1%}"
