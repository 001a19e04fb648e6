"""Response shapes for the OpenAPI document, derived from the catalog's own types: there is no second list of fields.

Fields that can be hidden from a caller (``api.answer``) are nullable.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, create_model

from data_platform.api.answer import SENSITIVE
from data_platform.model.certification import Certification
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import Waiting
from data_platform.model.lineage import EdgeRole, NodeType, RunState
from data_platform.model.lineage_graph import LookAlike
from data_platform.model.page import Page
from data_platform.model.plain_json import properties
from data_platform.model.quarantine import Level, QuarantineEntry
from data_platform.model.quarantine_decision import Decision, QuarantineAction
from data_platform.model.run import RowCounts
from data_platform.model.signal import SignalSeverity
from data_platform.model.verdict import Outcome, Verdict

_NAMES = {  # types that the values' modules import only for type checkers
    "datetime": datetime,
    "date": date,
    "Any": Any,
    "Certification": Certification,
    "EdgeRole": EdgeRole,
    "NodeType": NodeType,
    "LookAlike": LookAlike,
    "Page": Page,
    "PartitionKey": str,  # its own text
    "RunState": RunState,
    "Waiting": Waiting,
    "Stage": Stage,
    "Outcome": Outcome,
    "RowCounts": RowCounts,
    "Verdict": Verdict,
    "SignalSeverity": SignalSeverity,
    "Mapping": Mapping,
    "Level": Level,
    "QuarantineEntry": QuarantineEntry,
    "Decision": Decision,
    "QuarantineAction": QuarantineAction,
}


@cache
def shape_of(kind: Any) -> Any:
    """A pydantic model for a dataclass, such as ``DatasetPage``, or for ``Page[VersionCard]``."""
    if get_origin(kind) is Page:
        (item,) = get_args(kind)
        listed: dict[str, Any] = {"items": (list[_shape(item)], ...), "cursor": (str | None, ...)}  # type: ignore[misc]
        return create_model(f"{item.__name__}Page", **listed)
    names = {**vars(sys.modules[kind.__module__]), **_NAMES}
    hints = get_type_hints(kind, globalns=names)
    members = {f.name: (_nullable(f.name, _shape(hints[f.name])), ...) for f in fields(kind)}
    for name in properties(kind):
        returned = get_type_hints(vars(kind)[name].fget, globalns=names)["return"]
        members[name] = (_shape(returned), ...)
    model: type[BaseModel] = create_model(kind.__name__, **members)  # type: ignore[call-overload]
    return model


def _shape(hint: Any) -> Any:
    if get_origin(hint) is Page or (isinstance(hint, type) and is_dataclass(hint)):
        return shape_of(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return Union[tuple(_shape(part) for part in get_args(hint))]  # noqa: UP007 - of parts that are known at run time
    if get_origin(hint) is tuple:
        return list[_shape(get_args(hint)[0])]  # type: ignore[misc]
    return hint


def _nullable(name: str, shape: Any) -> Any:
    return Union[shape, None] if name in SENSITIVE else shape  # noqa: UP007
