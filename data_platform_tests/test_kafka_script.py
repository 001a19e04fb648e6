"""The script that starts a Kafka broker for development and tests."""

import runpy

from data_platform_tests.own_kafka import SCRIPT


def test_the_id_of_a_cluster_never_looks_like_an_option() -> None:
    cluster_id = runpy.run_path(str(SCRIPT))["cluster_id"]
    made = [cluster_id(bytes([first, *range(15)])) for first in range(256)]
    assert not [one for one in made if one.startswith("-")]
    assert {len(one) for one in made} == {22}
