"""What the platform should do with orders, in plain Python: which rows break a policy, and which batches it holds.

It knows nothing of Spark and reads nothing of the platform, so that both would have to be wrong in the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey

TYPE, MISSING, ENUM, INVARIANT, UNIQUE, COUNT, EMPTY = (
    "TYPE_MISMATCH", "MISSING_FIELD", "UNKNOWN_ENUM", "INVARIANT", "NOT_UNIQUE", "ROW_COUNT", "EMPTY_BATCH",
)  # fmt: skip
KNOWN_NOTES = ("a", "b")
NO_VALUE = {TYPE, MISSING}
"""Kinds of rules whose rows cannot be released: they have no value that silver could store."""


RETYPED_SHARE = 0.9


def kind_of(signature: str) -> str:
    return signature.partition(":")[0]


@dataclass(frozen=True, order=True)
class Order:
    """A line of a delivery. ``ref`` is a different number for each line that was ever delivered."""

    ref: int
    id: str
    amount: str
    note: str

    @property
    def line(self) -> str:
        return f"{self.id},{self.amount},{self.note},{self.ref}"


@dataclass(frozen=True)
class OrderPolicy:
    """The parts of a policy that the model knows."""

    positive: bool = True
    enum: bool = False
    unique: bool = True
    min_compliance: float = 0.5
    min_rows: int = 1
    mode: str = "HARD_FAIL"

    @property
    def bundle(self) -> dict[str, Any]:
        note = {"field": "note", "type": "STRING", **({"enum": list(KNOWN_NOTES)} if self.enum else {})}
        rules = [{"id": "positive", "rule": "amount > 0"}] if self.positive else []
        return {
            "schema": {
                "constraints": [
                    {"field": "id", "type": "INT", "nullable": False},
                    {"field": "amount", "type": "DECIMAL(10,2)"},
                    note,
                    {"field": "ref", "type": "INT"},
                ]
            },
            "contract_lite": {"invariants": rules, "min_compliance": self.min_compliance},
            "contract": {"unique": ["id"]} if self.unique else {},
            "dq": {"min_rows": self.min_rows},
        }

    def broken(self, order: Order) -> frozenset[str]:
        """The kinds of rules that ``order`` breaks on silver."""
        checks = {
            TYPE: order.amount == "x",
            MISSING: not order.id,
            # A nullable column without a value, or with one of another type, gives the rule nothing to judge.
            INVARIANT: self.positive and order.amount not in ("x", "") and float(order.amount) <= 0,
            ENUM: self.enum and order.note not in (*KNOWN_NOTES, ""),
        }
        return frozenset(kind for kind, is_broken in checks.items() if is_broken)

    def holds_silver(self, delivered: int, rejected: dict[Order, frozenset[str]]) -> frozenset[str]:
        """The kinds because of which silver holds a delivery; empty if it passes."""
        kept = delivered - len(rejected)
        holding = frozenset({COUNT if kept else EMPTY} if kept < self.min_rows else ())
        if delivered and kept / delivered < self.min_compliance:
            return holding.union(*rejected.values())
        return holding

    def holds_gold(self, orders: frozenset[Order]) -> frozenset[str]:
        """The kinds because of which gold holds ``orders``."""
        ids = Counter(order.id for order in orders)
        twice = self.unique and any(count > 1 for count in ids.values())
        unknown = self.enum and any(order.note not in (*KNOWN_NOTES, "") for order in orders)
        return frozenset(kind for kind, holds in ((UNIQUE, twice), (ENUM, unknown)) if holds)


@dataclass(frozen=True)
class Delivery:
    """``number`` counts deliveries of all days; the rows of one that is not whole lack a column."""

    number: int
    day: PartitionKey
    orders: frozenset[Order]
    is_whole: bool = True

    @property
    def fits(self) -> bool:
        """Whether bronze takes it: it has all columns, and its amounts are not of another type altogether."""
        amounts = [order.amount for order in self.orders if order.amount]
        return self.is_whole and (not amounts or amounts.count("x") / len(amounts) < RETYPED_SHARE)

    @property
    def text(self) -> str:
        names = "id,amount,note,ref" if self.is_whole else "id,amount,remark,ref"
        return "\n".join((names, *(order.line for order in sorted(self.orders)))) + "\n"


@dataclass(frozen=True)
class Held:
    """What quarantine has of one run of a stage: each row with the kinds that it broke, and the resolved ones."""

    delivery: Delivery
    is_silver: bool
    is_batch: bool
    broken: dict[Order, frozenset[str]]
    resolved: frozenset[Order]


@dataclass
class Decided:
    """A decision of people about what is held: ``kinds`` may be broken; none of them means that rows are discarded."""

    about: Held
    kinds: frozenset[str]

    def orders(self) -> frozenset[Order]:
        """The rows that it is about: only single rows of silver, and for a release those that break nothing else."""
        if self.about.is_batch or not self.about.is_silver:
            return frozenset()
        rows = {order: kinds for order, kinds in self.about.broken.items() if order not in self.about.resolved}
        return frozenset(order for order, kinds in rows.items() if not self.kinds or kinds <= self.kinds)


@dataclass
class People:
    """All decisions that count now, oldest first, and waivers: a kind, its day, and when it ends."""

    decided: dict[str, Decided] = field(default_factory=dict)
    waived: list[tuple[str, PartitionKey, datetime]] = field(default_factory=list)

    def rejected(self, policy: OrderPolicy, delivery: Delivery) -> dict[Order, frozenset[str]]:
        """The rows that silver quarantines, with the kinds of rules that they break."""
        latest = {order: one for one in self._about(delivery) for order in one.orders()}
        found = {}
        for order in delivery.orders:
            decision, broken = latest.get(order), policy.broken(order)
            is_discarded = decision is not None and not decision.kinds
            if decision is not None:
                broken -= decision.kinds - NO_VALUE
            if broken or is_discarded:
                found[order] = broken
        return found

    def accepted(self, delivery: Delivery, now: datetime) -> frozenset[str]:
        """The kinds that a batch of this delivery may break."""
        released = (one.kinds for one in self._about(delivery))
        waived = {kind for kind, day, end in self.waived if day == delivery.day and now < end}
        return frozenset(waived).union(*released)

    def is_discarded(self, order: Order, delivery: Delivery) -> bool:
        decisions = [one for one in self._about(delivery) if order in one.orders()]
        return bool(decisions) and not decisions[-1].kinds

    def is_about(self, delivery: Delivery) -> bool:
        return bool(self._about(delivery))

    def passing(self, policy: OrderPolicy, delivery: Delivery, now: datetime) -> frozenset[Order] | None:
        """The rows of ``delivery`` that consumers may see; None if they may see none of it."""
        rejected = self.rejected(policy, delivery)
        rows = frozenset(delivery.orders - rejected.keys())
        failed = policy.holds_silver(len(delivery.orders), rejected) | policy.holds_gold(rows)
        return rows if delivery.fits and not failed - self.accepted(delivery, now) else None

    def _about(self, delivery: Delivery) -> list[Decided]:
        return [one for one in self.decided.values() if one.about.delivery.orders == delivery.orders]
