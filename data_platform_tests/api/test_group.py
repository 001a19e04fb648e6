"""The service returns the versions of a publish group that belong together, and what waits."""

from pathlib import Path

from data_platform_tests.api.service_client import ServiceClient
from data_platform_tests.stage.group_shop import GROUP, Shop, day

LINES, ORDERS = "ds://shop/lines", "ds://shop/orders"


def test_a_group_is_read_at_one_moment(service: ServiceClient, tmp_path: Path) -> None:
    shop = Shop(tmp_path, ("lines", "orders"))
    missing = service.get(f"/api/v1/groups/{GROUP}/certified")
    for name in ("orders", "lines"):
        shop.arrive(name, day(1))
    shop.arrive("orders", day(2))

    found = service.get(f"/api/v1/groups/{GROUP}/certified").json()

    assert (missing.status_code, "there are none" in missing.json()["detail"]) == (404, True)
    assert [(one["dataset_urn"], one["version"]) for one in found["members"]] == [(LINES, 0), (ORDERS, 0)]
    assert [(one["dataset_urn"], one["partition"]) for one in found["waiting"]] == [(ORDERS, day(2))]
    assert found["waiting"][0]["reason"].endswith(f"{LINES} {day(2)} has not passed yet")
    shop.platform.close()
