"""Creates, lists and revokes tokens over HTTP, for admins. Only the response of the creation has the token."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Path, Request
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.model.access import AccessToken, Role

router = guarded_router("tokens")

_LONGEST_DAYS = 3650


class TokenRow(BaseModel):
    name: str
    role: Role
    teams: list[str]
    valid: bool
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewToken(TokenRow):
    token: str


class TokenRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    role: Role
    teams: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(default=[], max_length=100)
    expires_in_days: int | None = Field(default=None, ge=1, le=_LONGEST_DAYS)


class Revoked(BaseModel):
    name: str
    revoked: bool = Field(description="False if it was already revoked.")


@router.get("/token")
def get_tokens(request: Request) -> list[TokenRow]:
    """All tokens ever created, without the tokens themselves."""
    service = service_of(request)
    now = service.now()
    return [TokenRow(**_row(token, now)) for token in service.catalog.access.tokens()]


@router.post("/token", status_code=201)
def post_token(request: Request, caller: Caller, asked: TokenRequest) -> NewToken:
    """Create a token. Only this response has its text."""
    service = service_of(request)
    now = service.now()
    expires_at = None if asked.expires_in_days is None else now + timedelta(days=asked.expires_in_days)
    stored, token = service.catalog.access.create_token(
        asked.name,
        asked.role,
        teams=asked.teams,
        expires_at=expires_at,
        actor=caller.name,
        actor_role=caller.role,
        now=now,
    )
    return NewToken(token=token, **_row(stored, now))


@router.post("/token/{name}/revoke")
def revoke_token(request: Request, caller: Caller, name: Annotated[str, Path(max_length=200)]) -> Revoked:
    """Revoke a token: it is refused from now on."""
    service = service_of(request)
    if name not in {token.name for token in service.catalog.access.tokens()}:
        raise ProblemError(404, "not-found", "there is no token of this name")
    revoked = service.catalog.access.revoke_token(name, actor=caller.name, actor_role=caller.role, now=service.now())
    service.callers.forget()
    return Revoked(name=name, revoked=revoked)


def _row(token: AccessToken, now: datetime) -> dict[str, Any]:
    values = {name: value for name, value in vars(token).items() if name != "token_id"}
    return {**values, "teams": list(token.teams), "valid": token.is_valid(now)}
