"""Custom properties of the vendor ``data-platform``: the parts of a policy for which the standard has no words."""

from __future__ import annotations

from typing import Any

VENDOR = "data-platform"

BUNDLE = "policyBundle"
"""Of a table: the parts of its bundle that are nowhere else in the contract."""
REQUIRED_IN = "requiredIn"
"""Of a column: the contracts of the bundle that list it under ``required_fields``."""
UNKNOWN_CODES = "unknownCodes"
LEARNED_ENUM = "learnedEnum"
"""Of a column: the values that the baseline has, which are its ``enum`` though the policy declares none."""
PATTERN = "pattern"
"""Of a column: the pattern as the policy has it, for the whole value."""
ADDED = "addedByPlatform"
"""Of a column: the platform adds it to the rows, so the policy does not declare it."""
INVARIANT = "invariant"
"""Of a check: the rule, and the contract of the bundle that has it."""
METRIC = "metric"
MIN_ROWS = "minRows"
UNIQUE = "unique"
REFERENCE = "reference"


def custom(name: str, value: Any) -> dict[str, Any]:
    return {"property": name, "value": value, "vendor": VENDOR}


def own_value(element: dict[str, Any], name: str) -> Any:
    """The value of our custom property ``name`` of an element of a contract; None if it has none."""
    listed = element.get("customProperties")
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and item.get("vendor") == VENDOR and item.get("property") == name:
            return item.get("value")
    return None


def own_mapping(element: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Like ``own_value``, but None unless the value is a mapping."""
    value = own_value(element, name)
    return value if isinstance(value, dict) else None
