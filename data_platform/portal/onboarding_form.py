"""The form that registers a dataset: its fields as entered, what is wrong with each, and the request that they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.errors import InputError
from data_platform.model.dataset import DatasetId
from data_platform.model.policy import DatasetPolicy
from data_platform.model.tier import Tier
from data_platform.model.time_zone import known_zone
from data_platform.portal.landing_path import delivered, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PROFILED, TRIED = 60, 3
MOST_CHARACTERS = {"path": 1_000, "dataset": 250, "team": 100, "email": 200, "time_zone": 60, "description": 2_000}
TIERS = tuple(tier.value for tier in Tier)


@dataclass(frozen=True, kw_only=True)
class OnboardingForm:
    """``problems`` maps names of fields to what is wrong with them. ``folders`` are deliveries to choose from."""

    given: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    tiers: tuple[str, ...] = TIERS
    most: dict[str, int] = field(default_factory=lambda: dict(MOST_CHARACTERS))


def read_form(fields: Mapping[str, str], landing: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The request, and what is wrong with fields; with a problem the request is not complete."""
    given = {name: fields.get(name, "").strip() for name in (*MOST_CHARACTERS, "tier")}
    problems: dict[str, str] = {}

    def checked(name: str, check: Callable[[str], Any]) -> Any:
        try:
            most = MOST_CHARACTERS.get(name, 100)
            if len(given[name]) > most:
                raise ValueError(f"it has {len(given[name]):,} characters: at most {most:,}")
            if not given[name].isprintable() and name != "description":
                raise ValueError("it has characters that cannot be printed")
            return check(given[name])
        except InputError as error:
            problems[name] = error.problem
        except ValueError as error:
            problems[name] = str(error)
        return given[name]

    asked = {
        "path": checked("path", lambda text: delivered(landing, text)),
        "dataset": checked("dataset", _urn),
        "team": checked(
            "team", lambda text: _matching("owner_team", text, "a team, such as sales or flight-operations")
        ),
        "email": checked("email", lambda text: text and _matching("owner_email", text, "one mail address, or nothing")),
        "tier": checked("tier", _tier),
        "time_zone": checked("time_zone", lambda text: known_zone(text or "UTC")),
        "description": checked("description", lambda text: " ".join(text.split())),
        "producer": "",
        "profiled": PROFILED,
        "tried": TRIED,
    }
    return asked, problems


def _urn(text: str) -> str:
    """``sales/orders`` is completed. Raises: ValueError."""
    urn = text if text.startswith("ds://") else f"ds://{text}"
    try:
        dataset = DatasetId.parse(urn)
    except ValueError:
        raise ValueError(
            f"{shortened(text)!r} is not a name: expected zone/name in lower case letters, digits and _, such as "
            "sales/orders"
        ) from None
    dataset.require_unique_names()
    return dataset.urn


def _matching(policy_field: str, text: str, what: str) -> str:
    """``text``, if a policy may have it in that field. Raises: ValueError."""
    pattern = next(one.pattern for one in DatasetPolicy.model_fields[policy_field].metadata if hasattr(one, "pattern"))
    if not re.search(pattern, text):
        raise ValueError(f"expected {what}")
    return text


def _tier(text: str) -> str:
    if text not in TIERS:
        raise ValueError(f"choose one of {', '.join(TIERS)}")
    return text
