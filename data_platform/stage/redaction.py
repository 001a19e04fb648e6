"""Remediates personal values in rows on their way to quarantine, where the other values stay as delivered.

Names are treated like values: an undeclared column is named by its position if its name may be a value.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING

from data_platform.gates import pii
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.pii_check import iban, luhn
from data_platform.gates.expression.token import spliced
from data_platform.lake.table import schema_of
from data_platform.model.personal import PATTERNS, shown_names
from data_platform.model.pii_policy import Pii, PiiAction, PiiKind, PiiRule
from data_platform.model.quarantine import OWN_COLUMNS, VIOLATIONS
from data_platform.stage import token_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from data_platform.installation import Platform
    from data_platform.model.key_ring import KeyVersion
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset

_RAW = "_raw"
_FILE = "_file"
_CHECKS = {"CREDIT_CARD": luhn, "IBAN": iban}
"""Of ``model.personal``'s patterns; there the same checks are Python's."""


def protector(platform: Platform, dataset: Dataset, key: KeyVersion | None = None) -> Callable[[DataFrame], DataFrame]:
    """Remediates every text by the dataset's PII rules; the raw text of a record by all of them.

    ``key`` is that of the stage's other tokens, if it makes any.
    """
    policy, declared = dataset.bundle.pii, dataset.bundle.schema_.declared
    rules = policy.detection
    if rules and key is None:
        key = token_key.current(platform, dataset)
    planned = partial(pii.plan, key=key.secret, version=key.number) if key else partial(pii.plan, key=None)

    def protect(rows: DataFrame) -> DataFrame:
        rows = _with_file_names(_readable(rows, declared))
        if not rules:
            return rows
        anywhere = tuple(_anywhere(r) for r in rules)
        named = rows.drop(_RAW, VIOLATIONS)
        as_text = _turned_to_text(named.schema, declared)
        plan = planned(named.schema, _narrowed(policy, named.schema), free_text=as_text)
        values, shown = plan.remediated, rows.columns
        rows = plan.begun_in(rows)
        if _RAW in rows.columns:
            record = Pii(detection=anywhere, kinds=policy.kinds)
            values |= planned(rows.select(_RAW).schema, record, free_text=(_RAW,)).remediated
        return rows.select(*(values[n].alias(n) if n in values else quoted(n) for n in shown))

    return protect


def _anywhere(rule: PiiRule) -> PiiRule:
    """The rule for the raw text of a record, which is kept without the value; a name's position in it is unknown."""
    if rule.pattern in (PiiKind.PERSON_NAME, PiiKind.STREET_ADDRESS) or rule.action is PiiAction.DROP:
        return PiiRule(pattern=rule.pattern, action=PiiAction.REDACT)
    return rule.model_copy(update={"fields": ()})


def shown_file(file: Column) -> Column:
    """The name of a file as ``redacted`` shows it: it may contain personal values even without PII rules."""
    from pyspark.sql import functions as F

    def replaced(text: Column, kind_and_pattern: tuple[str, str]) -> Column:
        kind, pattern = kind_and_pattern
        redacted, check = F.lit(f"[REDACTED:{kind}]"), _CHECKS.get(kind)
        if check is None:
            return F.regexp_replace(text, F.lit(pattern), redacted)
        return spliced(text, pattern, lambda match: F.when(check(match), redacted).otherwise(match))

    return reduce(replaced, PATTERNS, file)


def _with_file_names(rows: DataFrame) -> DataFrame:
    return rows.withColumn(_FILE, shown_file(quoted(_FILE))) if _FILE in rows.columns else rows


def _readable(rows: DataFrame, declared: Schema) -> DataFrame:
    """Renames columns to names that may be shown; nested columns that differ from the declared become plain text."""
    names = shown_names((name for name in rows.columns if name not in OWN_COLUMNS), declared.names)
    columns = []
    for column in schema_of(rows).columns:
        was = declared.get(column.name)
        odd = "<" in column.type and column.name not in OWN_COLUMNS and (was is None or was.type != column.type)
        value = quoted(column.name).cast("string") if odd else quoted(column.name)
        columns.append(value.alias(names.get(column.name, column.name)))
    return rows.select(*columns)


def _turned_to_text(schema: StructType, declared: Schema) -> list[str]:
    """Text columns that were declared as nested: a rule for a part of them now applies to the whole text."""
    kinds = {column.name.lower(): column.type for column in declared.columns}
    return [
        f.name for f in schema.fields if f.dataType.simpleString() == "string" and "<" in kinds.get(f.name.lower(), "")
    ]


def _narrowed(policy: Pii, schema: StructType) -> Pii:
    """The rules, limited to the fields that these rows have."""
    kept = []
    for rule in policy.detection:
        fields = tuple(dict.fromkeys(column for name in rule.fields if (column := _field(name, schema))))
        if fields or not rule.fields:
            kept.append(rule.model_copy(update={"fields": fields}))
    return Pii(detection=_once(kept), kinds=policy.kinds)


def _field(name: str, schema: StructType) -> str:
    """``contact.email`` itself, or ``contact`` if that is now a text; empty if the rows have neither."""
    texts = {field.name.lower(): field.dataType.simpleString() == "string" for field in schema.fields}
    if name.lower() in texts:
        return name
    top = next((column for column in texts if name.lower().startswith(f"{column}.")), "")
    return "" if not top else top if texts[top] else name


def _once(rules: Collection[PiiRule]) -> tuple[PiiRule, ...]:
    """Two rules of a kind may apply to parts of one column, which is now one text: the first of them counts."""
    kept: list[PiiRule] = []
    for rule in rules:
        taken = {field.lower() for before in kept if before.pattern == rule.pattern for field in before.fields}
        fields = tuple(field for field in rule.fields if field.lower() not in taken)
        if fields or not rule.fields:
            kept.append(rule.model_copy(update={"fields": fields}))
    return tuple(kept)
