"""How much depends on a dataset. Standard library only, since commands name it."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    TIER_1 = "TIER_1"
    TIER_2 = "TIER_2"
    TIER_3 = "TIER_3"
