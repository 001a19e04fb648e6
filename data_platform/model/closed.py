"""The base of every policy class: frozen, and closed, so that an unknown key is an error."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from data_platform.model.dataset import DatasetId


class Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _is_urn(text: str) -> str:
    DatasetId.parse(text).require_unique_names()
    return text


Urn = Annotated[str, AfterValidator(_is_urn)]
