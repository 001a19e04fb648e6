"""Parses the text of a condition in one pass and without recursion.

    condition   atom { and|&|or|"|" atom }, with parentheses round any part
    atom        s|f|d|t|n (job [^instance] [, look-back]),  e(job …) comparison code,  v(global) comparison value

There is no *not*: use ``n()``, ``f()``, ``t()`` or ``!=``. A look-back is ``hhhh.mm``; ``30`` is thirty hours and
``.30`` is invalid. Text that does not match this grammar is rejected as a whole: half a condition means something else.
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
    """``column`` counts from 1 in the condition's text. The message never quotes the text."""

    def __init__(self, column: int, text: str) -> None:
        self.column = column
        super().__init__(f"cannot be read at column {column}: {text}")


def parse_condition(text: str) -> Condition:
    """
    Raises:
        ConditionError: ``text`` is not a condition; the error has the column where parsing stopped.
    """
    return _Reader(text).condition()


class _Reader:
    """Shunting-yard for operators of equal precedence: each open parenthesis has at most one pending operator."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.postfix: list[Atom | Operator] = []
        self.pending: list[Operator | None] = [None]  # one per open parenthesis, and one for the whole text
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
            self.pending.append(None)
            self.at += 1
            self._skip(_BLANK)
        self.postfix.append(self._atom())
        self._skip(_BLANK)
        while self.text.startswith(")", self.at):
            if not self.opened:
                raise self._error("this ')' closes nothing")
            self.opened.pop()
            self._flush_operator(None)
            self.pending.pop()
            self.at += 1
            self._skip(_BLANK)

    def _operator(self) -> bool:
        """Reads the next operator; returns False at the end of the text."""
        if self.at == len(self.text):
            self._flush_operator(None)
            if self.opened:
                raise ConditionError(self.opened[-1] + 1, "this '(' is not closed")
            return False
        match = self._match(_OPERATOR, "expected 'and', 'or', '&', '|' or the end")
        self._flush_operator(_OPERATORS[match[0].lower()])
        self._skip(_BLANK)
        return True

    def _flush_operator(self, following: Operator | None) -> None:
        """Writes the pending operator, since both of its operands have been read."""
        if (operator := self.pending[-1]) is not None:
            self.postfix.append(operator)
        self.pending[-1] = following

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
        match = self._match(_VALUE, "expected a value to compare with")
        value = next(part for part in match.groups() if part is not None).replace("\\:", ":")
        if state is State.EXITCODE and not re.fullmatch(r"-?\d{1,10}", value, re.ASCII):
            raise ConditionError(begin + 1, "an exit code is a whole number")
        return comparison[1], value

    def _match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self._error(expected)
        self.at = match.end()
        return match

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _error(self, expected: str) -> ConditionError:
        return ConditionError(self.at + 1, expected)
