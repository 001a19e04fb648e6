"""The parts of a contract that were read so far, as those of a policy bundle."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from data_platform.errors import PolicyError
from data_platform.model.contract import Unique
from data_platform.model.policy_bundle import PolicyBundle

if TYPE_CHECKING:
    from data_platform.model.contract import Invariant


@dataclass
class ImportedContract:
    """``not_executable`` are sentences, each with its place in the contract.

    ``remainder`` has the parts of the bundle that the contract has no elements for; None if the platform did not write
    the contract. ``required``, ``invariants`` are by contract of the bundle; ``metrics`` by their number,
    ``patterns`` by column, as the platform wrote them.
    """

    name: str
    remainder: dict[str, Any] | None = None
    constraints: list[dict[str, Any]] = field(default_factory=list)
    required: dict[str, list[str]] = field(default_factory=lambda: {"contract_lite": [], "contract": []})
    primary_key: list[tuple[int, str]] = field(default_factory=list)
    uniques: list[Unique] = field(default_factory=list)
    unique_columns: list[str] = field(default_factory=list)
    invariants: dict[str, list[Invariant]] = field(default_factory=lambda: {"contract_lite": [], "contract": []})
    references: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[int, dict[str, Any]] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)
    min_rows: int = 1
    not_executable: list[str] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        """Whether the platform wrote the contract."""
        return self.remainder is not None

    @property
    def bundle(self) -> PolicyBundle:
        """Raises: PolicyError, if the parts are no valid bundle."""
        content = copy.deepcopy(self.remainder or {})
        content.setdefault("schema", {})["constraints"] = self.constraints
        for part in ("contract_lite", "contract"):
            contract = content.setdefault(part, {})
            contract["required_fields"] = tuple(dict.fromkeys(self.required[part]))
            contract["invariants"] = tuple(self.invariants[part])
        content["contract"]["unique"] = self._uniques()
        if self.references:
            content["contract"]["references"] = self.references
        metrics = [metric for _, metric in sorted(self.metrics.items())]
        content.setdefault("dq", {}).update(min_rows=self.min_rows, metrics=metrics)
        try:
            return PolicyBundle.model_validate(content)
        except (ValidationError, AttributeError, TypeError, ValueError) as error:
            raise PolicyError(_problems(error)) from None

    def _uniques(self) -> tuple[Unique, ...]:
        """The primary key is one key, however many columns it has; a column may be declared unique twice."""
        key = tuple(name for _, name in sorted(self.primary_key, key=lambda item: item[0]))
        found = [*([Unique(fields=key)] if key else []), *self.uniques]
        found += [Unique(fields=(name,)) for name in self.unique_columns]
        return tuple(dict.fromkeys(found))

    def leave_out(self, place: str, why: str) -> None:
        self.not_executable.append(f"{place}: {why}")


def _problems(error: Exception) -> list[str]:
    if not isinstance(error, ValidationError):
        return ["customProperties: policyBundle has another form than the platform writes; export the contract again"]
    return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
