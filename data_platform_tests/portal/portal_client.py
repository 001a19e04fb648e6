"""The service with its portal over a new catalog, called without a network and without a browser."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.model.access import Role
from data_platform.portal.application import add_portal
from data_platform.portal.onboarding_process import OnboardingDesk
from data_platform_tests.api.service_client import ServiceClient

KEY = b"k" * 32
BROWSER = {"Accept": "text/html,application/xhtml+xml"}
JSON = {"Accept": "application/json"}


@dataclass
class PortalClient(ServiceClient):
    """``page`` is a request of a browser whose user has the role ``as_``; ``extra`` are further pages of a test."""

    extra: tuple[APIRouter, ...] = ()
    dagster_url: str | None = None
    samples: QuarantineCommand | None = None
    onboarding_desk: OnboardingDesk | None = None

    def prepare(self) -> None:
        add_portal(
            self.app,
            self.catalog,
            policies=self.policies,
            session_key=KEY,
            now=lambda: self.moment,
            dagster_url=self.dagster_url,
            kept_seconds=0,
            samples=self.samples,
            onboarding_desk=self.onboarding_desk,
        )
        for router in self.extra:
            self.app.include_router(router)

    def page(self, path: str, *, as_: Role | None = Role.PLATFORM_ADMIN, **given: Any) -> Any:
        headers = {**BROWSER, **given.pop("headers", {})}
        return self.call(given.pop("method", "GET"), path, as_=as_, headers=headers, follow_redirects=False, **given)

    def sign_in(self, role: Role = Role.PLATFORM_ADMIN, target: str = "/") -> Any:
        """Signs the client in, whose cookie jar then has the session."""
        form = {"token": self.tokens[role], "next": target}
        return self.page("/sign-in", as_=None, method="POST", data=form)

    def json(self, path: str, *, as_: Role = Role.PLATFORM_ADMIN) -> Any:
        answer = self.call("GET", path, as_=as_, headers=JSON)
        assert answer.status_code == 200, answer.text
        return answer.json()
