"""Plans the gates of a stage with the modules that the registry names."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from data_platform.gates.plan import GatePlan, GatePlans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.gates.batch import Batch
    from data_platform.model.verdict import Gate


def plans_of(gates: Iterable[Gate], batch: Batch) -> GatePlans:
    """The plans of ``gates`` for ``batch``; nothing is read yet.

    Raises:
        PolicyError: A rule is invalid for any rows.
    """
    return GatePlans(tuple(_planned(gate, batch) for gate in gates))


def _planned(gate: Gate, batch: Batch) -> GatePlan:
    planned = import_module(f"data_platform.gates.{gate.module}").planned(batch)
    assert isinstance(planned, GatePlan)  # noqa: S101
    return planned
