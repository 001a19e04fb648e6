"""Does a file have the shape of its class? Translates pydantic's errors into messages.

Validation is strict: a number in quotes is text, and ``true`` is not a number. pydantic's lax mode would read
``min_rows: true`` as 1.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from data_platform.model.any_source import KINDS, TABLES
from data_platform.model.secret import MASK
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.policies.document import Document, Location
    from data_platform.policies.problem import Problem

Model = TypeVar("Model", bound=BaseModel)

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "date_type": "a date such as 2013-01-31",
    "date_parsing": "a date such as 2013-01-31",
    "date_from_datetime_parsing": "a date such as 2013-01-31",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "dict_type": "a mapping",
}
_SHORT_FORMS = {"Invariant": "a rule as text, or a mapping", "Unique": "a name, a list of names, or a mapping"}
_OR_A_WORD = {"Trailer": "a mapping, or the word none"}
"""Classes for which a key may have a single word; each key has the name of its class, in lower case."""
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def validate(document: Document, model: type[Model], problems: list[Problem]) -> Model | None:
    """The file as an object of ``model``; None, with every problem added, if it is invalid."""
    text = json.dumps(document.data)  # cannot fail: the file was read as finite text
    try:
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            if not _is_said_by_another(item):
                problems.append(document.problem(_location(item["loc"]), _sentence(item, model)))
        return None


def _is_said_by_another(item: Mapping[str, Any]) -> bool:
    """For a key that takes a word or a mapping, the mapping's problem is enough; a wrong entry makes no list short."""
    if item["type"] == "too_short":
        return bool(len(item["input"]) >= item["ctx"]["min_length"])
    return bool(item["type"] == "literal_error")


def _location(location: Location) -> Location:
    """The location without the class that pydantic tried, if a key takes a word or a mapping."""
    branches = {name for name in _OR_A_WORD if name.lower() in location}
    branches |= set(KINDS) if "source" in location else set()
    return tuple(part for part in location if part not in branches)


def _sentence(item: Mapping[str, Any], model: type[BaseModel]) -> str:
    kind, actual, context = item["type"], _shown(item), item.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(item["loc"], model)
    if kind == "missing":
        return "required, but missing"
    if kind == "value_error":
        return str(context["error"])
    if kind == "enum":
        others = [*TABLES] if item["loc"][-2:] == (KINDS[0], "format") else []
        return _not_allowed(actual, [*re.findall(r"'([^']*)'", context["expected"]), *others])
    if kind in _BOUNDS:
        bound, name = _BOUNDS[kind]
        return f"found {actual}, expected {bound} {context[name]:g}"
    if kind == "string_pattern_mismatch":
        return f"{actual!r} does not have the form {context['pattern']}"
    return _wrong_kind(kind, actual, context) or _wrong_length(kind, actual, context) or str(item["msg"])


def _shown(item: Mapping[str, Any]) -> Any:
    """The value as it may be shown: not a password that somebody wrote where its place belongs."""
    is_secret = "password" in item["loc"] and isinstance(item["input"], str)
    return MASK if is_secret else item["input"]


def _unknown_key(location: Location, model: type[BaseModel]) -> str:
    allowed = _keys(model, location[:-1])
    return f"not a known key; allowed: {', '.join(allowed)}{did_you_mean(str(location[-1]), allowed)}"


def _not_allowed(actual: Any, allowed: list[str]) -> str:
    if not isinstance(actual, str):
        return f"expected one of {', '.join(allowed)}, found {_kind_of(actual)}"
    return f"{actual!r} is not allowed; allowed: {', '.join(allowed)}{did_you_mean(actual, allowed)}"


def _wrong_kind(kind: str, actual: Any, context: Mapping[str, Any]) -> str:
    if kind not in _EXPECTED:
        return ""
    expected = (_SHORT_FORMS | _OR_A_WORD).get(context.get("class_name", ""), _EXPECTED[kind])
    quotes = "; put it in quotes" if kind == "string_type" and isinstance(actual, bool | int | float) else ""
    shown = f"the text {actual!r}" if isinstance(actual, str) and len(actual) <= 40 else _kind_of(actual)
    return f"expected {expected}, found {shown}{quotes}"


def _wrong_length(kind: str, actual: Any, context: Mapping[str, Any]) -> str:
    unit = {"string": "character", "too": "entry"}.get(kind.split("_")[0], "")
    if "min_length" in context:
        return f"expected at least {context['min_length']} {unit}, found {len(actual)}"
    return f"expected at most {context['max_length']} {unit}, found {len(actual)}" if "max_length" in context else ""


def _kind_of(actual: Any) -> str:
    if actual is None:
        return "nothing"
    if isinstance(actual, bool):
        return str(actual).lower()
    kinds = ((str, "text"), (dict, "a mapping"), ((list, tuple), "a list"))
    return next((label for kind, label in kinds if isinstance(actual, kind)), "a number")


def _keys(model: type[BaseModel], location: Location) -> list[str]:
    """The keys that a file may have at ``location``."""
    inner: type[BaseModel] | None = model
    for place, part in enumerate(location):
        if inner is not None and isinstance(part, str) and part not in (*_OR_A_WORD, *KINDS):
            named = next((str(one) for one in location[place + 1 : place + 2] if one in KINDS), "")
            inner = next(
                (_model_in(f.annotation, named) for name, f in inner.model_fields.items() if _is(name, f, part)), None
            )
    return [field.alias or name for name, field in inner.model_fields.items()] if inner else []


def _is(name: str, field: Any, part: str) -> bool:
    return bool((field.alias or name) == part)


def _model_in(annotation: Any, named: str = "") -> type[BaseModel] | None:
    """The class of a key; of several that it may have, the one with the name that pydantic chose."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation if named in ("", annotation.__name__) else None
    return next((model for part in get_args(annotation) if (model := _model_in(part, named))), None)
