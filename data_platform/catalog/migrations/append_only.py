"""Triggers that refuse to change or delete what is on record. Migrations share them; what they make never changes."""

from __future__ import annotations

from alembic import op


def refuse_changes(table: str, *, key: str = "id") -> None:
    if op.get_bind().dialect.name == "sqlite":
        _refuse_on_sqlite(table, key)
    else:
        _refuse_on_postgresql(table)


def _refuse_on_sqlite(table: str, key: str) -> None:
    refusal = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    for change in ("UPDATE", "DELETE"):
        op.execute(f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {refusal}")
    # INSERT OR REPLACE deletes a row without the trigger above being asked.
    known = f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"  # noqa: S608 - the names are above
    op.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {known} {refusal}")


def _refuse_on_postgresql(table: str) -> None:
    function = f"{table}_append_only()"
    op.execute(
        f"CREATE FUNCTION {function} RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    for name, change, each in (("change", "UPDATE OR DELETE", "ROW"), ("truncate", "TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER {table}_no_{name} BEFORE {change} ON {table} FOR EACH {each} EXECUTE FUNCTION {function}"
        )
