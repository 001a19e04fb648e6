"""The result of judging a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.errors import ContractError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class FrameReport:
    """Maps failure signatures to rows or reasons; no value of the frame is in it.

    ``broken`` are rules that a row breaks (of repeated keys, the surplus rows), ``warned`` those that only warn.
    ``errors`` are rules that could not be judged although they should be; ``not_checked`` those that this kind of frame
    or this call cannot check.
    """

    dataset: str
    rows: int
    broken: Mapping[str, int] = field(default_factory=dict)
    warned: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    not_checked: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no rule is broken, and none is an error; rules that were not checked are not part of the answer."""
        return not self.broken and not self.errors

    def require_passed(self) -> None:
        """Raises: ContractError, with the rows of each broken rule."""
        if not self.passed:
            raise ContractError(str(self))

    def __str__(self) -> str:
        lines = [f"{rule}: {count} of {self.rows} rows" for rule, count in self.broken.items()]
        lines += [f"{rule}: {reason}" for rule, reason in self.errors.items()]
        lines += [f"{rule}: {count} of {self.rows} rows (a warning)" for rule, count in self.warned.items()]
        lines += [f"{rule}: not checked: {reason}" for rule, reason in self.not_checked.items()]
        verdict = f"breaks its contract in {number_of(len(self.broken) + len(self.errors), 'rule')}"
        return "\n  ".join([f"{self.dataset}: a frame {'keeps its contract' if self.passed else verdict}", *lines])
