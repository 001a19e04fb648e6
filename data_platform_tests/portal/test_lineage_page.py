"""The page of lineage: what it draws and counts, what it opens, and that no name and no shape of a graph breaks it."""

import csv
import re
from html import unescape
from io import StringIO
from urllib.parse import quote

import pytest

from data_platform.model.access import Role
from data_platform.portal.link import lineage_link
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.catalog.lineage.example import event, from_columns, run_id, send
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import CUSTOMERS, NOW, ORDERS
from data_platform_tests.portal.test_pages import HOSTILE

RAW, CLEAN, MART = "s3://lake/raw", "s3://lake/clean", "s3://lake/mart"
_numbers = iter(range(1, 10**6))


def dataset(name: str, **facets: object) -> dict:
    namespace, _, own = name.rpartition("/")
    return {"namespace": namespace, "name": own, "facets": facets}


def job(portal: PortalClient, name: str, reads: list[str], writes: list[str], kind: str = "COMPLETE") -> None:
    send(
        portal.catalog,
        event(
            kind,
            run=run_id(next(_numbers)),
            job=name,
            inputs=[dataset(one) for one in reads],
            outputs=[dataset(one) for one in writes],
        ),
    )


@pytest.fixture
def chain(portal: PortalClient) -> PortalClient:
    """Raw rows are cleaned, and a mart is made of them; two other jobs read the raw rows too."""
    job(portal, "clean", [RAW], [CLEAN])
    job(portal, "build", [CLEAN], [MART], kind="FAIL")
    for name in ("audit", "copy"):
        job(portal, name, [RAW], [f"s3://lake/{name}"])
    return portal


def names(twin: dict) -> set[str]:
    return {node["name"] for node in twin["nodes"]}


def test_one_hop_each_way_is_shown_with_counts_of_the_rest(chain: PortalClient) -> None:
    twin = chain.json(lineage_link(CLEAN))
    raw = next(node for node in twin["nodes"] if node["name"] == RAW)

    assert names(twin) == {CLEAN, "etl/clean", RAW, "etl/build", MART}
    assert (raw["side"], raw["hops"], raw["hidden_downstream"], raw["hidden_upstream"]) == ("UPSTREAM", 2, 2, 0)
    assert "+ 2 downstream" in chain.page(lineage_link(CLEAN)).text


def test_a_click_opens_what_is_not_shown(chain: PortalClient) -> None:
    raw = next(node["key"] for node in chain.json(lineage_link(CLEAN))["nodes"] if node["name"] == RAW)
    path = lineage_link(CLEAN, down=raw)

    assert f'href="{path}#n-{raw}"' in chain.page(lineage_link(CLEAN)).text
    twin = chain.json(path)
    assert {"etl/audit", "s3://lake/copy"} <= names(twin)
    assert next(node for node in twin["nodes"] if node["name"] == "etl/audit")["side"] == "BESIDE"


def test_a_node_that_is_not_there_opens_nothing_and_nonsense_is_refused(chain: PortalClient) -> None:
    assert names(chain.json(lineage_link(CLEAN, down="d999999"))) == names(chain.json(lineage_link(CLEAN)))
    assert chain.page(lineage_link(CLEAN, down="x1")).status_code == 422
    assert chain.page(lineage_link(CLEAN, hops=0)).status_code == 422
    assert chain.page(lineage_link("nothing/here")).status_code == 404


@pytest.mark.parametrize(("direction", "expected"), [("upstream", {RAW}), ("downstream", {MART})])
def test_one_direction_shows_only_that_side(chain: PortalClient, direction: str, expected: set[str]) -> None:
    found = names(chain.json(lineage_link(CLEAN, direction=direction)))

    assert found & {RAW, MART} == expected


def test_the_state_of_a_process_is_that_of_its_last_run(chain: PortalClient) -> None:
    page = chain.page(lineage_link("etl/build", kind="PROCESS"))
    states = {node["name"]: node["state"] for node in chain.json(lineage_link(CLEAN))["nodes"]}

    assert page.status_code == 200
    assert (states["etl/build"], states["etl/clean"], states[RAW]) == ("FAILED", "COMPLETED", "no policy")
    assert '<tspan class="word">failed</tspan>' in page.text


