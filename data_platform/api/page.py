"""Paging: the ``cursor`` of a response requests the next page, and is null on the last one."""

from typing import Annotated

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=1000, description="Items per page.")]
Cursor = Annotated[str | None, Query(max_length=8000, description="The cursor of the previous page.")]
