"""The root cause is concluded from facts by fixed rules, and there is none without evidence."""

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.cause_fact import CauseFacts, MarkerFact
from data_platform.model.dataset import Stage
from data_platform.model.lineage import RunState
from data_platform.model.root_cause import CauseKind, EvidenceKind, RootCause, Strength
from data_platform.model.run_identity import parent_of
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.model.verdict import Outcome
from data_platform.signals.root_cause import explain
from data_platform_tests.signals.root_cause.story import (
    DAY,
    GRACE_END,
    RATES,
    RETYPED,
    RISK,
    TRADES,
    WIDER,
    before,
    began,
    crashed,
    deployed,
    facts,
    finding,
    held,
    incident,
    late,
    run,
)

NEGATIVE = "INVARIANT:total:positive"


@dataclass(frozen=True)
class Story:
    """What is found, what happened, and where the cause is; None if there is none."""

    found: Finding
    facts: CauseFacts
    cause: CauseKind | None
    at: str = ""


def upstream_was_good(*more: Any, **changes: Any) -> CauseFacts:
    """Rates and trades of the day are there; ``more`` is what happened to risk."""
    return facts(run(RATES), run(TRADES), *more, **changes)


def risk_failed(**changes: Any) -> CauseFacts:
    return upstream_was_good(held(RISK, Stage.GOLD, NEGATIVE), **changes)


