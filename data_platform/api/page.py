"""Listings a page at a time: the ``cursor`` of an answer asks for the next page, and is null on the last one."""

from typing import Annotated

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=1000, description="Items of a page.")]
Cursor = Annotated[str | None, Query(max_length=8000, description="What the page before called cursor.")]
