"""Which enforcement mode applies to a dataset: the most specific declaration wins.

From the most specific: ``enforcement`` in the dataset's own file, a rule of platform.yaml for its tier and this
environment, for its tier, for this environment, and a rule for everything. Without any it is HARD_FAIL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from data_platform.model.closed import Closed
from data_platform.model.enforcement import Enforcement, Mode
from data_platform.model.policy import Tier  # noqa: TC001 - pydantic reads annotations at run time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.policy import DatasetPolicy


class EnforcementRule(Closed):
    """The mode of datasets of one tier, in one environment; without either it is that of any."""

    mode: Mode
    tier: Tier | None = None
    environment: str | None = Field(default=None, min_length=1)

    @property
    def subject(self) -> tuple[Tier | None, str | None]:
        return self.tier, self.environment


def enforcement_of(policy: DatasetPolicy, rules: Sequence[EnforcementRule], environment: str) -> Enforcement:
    """The enforcement of a dataset in ``environment``."""
    own = policy.enforcement
    mode = own.get(environment) if isinstance(own, dict) else own
    return Enforcement(mode or default_mode(policy.tier, rules, environment), environment)


def default_mode(tier: Tier, rules: Sequence[EnforcementRule], environment: str) -> Mode:
    """The mode of a dataset of ``tier`` that declares none itself."""
    matching = [rule for rule in rules if rule.tier in (None, tier) and rule.environment in (None, environment)]
    most_specific = max(matching, key=lambda r: (r.tier is not None, r.environment is not None), default=None)
    return most_specific.mode if most_specific else Mode.HARD_FAIL
