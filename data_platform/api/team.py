"""A token with teams may edit only datasets of its teams; this is checked after the role."""

from collections.abc import Iterable

from data_platform.api.problem import ProblemError
from data_platform.catalog import Catalog
from data_platform.errors import InputError, NotFoundError
from data_platform.model.access import AccessToken
from data_platform.model.registration import Actor


def actor_of(caller: AccessToken) -> Actor:
    return Actor(name=caller.name, role=caller.role)


def refuse_foreign(catalog: Catalog, caller: AccessToken, reference: str, asked_team: str | None = None) -> None:
    """Refuses to edit a dataset of another team, or to give one to it.

    Raises:
        ProblemError: 403, the token may not edit datasets of the owning or of the requested team.
    """
    owned = team_of(catalog, reference)
    teams: set[str | None] = {team for team in (owned, asked_team) if team} or {None}
    if not all(caller.may_edit(team) for team in teams):
        raise _foreign(caller, "" if owned else ": name one of them as owner_team")


def refuse_all_foreign(caller: AccessToken, teams: Iterable[str]) -> None:
    """Refuses a token that may edit datasets of none of ``teams``.

    Raises:
        ProblemError: 403.
    """
    if not any(caller.may_edit(team) for team in teams):
        raise _foreign(caller)


def _foreign(caller: AccessToken, advice: str = "") -> ProblemError:
    own = ", ".join(caller.teams) or "no team"
    return ProblemError(403, "foreign-team", f"the token {caller.name} may edit datasets of {own}{advice}")


def team_of(catalog: Catalog, reference: str) -> str | None:
    """The team of the dataset with exactly this name: a number or a similar name may resolve to another one."""
    try:
        dataset = catalog.lineage.dataset(reference)
    except (NotFoundError, InputError):
        return None
    return dataset.owner_team if dataset.reference == reference else None
