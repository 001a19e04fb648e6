"""A publish group names datasets that can be published together; every other group is a problem with its line."""

from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform.policies import load_policies
from data_platform.policies.lint.check import check_policies
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, derived, landed, problems, write

DAILY = ("source: {format: csv, path: 'x/{partition}', producer: shop}", "partition: {key: day, start: 2025-01-01}")
LINES = "datasets/shop/lines"


def two(*lines_policy: str) -> dict[str, str]:
    """Orders and order lines, which have no partitions unless ``lines_policy`` says so."""
    policy = lines_policy or ("source: {format: csv, path: lines, producer: shop}",)
    return {
        **landed(),
        f"{LINES}/dataset.yaml": dataset_yaml("ds://shop/lines", *policy),
        f"{LINES}/policy_bundle.yaml": bundle_yaml("order_id BIGINT"),
    }


def group(*members: str, name: str = "sales") -> dict[str, str]:
    listed = "".join(f"\n  - {member}" for member in members) or " []"
    return {f"groups/{name}.yaml": f"name: {name}\nowner_team: shop\nmembers:{listed}\n"}


@pytest.mark.parametrize(
    "members",
    [
        pytest.param(("ds://shop/orders", "ds://shop/lines"), id="URNs"),
        pytest.param(("shop/orders", "shop/lines"), id="zone and name"),
        pytest.param(("orders", "lines"), id="short names"),
    ],
)
def test_the_members_of_a_group_are_sorted_urns(tmp_path: Path, members: tuple[str, ...]) -> None:
    policies = load_policies(write(tmp_path, {**two(), **group(*members)}))

    assert policies.group("sales").members == ("ds://shop/lines", "ds://shop/orders")
    assert policies.group_of("ds://shop/orders") == policies.group("sales")
    with pytest.raises(UsageError, match="'sale' is not a publish group; did you mean sales"):
        policies.group("sale")


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        pytest.param(
            {**two(), **group("orders", "line")},
            "groups/sales.yaml:5: members[1]: there is no dataset line",
            id="unknown",
        ),
        pytest.param(
            {**two(), **group("orders")}, "groups/sales.yaml:3: members: found 1, expected at least 2", id="one member"
        ),
        pytest.param(
            {**two(), **group("orders", "lines", "orders")}, "ds://shop/orders is here twice", id="a member twice"
        ),
        pytest.param(
            {**two(), **group("orders", "lines"), **group("orders", "lines", name="other")},
            "groups/sales.yaml:4: members[0]: ds://shop/orders is in group other too",
            id="a member of two groups",
        ),
        pytest.param(
            {**two(*DAILY), **group("orders", "lines")},
            "members[1]: ds://shop/lines has days, and ds://shop/orders has no partitions",
            id="different partitioning",
        ),
        pytest.param(
            {**two("description: external"), **group("orders", "lines")}, "ds://shop/lines is external", id="external"
        ),
        pytest.param(
            {**derived(), **group("orders", "totals")},
            "ds://shop/totals is made of ds://shop/orders, which is in this group too",
            id="made of another member",
        ),
        pytest.param(
            {**two(), "groups/sales.yaml": "name: sale\nowner_team: shop\nmembers: [orders, lines]\n"},
            "name: found sale, but the file is named sales.yaml",
            id="another name than the file's",
        ),
        pytest.param({**two(), "groups/sales.yml": ""}, "groups/sales.yml: not a file of a group", id="another file"),
        pytest.param(
            {
                **two(),
                "groups/sales.yaml": "name: sales\nowner_team: shop\nmember: [orders]\nmembers: [orders, lines]\n",
            },
            "member: not a known key; allowed: name, description, owner_team, members; did you mean members?",
            id="unknown key",
        ),
    ],
)
def test_a_group_that_cannot_be_published_together_is_a_problem(
    tmp_path: Path, files: dict[str, str], problem: str
) -> None:
    assert problem in "\n".join(problems(tmp_path, files))


def test_a_name_that_two_zones_have_must_be_written_in_full(tmp_path: Path) -> None:
    other = {
        "datasets/web/orders/dataset.yaml": dataset_yaml(
            "ds://web/orders", "source: {format: csv, path: w, producer: w}"
        )
    }

    found = problems(tmp_path, {**two(), **other, **group("orders", "lines")})

    assert "'orders' is the name of 2 datasets, ds://shop/orders, ds://web/orders" in "\n".join(found)


def test_lint_knows_groups(tmp_path: Path) -> None:
    root = write(tmp_path, {**two(), **group("orders", "lines", "missing")})

    [finding] = [one for one in check_policies(root) if one.file == "policies/groups/sales.yaml"]

    assert (finding.code, finding.line) == ("DP005", 6)
