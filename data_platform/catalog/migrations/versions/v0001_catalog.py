"""The first catalog: datasets, leases, intents, runs with their verdicts, evidence, certifications, quarantine."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_VERSION_FITS = "(status = 'UNCERTIFIED' AND version IS NULL) OR (status <> 'UNCERTIFIED' AND version IS NOT NULL)"


def upgrade() -> None:
    _create_dataset()
    _create_lease_and_intent()
    _create_schema()
    _create_run()
    _create_verdict()
    _create_evidence()
    _create_certification()
    _create_quarantine()


def _row_id() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _key() -> sa.Column[int]:
    return sa.Column("id", _row_id(), primary_key=True)


def _text(name: str, *, nullable: bool = False, primary_key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable, primary_key=primary_key)


def _whole(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _position(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), primary_key=True, autoincrement=False)


def _of_run(constraint: str, *, primary_key: bool = True) -> sa.Column[int]:
    parent = sa.ForeignKey("run.id", name=constraint)
    return sa.Column("run", _row_id(), parent, primary_key=primary_key, nullable=False, autoincrement=False)


def _create_dataset() -> None:
    op.create_table(
        "dataset",
        _text("urn", primary_key=True),
        *(_text(name) for name in ("table_name", "owner_team", "tier", "description", "policy_fingerprint")),
        _time("created_at"),
        _time("updated_at"),
    )


def _create_lease_and_intent() -> None:
    op.create_table(
        "lease", _text("dataset_urn", primary_key=True), _text("holder"), _time("taken_at"), _time("expires_at")
    )
    op.create_table(
        "intent",
        _key(),
        _text("run_id"),
        _text("dataset_urn"),
        _text("stage"),
        _text("partition", nullable=True),
        _text("path"),
        _whole("before", nullable=True),
        _text("note"),
        _time("opened_at"),
        _text("outcome", nullable=True),
        _time("closed_at", nullable=True),
        sa.CheckConstraint(
            "(outcome IS NULL AND closed_at IS NULL) OR (outcome IS NOT NULL AND closed_at IS NOT NULL)",
            name="intent_closed",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("intent_by_run", "intent", ["run_id", "stage"])
    op.create_index("intent_by_closed", "intent", ["closed_at", "dataset_urn"])


def _create_schema() -> None:
    op.create_table("table_schema", _text("fingerprint", primary_key=True), _time("first_seen_at"))
    op.create_table(
        "schema_column",
        sa.Column(
            "fingerprint",
            sa.Text(),
            sa.ForeignKey("table_schema.fingerprint", name="column_of_schema"),
            primary_key=True,
        ),
        _position("position"),
        _text("name"),
        _text("type"),
        sa.Column("nullable", sa.Boolean(), nullable=False),
    )


def _create_run() -> None:
    op.create_table(
        "run",
        _key(),
        _text("run_id"),
        _text("dataset_urn"),
        _text("stage"),
        _text("partition", nullable=True),
        _text("outcome"),
        _text("path"),
        _whole("version", nullable=True),
        *(_whole(f"rows_{fate}") for fate in ("read", "accepted", "quarantined", "dropped")),
        _time("started_at"),
        _time("finished_at"),
        _text("reason"),
        _text("signatures"),
        _text("quarantine_table", nullable=True),
        _text("quarantine_path", nullable=True),
        _text("delivery_id"),
        _text("policy_fingerprint"),
        sa.Column("schema_fingerprint", sa.Text(), sa.ForeignKey("table_schema.fingerprint", name="schema_of_run")),
        _text("input_versions"),
        _text("metadata"),
        _text("digest"),
        sa.UniqueConstraint("run_id", "dataset_urn", "stage", name="run_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("run_by_slice", "run", ["dataset_urn", "stage", "partition", "id"])
    op.create_index("run_by_version", "run", ["dataset_urn", "stage", "version"])


def _create_verdict() -> None:
    op.create_table(
        "verdict",
        _of_run("verdict_of_run"),
        _position("position"),
        _text("gate"),
        _text("outcome"),
        sa.Column("compliance", sa.Float()),
        _text("reason"),
        _text("metadata"),
    )
    op.create_table(
        "rule_result",
        _of_run("rule_result_of_run"),
        _position("verdict"),
        _position("position"),
        _text("rule"),
        _text("signature"),
        _text("outcome"),
        _text("severity"),
        _whole("row_count", nullable=True),
        _text("reason"),
    )


def _create_evidence() -> None:
    op.create_table(
        "evidence",
        _key(),
        _text("dataset_urn"),
        _text("run_id"),
        _text("gate"),
        _text("result"),
        _text("failure_signature", nullable=True),
        _text("quarantine_table", nullable=True),
        _text("certified_view_status"),
        _text("previous_certified_version", nullable=True),
        _time("timestamp"),
        _text("stage"),
        _text("partition", nullable=True),
        sa.CheckConstraint("result IN ('PASS', 'FAIL', 'CERTIFIED', 'HELD_AT_PREVIOUS')", name="evidence_result"),
        sa.CheckConstraint(
            "certified_view_status IN ('CERTIFIED', 'HELD_AT_PREVIOUS', 'UNCERTIFIED')", name="evidence_view_status"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("evidence_by_dataset", "evidence", ["dataset_urn", "id"])
    op.create_index("evidence_by_run", "evidence", ["run_id", "id"])


def _create_certification() -> None:
    def rest() -> list[sa.Column[Any]]:
        return [
            _text("status"),
            _whole("version", nullable=True),
            _text("path"),
            _time("certified_at", nullable=True),
            _text("run_id"),
            _text("partition", nullable=True),
            _text("schema_fingerprint"),
            _text("policy_fingerprint"),
            _text("reason"),
            _time("changed_at"),
        ]

    op.create_table(
        "certification",
        _text("dataset_urn", primary_key=True),
        *rest(),
        sa.CheckConstraint(_VERSION_FITS, name="certification_version"),
    )
    op.create_table(
        "certification_history",
        _key(),
        _text("dataset_urn"),
        *rest(),
        sa.CheckConstraint(_VERSION_FITS, name="certification_history_version"),
        sqlite_autoincrement=True,
    )
    op.create_index("certification_history_by_dataset", "certification_history", ["dataset_urn", "id"])


def _create_quarantine() -> None:
    op.create_table(
        "quarantine",
        _key(),
        _text("name"),
        _of_run("quarantine_of_run", primary_key=False),
        _text("path"),
        _text("dataset_urn"),
        _text("stage"),
        _text("partition", nullable=True),
        _text("run_id"),
        _text("level"),
        _whole("row_count"),
        _whole("resolved_rows"),
        _text("signatures"),
        _text("delivery_id"),
        _time("created_at"),
        _text("status"),
        _text("closed_by", nullable=True),
        _time("closed_at", nullable=True),
        sa.UniqueConstraint("name", name="quarantine_name"),
        sa.CheckConstraint("level IN ('row', 'batch')", name="quarantine_level"),
        sa.CheckConstraint("resolved_rows BETWEEN 0 AND row_count", name="quarantine_resolved"),
        sqlite_autoincrement=True,
    )
    op.create_index("quarantine_by_slice", "quarantine", ["dataset_urn", "stage", "partition", "status"])
