"""Whose token it is, is looked up once a second; what was revoked here is never remembered."""

import asyncio
from datetime import datetime, timedelta

from data_platform.api.caller import CACHED_SECONDS, Callers
from data_platform.model.access import AccessToken, Role
from data_platform_tests.api.service_client import NOW

TEXT = "dpt_known"
TOKEN = AccessToken(
    token_id=1,
    name="airflow",
    role=Role.DATA_OWNER,
    teams=(),
    created_by="ann",
    created_at=NOW,
    expires_at=NOW + timedelta(hours=1),
    revoked_at=None,
)


class Recorded:
    """A fake of the catalog and its part ``access``: counts lookups, and may call a function before it answers."""

    def __init__(self) -> None:
        self.access = self
        self.kept: AccessToken | None = TOKEN
        self.asked = 0
        self.meanwhile = lambda: None

    def token(self, token: str, *, now: datetime) -> AccessToken | None:
        self.asked += 1
        found = self.kept if token == TEXT else None
        self.meanwhile()
        return found if found is not None and found.is_valid(now) else None


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def find(callers: Callers, token: str = TEXT, now: datetime = NOW) -> AccessToken | None:
    return asyncio.run(callers.find(token, now=now))


def test_a_caller_is_looked_up_once_a_second() -> None:
    catalog, clock = Recorded(), Clock()
    callers = Callers(catalog, clock=clock)  # type: ignore[arg-type]

    assert [find(callers) for _ in range(3)] == [TOKEN] * 3
    assert catalog.asked == 1

    catalog.kept = None  # revoked by another process
    clock.seconds += CACHED_SECONDS
    assert find(callers) is None


def test_an_unknown_token_is_looked_up_each_time() -> None:
    catalog = Recorded()
    callers = Callers(catalog)  # type: ignore[arg-type]

    assert [find(callers, "made up") for _ in range(2)] == [None, None]
    assert catalog.asked == 2


def test_a_remembered_token_expires_all_the_same() -> None:
    callers = Callers(Recorded())  # type: ignore[arg-type]

    assert find(callers) == TOKEN
    assert find(callers, now=NOW + timedelta(hours=1)) is None


def test_a_token_that_was_revoked_while_it_was_looked_up_is_not_remembered() -> None:
    catalog = Recorded()
    callers = Callers(catalog)  # type: ignore[arg-type]

    def revoke() -> None:
        catalog.kept = None
        callers.forget()

    catalog.meanwhile = revoke
    assert find(callers) == TOKEN  # it was valid when it was asked for

    assert find(callers) is None


def test_what_is_remembered_is_bounded() -> None:
    class Generous(Recorded):
        def token(self, token: str, *, now: datetime) -> AccessToken | None:  # noqa: ARG002
            return TOKEN

    callers = Callers(Generous())  # type: ignore[arg-type]

    async def many() -> None:
        for number in range(2_500):
            await callers.find(str(number), now=NOW)

    asyncio.run(many())

    assert 0 < len(callers._cache) <= 1_000