def test_a_declared_dataset_has_the_state_of_the_board_and_no_stages(portal: PortalClient) -> None:
    job(portal, "report", [ORDERS], [MART])
    gold = event(run=run_id(77), inputs=[dataset(f"{ORDERS}/silver")], outputs=[dataset(f"{ORDERS}/gold")])
    send(portal.catalog, {**gold, "job": {"namespace": "DATA_PLATFORM", "name": "shop/orders/gold"}})
    nodes = portal.json(lineage_link(MART))["nodes"]

    assert {node["name"]: node["state"] for node in nodes}[ORDERS] == "held"
    assert not [node for node in nodes if "silver" in node["name"] or "gold" in node["name"]]


def test_a_cycle_a_loop_and_two_edges_between_the_same_nodes_are_drawn(portal: PortalClient) -> None:
    job(portal, "there", [RAW], [CLEAN])
    job(portal, "back", [CLEAN], [RAW])
    job(portal, "self", [RAW], [RAW])
    job(portal, "copy", [RAW, RAW], [CLEAN, CLEAN])
    twin = portal.json(lineage_link(RAW, hops=3))

    assert names(twin) == {RAW, CLEAN, "etl/there", "etl/back", "etl/self", "etl/copy"}
    assert sum(line["is_back"] for line in twin["drawing"]["lines"]) >= 2
    assert len(twin["drawing"]["boxes"]) == 6


def test_a_node_with_thousands_of_children_shows_the_first_ones(portal: PortalClient) -> None:
    job(portal, "fan", [RAW], [f"s3://lake/child_{number}" for number in range(2_100)])
    first, more = portal.json(lineage_link("etl/fan", "PROCESS")), lineage_link("etl/fan", "PROCESS", most=2_000)

    assert len(first["nodes"]) == 22
    assert first["nodes"][0]["hidden_downstream"] == 2_080
    assert "most=100" in portal.page(lineage_link("etl/fan", "PROCESS")).text
    twin = portal.json(more)
    assert (twin["drawing"], len(twin["nodes"]), twin["total"]) == (None, 2_000, 2_002)
    page = portal.page(more).text
    assert "2002 nodes are too many for a drawing" in page
    assert "data-graph" not in page


def test_other_names_of_a_dataset_add_no_hop(portal: PortalClient) -> None:
    symlink = {"identifiers": [{"namespace": "hive", "name": "raw", "type": "TABLE"}]}
    send(portal.catalog, event(run=run_id(600), inputs=[dataset(RAW, symlinks=symlink)], outputs=[dataset(CLEAN)]))
    job(portal, "reader", ["hive/raw"], [MART])
    twin = portal.json(lineage_link(RAW))

    assert {"hive/raw", "etl/reader", MART} <= names(twin)
    assert [line["kind"] for line in twin["drawing"]["lines"]].count("link") == 1


def test_hostile_names_are_text_and_their_links_lead_back(portal: PortalClient) -> None:
    job(portal, HOSTILE, ["db://x/مرحبا بالعالم"], ["db://x/" + "顧客" * 200, "db://x/out"])
    for number in range(3):
        job(portal, f"reader {number}", ["db://x/out"], [])
    start = lineage_link(f"etl/{HOSTILE}", "PROCESS")
    page = portal.page(start)

    assert page.status_code == 200
    assert "<img src=x" not in page.text
    drawn = page.text.partition('class="sheet"')[2].partition("</svg></div>")[0]
    labels = [part.partition("</text>")[0].partition(">")[2] for part in drawn.split('class="name"')[1:]]
    assert len(labels) == 4
    assert all("\u202e" not in label and len(unescape(label)) <= 26 for label in labels)
    [opened] = re.findall(r'class="open" href="([^"#]+)', drawn)
    assert len(portal.json(unescape(opened))["nodes"]) == 7


