"""What a JIL condition says: atoms joined by *and* and *or* of equal rank, read from left to right.

A condition is kept in postfix order: each atom, and each operator behind its two operands. A tree of objects would
overflow the stack when it is compared or shown, for a condition is as deep as its parentheses; a tuple never does.
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
"""Operators within operators of a tree that is shown; a deeper condition has its text."""


class State(StrEnum):
    """What an atom asks. All but ``VALUE`` ask it of a job; that one compares a global variable."""

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
    """``name`` is a job, or a global variable; ``instance`` another scheduler's. ``look_back`` is as written.

    ``comparison`` and ``value`` are of exit codes and of global variables.
    """

    state: State
    name: str
    instance: str | None = None
    look_back: str | None = None
    comparison: str | None = None
    value: str | None = None

    @property
    def job(self) -> str | None:
        """The job as ``NAME`` or ``NAME^INSTANCE``; None if the atom is of a global variable."""
        return None if self.state is State.VALUE else self._whole_name

    @property
    def look_back_minutes(self) -> int | None:
        """None also for the two look-backs that are no number of minutes."""
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
        """Does a state reached on an earlier day still count? Not for ``notrunning``, which asks of this moment."""
        return self.state not in (State.NOTRUNNING, State.VALUE)

    def described(self) -> dict[str, Any]:
        """What it asks, as plain values; what does not apply is left out."""
        asked = {
            "state": self.state.value,
            "job": None if self.state is State.VALUE else self.name,
            "variable": self.name if self.state is State.VALUE else None,
            "instance": self.instance,
            "look_back_minutes": self.look_back_minutes,
            "look_back": self.look_back_word and self.look_back_word.value,
            "comparison": self.comparison,
            "value": self.value,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def _whole_name(self) -> str:
        return f"{self.name}^{self.instance}" if self.instance else self.name

    def __str__(self) -> str:
        within = f",{_hours(self.look_back)}" if self.look_back is not None else ""
        text = f"{self.state}({self._whole_name}{within})"
        if self.comparison is None:
            return text
        value = self.value or ""
        mark = "'" if '"' in value else '"'  # no value has both: it stood between one of them
        quoted = value if re.fullmatch(r"[\w.+-]+", value) else f"{mark}{value}{mark}"
        return f"{text} {self.comparison} {quoted}"


@dataclass(frozen=True)
class Condition:
    """``postfix`` is never empty, and has one atom more than operators."""

    postfix: tuple[Atom | Operator, ...]

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """In the order in which they were written."""
        return tuple(step for step in self.postfix if isinstance(step, Atom))

    @property
    def jobs(self) -> tuple[str, ...]:
        """Each job that it names, once; those of other instances as ``NAME^INSTANCE``."""
        return tuple(dict.fromkeys(atom.job for atom in self.atoms if atom.job is not None))

    @property
    def globals_read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(atom.name for atom in self.atoms if atom.state is State.VALUE))

    def __str__(self) -> str:
        """The one way to write it: long words, and parentheses around each part that another operator joins.

        The scheduler needs none on the left (``a or b and c`` is ``(a or b) and c``), but whoever reads it does.
        """
        return "".join(self._words())

    def _words(self) -> Iterator[str]:
        starts = self._starts()
        waiting: list[int | str] = [len(self.postfix) - 1]
        while waiting:
            place = waiting.pop()
            if isinstance(place, str):
                yield place
                continue
            step = self.postfix[place]
            if isinstance(step, Atom):
                yield str(step)
                continue
            right, left = place - 1, starts[place - 1] - 1
            before = self.postfix[left]
            waiting += _grouped(right, in_parentheses=isinstance(self.postfix[right], Operator))
            waiting.append(f" {step} ")
            waiting += _grouped(left, in_parentheses=isinstance(before, Operator) and before is not step)

    def tree(self) -> dict[str, Any] | None:
        """Operators with what they join, side by side where it is one operator; None if it is nested too deep."""
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
        """For each step, where the part that ends with it begins."""
        starts: list[int] = []
        for place, step in enumerate(self.postfix):
            starts.append(place if isinstance(step, Atom) else starts[starts[place - 1] - 1])
        return starts


def _grouped(place: int, *, in_parentheses: bool) -> list[int | str]:
    """In reverse, as they wait to be written."""
    return [")", place, "("] if in_parentheses else [place]


def _minutes(look_back: str) -> int:
    hours, _, minutes = look_back.replace("\\", "").replace(":", ".").partition(".")
    return int(hours) * 60 + int(minutes or 0)


def _hours(look_back: str) -> str:
    if look_back == "9999":
        return look_back
    hours, minutes = divmod(_minutes(look_back), 60)
    return f"{hours:02}.{minutes:02}" if hours or minutes else "0"
