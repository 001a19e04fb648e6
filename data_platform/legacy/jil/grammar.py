"""Conditions, read from their text in one pass and without recursion.

    condition   atom { and|&|or|"|" atom }, with parentheses round any part
    atom        s|f|d|t|n (job [^instance] [, look-back]),  e(job …) comparison code,  v(global) comparison value

There is no *not*: it is said by ``n()``, ``f()``, ``t()`` or ``!=``. A look-back is ``hhhh.mm``; ``30`` is thirty hours
and ``.30`` is nothing. What is not of this grammar is refused as a whole: half a condition is another condition.
"""

from __future__ import annotations

import re

from data_platform.errors import DataPlatformError
from data_platform.legacy.jil.condition import Atom, Condition, Operator, State

_STATES = {name: state for state in State for name in (state.value, state.value[0])}
_COMPARED = (State.EXITCODE, State.VALUE)
_OPERATORS = {"&": Operator.AND, "and": Operator.AND, "|": Operator.OR, "or": Operator.OR}

_BLANK = re.compile(r"\s*")
_FUNCTION = re.compile(r"([A-Za-z_]+)\s*\(\s*")
_NAME = re.compile(r"""((?:\\:|[^\s(),^&|"'<>=!\\])+)(?:\^([\w.$#-]+))?\s*""")
_COMMA = re.compile(r",\s*")
_LOOK_BACK = re.compile(r"""(\d{1,4}(?:(?:\.|\\?:)[0-5]\d)?)\s*(?=\))""", re.ASCII)
_COMPARISON = re.compile(r"\s*(!=|<=|>=|=|<|>)\s*")
_VALUE = re.compile(r"""(?:"([^"]*)"|'([^']*)'|((?:\\:|[^\s()&|"'\\])+))""")
_OPERATOR = re.compile(r"&|\||(?:and|or)(?![\w.#-])", re.IGNORECASE)


class ConditionError(DataPlatformError):
    """``column`` counts from 1 in the condition's text. The message quotes nothing of it."""

    def __init__(self, column: int, text: str) -> None:
        self.column = column
        super().__init__(f"cannot be read at column {column}: {text}")


def parse_condition(text: str) -> Condition:
    """
    Raises:
        ConditionError: With the column where reading stopped.
    """
    return _Reader(text).condition()


class _Reader:
    """Shunting-yard for operators of one rank: each open parenthesis holds at most one operator that waits."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.postfix: list[Atom | Operator] = []
        self.waiting: list[Operator | None] = [None]  # one for each open parenthesis, and one for the whole
        self.opened: list[int] = []

    def condition(self) -> Condition:
        self._skip(_BLANK)
        while True:
            self._operand()
            if not self._operator():
                return Condition(tuple(self.postfix))

    def _operand(self) -> None:
        while self.text.startswith("(", self.at):
            self.opened.append(self.at)
            self.waiting.append(None)
            self.at += 1
            self._skip(_BLANK)
        self.postfix.append(self._atom())
        self._skip(_BLANK)
        while self.text.startswith(")", self.at):
            if not self.opened:
                raise self._error("this ')' closes nothing")
            self.opened.pop()
            self._settle(None)
            self.waiting.pop()
            self.at += 1
            self._skip(_BLANK)

    def _operator(self) -> bool:
        """False at the end of the text."""
        if self.at == len(self.text):
            self._settle(None)
            if self.opened:
                raise ConditionError(self.opened[-1] + 1, "this '(' is not closed")
            return False
        found = self._match(_OPERATOR, "expected 'and', 'or', '&', '|' or the end")
        self._settle(_OPERATORS[found[0].lower()])
        self._skip(_BLANK)
        return True

    def _settle(self, following: Operator | None) -> None:
        """Both operands of the operator that waits are there now."""
        if (operator := self.waiting[-1]) is not None:
            self.postfix.append(operator)
        self.waiting[-1] = following

    def _atom(self) -> Atom:
        begin = self.at
        function = self._match(_FUNCTION, "expected a state such as s(job), f, d, t, n, e or v, with its parentheses")
        state = _STATES.get(function[1].lower())
        if state is None:
            raise ConditionError(begin + 1, "not a state that JIL knows; expected s, f, d, t, n, e or v")
        name = self._match(_NAME, "expected a name")
        look_back = self._look_back(state)
        if not self.text.startswith(")", self.at):
            raise self._error("expected ')' behind the name")
        self.at += 1
        comparison, value = self._compared(state)
        return Atom(
            state=state,
            name=name[1].replace("\\:", ":"),
            instance=name[2],
            look_back=look_back,
            comparison=comparison,
            value=value,
        )

    def _look_back(self, state: State) -> str | None:
        comma = _COMMA.match(self.text, self.at)
        if comma is None:
            return None
        if state is State.VALUE:
            raise self._error("a global variable has no look-back")
        self.at = comma.end()
        return self._match(_LOOK_BACK, "expected a look-back such as 12.00 (hours.minutes), 0 or 9999")[1]

    def _compared(self, state: State) -> tuple[str | None, str | None]:
        if state not in _COMPARED:
            return None, None
        comparison = self._match(_COMPARISON, "expected =, !=, <, <=, > or >= and what to compare with")
        begin = self.at
        found = self._match(_VALUE, "expected a value to compare with")
        value = next(part for part in found.groups() if part is not None).replace("\\:", ":")
        if state is State.EXITCODE and not re.fullmatch(r"-?\d{1,10}", value, re.ASCII):
            raise ConditionError(begin + 1, "an exit code is a whole number")
        return comparison[1], value

    def _match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise self._error(expected)
        self.at = found.end()
        return found

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _error(self, expected: str) -> ConditionError:
        return ConditionError(self.at + 1, expected)
