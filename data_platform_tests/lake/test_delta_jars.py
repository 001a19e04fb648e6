"""Delta's jars are resolved by one start on a machine, and every later start names their files."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from data_platform.lake.delta_jars import DELTA_PACKAGE, JARS, PACKAGES, delta_setting, remember

BY_PACKAGE = {PACKAGES: DELTA_PACKAGE}
SPARK_SQL = "io.delta_delta-spark_4.2_2.13-4.4.0.jar"
STORAGE = "io.delta_delta-storage-4.4.0.jar"
JACKSON = "com.fasterxml.jackson.core_jackson-core-2.13.5.jar"


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """A Spark that brings Jackson in a version of its own."""
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "jackson-core-2.18.1.jar").touch()
    return home


@pytest.fixture
def resolved(tmp_path: Path) -> str:
    """Spark's setting after Ivy has resolved Delta; the folder's name needs quoting in a URI."""
    folder = tmp_path / "ivy jars"
    folder.mkdir()
    for name in (SPARK_SQL, STORAGE, JACKSON):
        (folder / name).write_text(name)
    return ",".join((folder / name).as_uri() for name in (SPARK_SQL, STORAGE, JACKSON))


def start(spark_home: Path, cache: Path, resolved: str, extra: dict[str, str] | None = None) -> dict[str, str]:
    with delta_setting(extra or {}, spark_home, cache) as found:
        if found == BY_PACKAGE:
            remember(resolved, cache)
        return found


def test_the_second_start_names_the_files_that_spark_does_not_bring(
    spark_home: Path, tmp_path: Path, resolved: str
) -> None:
    cache = tmp_path / "cache"

    first, second = (start(spark_home, cache, resolved) for _ in range(2))

    assert first == BY_PACKAGE
    assert second == {JARS: ",".join(uri for uri in resolved.split(",") if "jackson" not in uri)}


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda jars, _: (jars / STORAGE).unlink(), id="a jar is gone"),
        pytest.param(lambda jars, _: (jars / STORAGE).write_text("half"), id="a jar has another size"),
        pytest.param(lambda _, file: file.write_text("[["), id="the list is half written"),
        pytest.param(lambda _, file: file.write_text('{"a": 1}'), id="the list has another shape"),
        pytest.param(lambda _, file: file.write_text(json.dumps([])), id="the list is empty"),
    ],
)
def test_what_is_not_as_it_was_is_resolved_again(
    damage: object, spark_home: Path, tmp_path: Path, resolved: str
) -> None:
    cache = tmp_path / "cache"
    start(spark_home, cache, resolved)
    [file] = cache.glob("*.json")
    assert callable(damage)

    damage(tmp_path / "ivy jars", file)

    assert start(spark_home, cache, resolved) == BY_PACKAGE


@pytest.mark.parametrize(
    ("extra", "defaults"),
    [
        pytest.param({"spark.jars.packages": "a:b:1"}, "", id="packages of the caller"),
        pytest.param({"spark.jars": "/a.jar"}, "", id="jars of the caller"),
        pytest.param({}, "spark.jars /opt/site.jar\n", id="jars of Spark's own configuration"),
    ],
)
def test_configured_jars_are_left_to_ivy(
    extra: dict[str, str],
    defaults: str,
    spark_home: Path,
    tmp_path: Path,
    resolved: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    cache = tmp_path / "cache"
    start(spark_home, cache, resolved)
    (spark_home / "conf").mkdir()
    (spark_home / "conf" / "spark-defaults.conf").write_text(defaults)

    assert start(spark_home, cache, resolved, extra) == BY_PACKAGE


def test_a_list_without_delta_is_not_kept(spark_home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    start(spark_home, cache, "file:///opt/other-1.0.jar")

    assert not list(cache.glob("*.json"))


def test_a_home_that_cannot_be_written_costs_the_list_and_no_start(
    spark_home: Path, tmp_path: Path, resolved: str
) -> None:
    (tmp_path / "file").touch()

    assert start(spark_home, tmp_path / "file" / "cache", resolved) == BY_PACKAGE


def test_first_starts_at_the_same_time_resolve_once(spark_home: Path, tmp_path: Path, resolved: str) -> None:
    cache, inside, go_on = tmp_path / "cache", Event(), Event()

    def first() -> dict[str, str]:
        with delta_setting({}, spark_home, cache) as found:
            inside.set()
            assert go_on.wait(60)
            remember(resolved, cache)
            return found

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(first)
        assert inside.wait(60)
        other = threads.submit(start, spark_home, cache, resolved)
        go_on.set()

        assert one.result(60) == BY_PACKAGE
        assert list(other.result(60)) == [JARS]