def test_a_column_shows_what_it_is_computed_from(portal: PortalClient) -> None:
    facets = {
        "columnLineage": from_columns(total=[("raw", "amount")]),
        "schema": {"fields": [{"name": "total", "type": "int"}, {"name": "note", "type": "string"}]},
    }
    send(portal.catalog, event(run=run_id(800), inputs=[dataset(RAW)], outputs=[dataset(CLEAN, **facets)]))
    twin = portal.json(lineage_link(CLEAN, column="total"))

    assert twin["columns"] == ["total", "note"]
    [amount] = twin["column"]["nodes"][1:]
    assert (amount["dataset"], amount["column"], amount["side"]) == (RAW, "amount", "upstream")
    assert f'href="{lineage_link(RAW, column="amount")}"' in portal.page(lineage_link(CLEAN, column="total")).text
    assert "No run has reported what this column" in portal.page(lineage_link(CLEAN, column="note")).text


def test_the_csv_file_has_everything_and_no_formula(chain: PortalClient) -> None:
    reader = {**event(run=run_id(900), inputs=[dataset(MART)]), "job": {"namespace": "=cmd()", "name": "x"}}
    send(chain.catalog, reader)
    answer = chain.page(lineage_link(RAW, format="csv"))
    rows = list(csv.DictReader(StringIO(answer.text)))

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'attachment; filename="lineage.csv"' in answer.headers["content-disposition"]
    assert {row["name"] for row in rows} >= {CLEAN, MART, "'=cmd()/x", "etl/audit"}
    mart = next(row for row in rows if row["name"] == MART)
    path = f"{RAW} > etl/clean > {CLEAN} > etl/build > {MART}"
    assert (mart["direction"], mart["hops"], mart["path"]) == ("downstream", "4", path)
    assert chain.page(lineage_link("nothing/here", format="csv")).status_code == 404


def test_an_incident_shows_only_its_broken_path(chain: PortalClient) -> None:
    job(chain, "load", [RAW], [ORDERS])
    job(chain, "mart", [ORDERS], [CUSTOMERS])
    look(chain.catalog, group(finding(dataset=ORDERS), title="orders are late"), at=NOW)
    path = lineage_link(ORDERS, incident=1)
    twin = chain.json(path)

    assert twin["broken"]["incident"] == 1
    assert twin["start"]["name"] == ORDERS
    assert twin["start"]["mark"] in ("incident", "root cause")
    assert not names(twin) & {"etl/audit", "s3://lake/copy"}
    assert f'href="{path}"' in chain.page("/incidents/1").text
    assert chain.page(lineage_link(ORDERS, incident=77)).status_code == 404


@pytest.mark.parametrize("role", list(Role))
def test_everybody_sees_it_and_a_node_without_edges_says_what_to_do(portal: PortalClient, role: Role) -> None:
    page = portal.page(lineage_link(ORDERS), as_=role)

    assert page.status_code == 200
    assert "The catalog knows nothing up- or downstream of it" in page.text
    assert "style=" not in page.text
    assert portal.page(lineage_link(ORDERS), as_=None).headers["location"].startswith("/sign-in?next=%2Flineage")


def test_a_consumer_sees_the_lines_of_the_graph(chain: PortalClient) -> None:
    page = chain.page(lineage_link(CLEAN), as_=Role.DATA_CONSUMER).text
    lines = re.findall(r'<path class="data" d="([^"]*)"', page)

    assert len(lines) == len(chain.json(lineage_link(CLEAN))["edges"])
    assert all(line.startswith("M") for line in lines)


def test_a_graph_that_was_drawn_before_has_the_states_of_now(chain: PortalClient) -> None:
    first, same = (chain.page(lineage_link(CLEAN)).text for _ in range(2))
    job(chain, "build", [CLEAN], [MART])
    now = chain.page(lineage_link(CLEAN)).text

    assert first == same
    assert [page.count('<tspan class="word">completed</tspan>') for page in (first, now)] == [1, 2]


def test_the_page_of_a_dataset_has_a_small_graph(chain: PortalClient) -> None:
    page = chain.page(f"/datasets/{quote(CLEAN, safe='')}").text

    assert "Around it" in page
    assert '<text class="name" x="37" y="22">mart</text>' in page
    assert 'class="open"' not in page
    assert f'href="{lineage_link(CLEAN)}"' in page