STORIES = {
    "nothing has started": Story(late(RATES, "JOB_NOT_TRIGGERED"), facts(), CauseKind.JOB_NOT_TRIGGERED, RATES),
    "the first dataset upstream has not started": Story(
        late(RISK, "UPSTREAM_LATE", TRADES, RATES), facts(), CauseKind.JOB_NOT_TRIGGERED, RATES
    ),
    "lineage leads further than the policies": Story(
        late(RISK, "JOB_NOT_TRIGGERED"), facts(), CauseKind.JOB_NOT_TRIGGERED, RATES
    ),
    "the marker never came": Story(
        late(RATES, "JOB_NOT_TRIGGERED"),
        facts(markers=(MarkerFact(dataset=RATES, partition=DAY, waits_for="_SUCCESS"),)),
        CauseKind.NOT_DELIVERED,
        RATES,
    ),
    "the folder was empty": Story(
        finding(RATES, "NO_FILES:*.csv"),
        facts(held(RATES, Stage.BRONZE, "NO_FILES:*.csv")),
        CauseKind.NOT_DELIVERED,
        RATES,
    ),
    "the job failed": Story(
        late(RISK, "UPSTREAM_LATE", TRADES), facts(run(RATES), jobs=(crashed(TRADES),)), CauseKind.JOB_FAILED, TRADES
    ),
    "the process is gone": Story(
        late(TRADES, "JOB_FAILED"),
        facts(run(RATES), jobs=(crashed(TRADES, state=RunState.RUNNING, ended_at=None, is_dead=True),)),
        CauseKind.JOB_FAILED,
        TRADES,
    ),
    "the job is slow": Story(
        late(TRADES, "JOB_RUNNING_SLOW"),
        facts(run(RATES), jobs=(crashed(TRADES, state=RunState.RUNNING, ended_at=None),)),
        CauseKind.JOB_RUNNING_SLOW,
        TRADES,
    ),
    "it stopped after silver": Story(
        late(TRADES, "PARTIAL_WRITE"),
        facts(run(RATES), run(TRADES, until=Stage.SILVER)),
        CauseKind.PARTIAL_WRITE,
        TRADES,
    ),
    "it was certified without a part": Story(
        replace(late(TRADES, "PARTIAL_WRITE"), details={"without": ["APAC"]}),
        facts(run(RATES), run(TRADES)),
        CauseKind.PARTIAL_WRITE,
        TRADES,
    ),
    "the run wrote the day before": Story(
        late(RATES, "JOB_NOT_TRIGGERED"),
        facts(run(RATES, DAY.previous, run_id="run_again", started_at=began(RATES))),
        CauseKind.WRONG_DAY,
        RATES,
    ),
    "a file was cut off": Story(
        finding(RATES, "RECORD_COUNT:900≠1000"),
        facts(held(RATES, Stage.BRONZE, "RECORD_COUNT:900≠1000")),
        CauseKind.TRUNCATED_DELIVERY,
        RATES,
    ),
    "few rows came, and the totals downstream fail": Story(
        finding(RISK, "VOLUME_ANOMALY", kind=SignalKind.VOLUME),
        facts(run(RATES, rows_read=300), run(TRADES, rows_read=300), held(RISK, Stage.SILVER, "VOLUME_ANOMALY")),
        CauseKind.TRUNCATED_DELIVERY,
        RATES,
    ),
    "the delivery of yesterday came again": Story(
        finding(TRADES, "NOT_UNIQUE:id"),
        facts(run(RATES, delivery=f"content of {DAY.previous}"), held(TRADES, Stage.SILVER, "NOT_UNIQUE:id")),
        CauseKind.DUPLICATE_DELIVERY,
        RATES,
    ),
    "a column was retyped two datasets upstream": Story(
        finding(RISK, NEGATIVE),
        facts(run(RATES, schema=RETYPED.fingerprint), run(TRADES), held(RISK, Stage.GOLD, NEGATIVE)),
        CauseKind.SCHEMA_CHANGE,
        RATES,
    ),
    "a retyped column let the job fail": Story(
        late(RISK, "JOB_FAILED"),
        facts(run(RATES, schema=RETYPED.fingerprint), run(TRADES), jobs=(crashed(RISK),)),
        CauseKind.SCHEMA_CHANGE,
        RATES,
    ),
    "the schema gate held the delivery": Story(
        finding(RATES, "SCHEMA_BREAK:price:DECIMAL→STRING", kind=SignalKind.SCHEMA_DRIFT),
        facts(held(RATES, Stage.BRONZE, "SCHEMA_BREAK:price:DECIMAL→STRING", schema="")),
        CauseKind.SCHEMA_CHANGE,
        RATES,
    ),
    "a new value was a warning upstream": Story(
        finding(RISK, NEGATIVE),
        facts(run(RATES, signatures=("UNKNOWN_ENUM:price",)), run(TRADES), held(RISK, Stage.GOLD, NEGATIVE)),
        CauseKind.NEW_VALUE,
        RATES,
    ),
    "personal values came": Story(
        finding(RATES, "PII_UNDECLARED:EMAIL:note", kind=SignalKind.PERSONAL_DATA),
        facts(held(RATES, Stage.SILVER, "PII_UNDECLARED:EMAIL:note")),
        CauseKind.PERSONAL_DATA,
        RATES,
    ),
    "a gate raised": Story(
        finding(TRADES, "GATE_RAISED:DQ"),
        facts(run(RATES), held(TRADES, Stage.SILVER, outcome=Outcome.ERRORED, errored=("DQ",))),
        CauseKind.GATE_ERROR,
        TRADES,
    ),
    "the code of the failing job was deployed": Story(
        finding(RISK, NEGATIVE),
        risk_failed(deployments=(deployed(f"JOBS/{RISK}", before(RISK, hours=2)),)),
        CauseKind.DEPLOYMENT,
        RISK,
    ),
    "the code of a dataset upstream was deployed": Story(
        finding(RISK, NEGATIVE),
        risk_failed(deployments=(deployed(TRADES, before(TRADES, hours=2)),)),
        CauseKind.DEPLOYMENT,
        TRADES,
    ),
    "the job failed after a deployment": Story(
        late(TRADES, "JOB_FAILED"),
        facts(run(RATES), jobs=(crashed(TRADES),), deployments=(deployed("JOBS", before(TRADES, hours=2)),)),
        CauseKind.DEPLOYMENT,
        TRADES,
    ),
    "the policy was edited": Story(
        finding(RISK, NEGATIVE),
        upstream_was_good(held(RISK, Stage.GOLD, NEGATIVE, judged_under="policy 2")),
        CauseKind.POLICY_EDIT,
        RISK,
    ),
    "rows of the delivery are broken": Story(
        finding(RATES, "FORMAT:id"), facts(held(RATES, Stage.SILVER, "FORMAT:id")), CauseKind.BROKEN_ROWS, RATES
    ),
    "a held slice is late too": Story(
        late(RISK, "UPSTREAM_LATE", TRADES, RATES),
        facts(held(RATES, Stage.SILVER, "FORMAT:id")),
        CauseKind.BROKEN_ROWS,
        RATES,
    ),
    "derived rows fail, and nothing has changed": Story(finding(RISK, NEGATIVE), risk_failed(), None),
    "a warning of the row count, and nothing else": Story(
        finding(RATES, "VOLUME_ANOMALY", kind=SignalKind.VOLUME, severity=SignalSeverity.WARNING),
        facts(run(RATES, rows_read=720, signatures=("VOLUME_ANOMALY",))),
        None,
    ),
    "a warning about nulls is no broken batch": Story(
        finding(RATES, "NULL_RATE_DRIFT:price", severity=SignalSeverity.WARNING),
        facts(run(RATES, signatures=("NULL_RATE_DRIFT:price",))),
        None,
    ),
    "no run is known": Story(finding(RISK, NEGATIVE), CauseFacts(), None),
}


