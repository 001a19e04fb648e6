"""A parsed JIL condition: atoms joined by *and* and *or* of equal precedence, read from left to right.

A condition is stored in postfix order: each operator follows its two operands. A tree of objects would overflow the
stack when it is compared or printed, since it is as deep as the condition's parentheses; a tuple never does.
Nothing is evaluated here. ``grammar`` reads the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from data_platform.model.legacy import LookBack

if TYPE_CHECKING:
    from collections.abc import Iterator


DEEPEST_TREE = 100
"""The most nested operators of a tree that is returned; a deeper condition has only its text."""


class State(StrEnum):
    """What an atom tests: the state of a job, or with ``VALUE`` the value of a global variable."""

    SUCCESS = "success"
    FAILURE = "failure"
    DONE = "done"
    TERMINATED = "terminated"
    NOTRUNNING = "notrunning"
    EXITCODE = "exitcode"
    VALUE = "value"


class Operator(StrEnum):
    AND = "and"
    OR = "or"


@dataclass(frozen=True, kw_only=True)
class Atom:
    """``name`` is a job or a global variable; ``instance`` is another scheduler. ``look_back`` is as written.

    ``comparison`` and ``value`` are set for exit codes and global variables.
    """

    state: State
    name: str
    instance: str | None = None
    look_back: str | None = None
    comparison: str | None = None
    value: str | None = None

    @property
    def job(self) -> str | None:
        """The job as ``NAME`` or ``NAME^INSTANCE``; None if the atom tests a global variable."""
        return None if self.state is State.VALUE else self._whole_name

    @property
    def look_back_minutes(self) -> int | None:
        """The look-back in minutes; None if there is none, or if it is one of the two special look-backs."""
        if self.look_back is None or self.look_back_word is not None:
            return None
        return _minutes(self.look_back)

    @property
    def look_back_word(self) -> LookBack | None:
        if self.look_back is None:
            return None
        if self.look_back == "9999":
            return LookBack.UNLIMITED
        return None if _minutes(self.look_back) else LookBack.SINCE_OWN_LAST_END

    @property
    def is_latching(self) -> bool:
        """Whether a state reached on an earlier day still counts. ``notrunning`` tests only the present moment."""
        return self.state not in (State.NOTRUNNING, State.VALUE)

    def described(self) -> dict[str, Any]:
        """Returns the atom as plain values; fields that do not apply are omitted."""
        fields = {
            "state": self.state.value,
            "job": None if self.state is State.VALUE else self.name,
            "variable": self.name if self.state is State.VALUE else None,
            "instance": self.instance,
            "look_back_minutes": self.look_back_minutes,
            "look_back": self.look_back_word and self.look_back_word.value,
            "comparison": self.comparison,
            "value": self.value,
        }
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def _whole_name(self) -> str:
        return f"{self.name}^{self.instance}" if self.instance else self.name

    def __str__(self) -> str:
        within = f",{_hours(self.look_back)}" if self.look_back is not None else ""
        text = f"{self.state}({self._whole_name}{within})"
        if self.comparison is None:
            return text
        value = self.value or ""
        mark = "'" if '"' in value else '"'  # no value contains both, since one of them quoted it
        quoted = value if re.fullmatch(r"[\w.+-]+", value) else f"{mark}{value}{mark}"
        return f"{text} {self.comparison} {quoted}"


@dataclass(frozen=True)
class Condition:
    """``postfix`` is never empty and has one more atom than operators."""

    postfix: tuple[Atom | Operator, ...]

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms in the order in which they were written."""
        return tuple(step for step in self.postfix if isinstance(step, Atom))

    @property
    def jobs(self) -> tuple[str, ...]:
        """Each job that it names, once; jobs of other instances as ``NAME^INSTANCE``."""
        return tuple(dict.fromkeys(atom.job for atom in self.atoms if atom.job is not None))

    @property
    def globals_read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(atom.name for atom in self.atoms if atom.state is State.VALUE))

    def __str__(self) -> str:
        """The canonical text: long words, and parentheses around each part that another operator joins.

        The scheduler needs none on the left (``a or b and c`` is ``(a or b) and c``), but a human reader does.
        """
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        starts = self._starts()
        pending: list[int | str] = [len(self.postfix) - 1]
        while pending:
            place = pending.pop()
            if isinstance(place, str):
                yield place
                continue
            step = self.postfix[place]
            if isinstance(step, Atom):
                yield str(step)
                continue
            right, left = place - 1, starts[place - 1] - 1
            before = self.postfix[left]
            pending += _grouped(right, in_parentheses=isinstance(self.postfix[right], Operator))
            pending.append(f" {step} ")
            pending += _grouped(left, in_parentheses=isinstance(before, Operator) and before is not step)

    def tree(self) -> dict[str, Any] | None:
        """Returns operators with their operands, flat for one repeated operator; None if it is nested too deep."""
        parts: list[tuple[dict[str, Any], int]] = []
        for step in self.postfix:
            if isinstance(step, Atom):
                parts.append((step.described(), 1))
                continue
            (right, right_depth), (left, left_depth) = parts.pop(), parts.pop()
            joined = left["of"] if left.get("op") == step else [left]
            joined.append(right)
            parts.append(({"op": step.value, "of": joined}, max(left_depth, right_depth + 1) + (joined[0] is left)))
        ((whole, depth),) = parts
        return whole if depth <= DEEPEST_TREE else None

    def _starts(self) -> list[int]:
        """Returns for each step the position where the part that ends with it begins."""
        starts: list[int] = []
        for place, step in enumerate(self.postfix):
            starts.append(place if isinstance(step, Atom) else starts[starts[place - 1] - 1])
        return starts


def _grouped(place: int, *, in_parentheses: bool) -> list[int | str]:
    """Returns the pieces in reverse, as on the stack of pieces to write."""
    return [")", place, "("] if in_parentheses else [place]


def _minutes(look_back: str) -> int:
    hours, _, minutes = look_back.replace("\\", "").replace(":", ".").partition(".")
    return int(hours) * 60 + int(minutes or 0)


def _hours(look_back: str) -> str:
    if look_back == "9999":
        return look_back
    hours, minutes = divmod(_minutes(look_back), 60)
    return f"{hours:02}.{minutes:02}" if hours or minutes else "0"
