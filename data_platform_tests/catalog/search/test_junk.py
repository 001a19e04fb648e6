"""Any text is a valid search or a clear error, and any content of the catalog can be indexed."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_platform.catalog import Catalog
from data_platform.errors import InputError
from data_platform.model.search import SearchRequest
from data_platform_tests.catalog.search.shop import dataset, tell
from data_platform_tests.example_count import examples

WORDS = [
    "flights",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "*",
    '"',
    "'",
    ":",
    "^",
    "-",
    "{name_words}",
    "&",
    "|",
    "!",
    "<->",
    "%",
]
SYNTAX = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
TYPED = st.one_of(
    st.text(max_size=60), SYNTAX, st.text(st.characters(categories=("So", "Mn", "Lo", "Nl", "No", "Cs")), max_size=20)
)
JUNK = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def shop(catalog: Catalog) -> Catalog:
    tell(
        catalog,
        dataset("flights", columns=("origin", "dest_id"), team="air"),
        dataset("ﬂüge_ß"),
        dataset("航空_データ"),
    )
    return catalog


@JUNK
@given(text=TYPED, tag=st.none() | TYPED, column=st.none() | TYPED, team=st.none() | TYPED)
def test_any_text_returns_a_page_or_a_clear_error(
    shop: Catalog, text: str, tag: str | None, column: str | None, team: str | None
) -> None:
    tags, columns = (() if value is None else (value,) for value in (tag, column))

    asked = SearchRequest(text=text, tags=tags, columns=columns, team=team, category=tag, limit=1)
    assert answer(shop, asked) in {"none", "one", "q", "tag", "column"}


def answer(catalog: Catalog, request: SearchRequest) -> str:
    """How many were found, or the field that is wrong; any other error is a fault."""
    try:
        return "one" if catalog.registry.search(request).hits else "none"
    except InputError as error:
        return error.field


@JUNK
@given(cursor=st.one_of(st.text(max_size=40), st.from_regex(r"[A-Za-z0-9_-]{1,60}", fullmatch=True)))
def test_any_cursor_is_read_or_rejected_with_a_clear_error(shop: Catalog, cursor: str) -> None:
    with pytest.raises(InputError, match="cursor"):
        shop.registry.search(SearchRequest(text="flights", cursor=cursor))


@settings(JUNK, max_examples=examples(60))
@given(name=st.text(st.characters(categories=("L", "N", "P", "S", "M")), min_size=1, max_size=80))
def test_any_name_is_kept_and_found_whole_if_it_has_a_letter(catalog: Catalog, name: str) -> None:
    tell(catalog, dataset(f"a{name}"))

    found = catalog.registry.search(SearchRequest(text=f"ds://ops/a{name}", limit=100)).hits
    assert f"a{name}" in {hit.name for hit in found}