def explained(story: Story) -> RootCause:
    return explain(replace(story.facts, findings=(story.found,)), incident(story.found))


@pytest.mark.parametrize("story", [pytest.param(story, id=name) for name, story in STORIES.items()])
def test_the_cause_is_what_the_facts_show(story: Story) -> None:
    result = explained(story)

    cause = result.cause
    assert (cause and cause.kind, cause.dataset if cause else "") == (story.cause, story.at)
    assert bool(result.remedy) is (story.cause is not None)
    assert result.summary.startswith(story.cause or "no cause in evidence")


@given(st.sampled_from(sorted(STORIES)), st.randoms(use_true_random=False))
def test_the_answer_depends_on_no_order_and_on_no_repetition(name: str, chance: random.Random) -> None:
    story = STORIES[name]

    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        repeated = [*items, *(item for item in items if chance.random() < 0.3)]
        chance.shuffle(repeated)
        return tuple(repeated)

    parts = ("stages", "jobs", "markers", "deployments", "derivations")
    mixed: dict[str, Any] = {part: shuffled(getattr(story.facts, part)) for part in parts}
    inputs = dict(sorted(story.facts.inputs.items(), key=lambda _: chance.random()))

    assert explained(replace(story, facts=replace(story.facts, **mixed, inputs=inputs))) == explained(story)


def test_the_chain_leads_from_the_incident_to_the_cause() -> None:
    result = explained(STORIES["a column was retyped two datasets upstream"])

    kinds = [step.kind for step in result.evidence]
    names = [step.name for step in result.evidence if step.kind is EvidenceKind.DATASET]
    runs = [step.name for step in result.evidence if step.kind in (EvidenceKind.RUN, EvidenceKind.DAG_RUN)]
    assert (kinds[:2], kinds[-1]) == ([EvidenceKind.INCIDENT, EvidenceKind.SIGNAL], EvidenceKind.CAUSE)
    assert names == [TRADES, RATES]
    assert runs[:2] == [f"run_totals_{DAY}", parent_of(f"run_totals_{DAY}")]
    assert result.cause is not None
    assert (result.cause.run_id, result.cause.dag_run_id) == (f"run_rates_{DAY}", parent_of(f"run_rates_{DAY}"))


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        pytest.param(before(RISK, days=3), "runs after it were good", id="before good runs"),
        pytest.param(began(RISK) + timedelta(minutes=1), "it came after the run had begun", id="after the run began"),
    ],
)
def test_a_deployment_at_another_time_is_ruled_out(at: Any, reason: str) -> None:
    story = Story(finding(RISK, NEGATIVE), risk_failed(deployments=(deployed(f"JOBS/{RISK}", at),)), None)

    result = explained(story)

    assert result.cause is None
    assert [one.reason.startswith(reason) for one in result.ruled_out] == [True]


def test_a_run_that_used_other_code_rules_out_a_deployment() -> None:
    jobs = (
        crashed(TRADES, deploy_ref="old"),
        *(crashed(TRADES, run_id=f"job_{back}", partition=DAY.shifted(-back), state=RunState.COMPLETED,
                  started_at=before(TRADES, days=back), ended_at=before(TRADES, days=back), deploy_ref="old")
          for back in (1, 2)),
    )  # fmt: skip
    told = facts(run(RATES), jobs=jobs, deployments=(deployed(f"JOBS/{TRADES}", before(TRADES, hours=1)),))

    result = explained(Story(late(TRADES, "JOB_FAILED"), told, CauseKind.JOB_FAILED))

    assert result.cause is not None
    assert result.cause.kind is CauseKind.JOB_FAILED
    assert [one.reason for one in result.ruled_out] == ["the run used old"]


def test_another_code_reference_of_the_run_is_a_deployment_that_nobody_reported() -> None:
    good = crashed(
        TRADES, run_id="job_good", partition=DAY.previous, state=RunState.COMPLETED, started_at=before(TRADES, days=1),
        ended_at=before(TRADES, hours=23), deploy_ref="v1",
    )  # fmt: skip

    result = explained(
        Story(late(TRADES, "JOB_FAILED"), facts(run(RATES), jobs=(good, crashed(TRADES, deploy_ref="v2"))), None)
    )

    assert result.cause is not None
    assert (result.cause.kind, result.cause.deploy_ref) == (CauseKind.DEPLOYMENT, "v2")


def test_a_column_that_nothing_derives_from_is_ruled_out() -> None:
    told = facts(run(RATES, schema=WIDER.fingerprint), run(TRADES), held(RISK, Stage.GOLD, NEGATIVE))

    result = explained(Story(finding(RISK, NEGATIVE), told, None))

    assert result.cause is None
    assert [(one.what, one.reason) for one in result.ruled_out] == [
        ("change of note", "no failing column derives from it")
    ]


def test_without_column_lineage_a_change_upstream_is_possible_and_no_cause() -> None:
    told = risk_failed(derivations=(), deployments=(deployed(TRADES, before(TRADES, hours=1)),))

    result = explained(Story(finding(RISK, NEGATIVE), told, None))

    assert (result.cause, result.remedy) == (None, "")
    assert [(one.kind, one.strength) for one in result.others] == [(CauseKind.DEPLOYMENT, Strength.POSSIBLE)]


def test_an_edit_that_the_failed_gates_do_not_read_is_ruled_out() -> None:
    edited = held(RISK, Stage.GOLD, NEGATIVE)
    other = replace(edited[0], judged_under="policy 2")

    result = explained(Story(finding(RISK, NEGATIVE), upstream_was_good((other, *edited[1:])), None))

    assert result.cause is None
    assert [one.reason for one in result.ruled_out] == ["it changed nothing that the gates of gold read"]


def test_the_version_that_was_read_leads_to_its_own_day() -> None:
    old = run(TRADES, DAY.shifted(-3), schema=RETYPED.fingerprint, run_id="run_old", version=500)
    failed = [replace(fact, inputs=((TRADES, 500),)) for fact in held(RISK, Stage.GOLD, NEGATIVE)]

    result = explained(Story(finding(RISK, NEGATIVE), upstream_was_good(old, tuple(failed)), None))

    assert result.cause is not None
    assert (result.cause.dataset, result.cause.partition) == (TRADES, DAY.shifted(-3))


def test_a_run_that_began_after_the_grace_began_too_late() -> None:
    told = facts(run(RATES, started_at=GRACE_END + timedelta(hours=1)))

    result = explained(Story(late(RATES, "JOB_NOT_TRIGGERED"), told, None))

    assert result.cause is not None
    assert result.cause.kind is CauseKind.JOB_NOT_TRIGGERED


def test_recovery_does_not_change_the_cause() -> None:
    story = STORIES["the job failed"]
    recovered = replace(story.facts, stages=(*story.facts.stages, *run(TRADES, started_at=GRACE_END)))

    assert explained(replace(story, facts=recovered)).cause == explained(story).cause


def test_the_error_of_a_job_is_its_first_line_without_personal_values() -> None:
    failed = crashed(TRADES, error="no row for ann.smith@example.com\n  File 'load.py', line 7")

    result = explained(Story(late(TRADES, "JOB_FAILED"), facts(run(RATES), jobs=(failed,)), None))

    assert result.cause is not None
    assert "no row for" in result.cause.reason
    assert not {"ann.smith", "load.py"} & set(result.cause.reason.replace("@", " ").split())


def test_datasets_that_depend_on_each_other_end_the_walk() -> None:
    cycle = {TRADES: frozenset({RISK, TRADES}), RISK: frozenset({TRADES})}

    for found in (finding(RISK, NEGATIVE), late(RISK, "UPSTREAM_LATE", TRADES)):
        assert explained(Story(found, risk_failed(inputs=cycle), None)).incident == 7
