"""A script that writes to a place that no policy declares is found; what it computes is not guessed."""

from pathlib import Path

import pytest

from data_platform.policies.lint import scan_scripts
from data_platform_tests.policies.tree import landed, load


@pytest.mark.parametrize(
    ("call", "places"),
    [
        pytest.param('df.write.save("/lake/returns")', ["/lake/returns"], id="a path"),
        pytest.param('df.write.mode("overwrite").format("delta").save("s3://lake/x/")', ["s3://lake/x/"], id="a chain"),
        pytest.param('df.write.partitionBy("day").saveAsTable("shop.returns")', ["shop.returns"], id="a table"),
        pytest.param('df.write.parquet(path="/lake/returns")', ["/lake/returns"], id="a named argument"),
        pytest.param('df.write.saveAsTable("shop.orders")', [], id="a declared table"),
        pytest.param('df.write.save("/mnt/lake/gold/shop/orders/")', [], id="a declared path, in a lake somewhere"),
        pytest.param("df.write.save(target)", [], id="a computed path"),
        pytest.param('figure.save("/lake/chart")', [], id="no Spark writer"),
        pytest.param('spark.read.parquet("/lake/returns")', [], id="a read"),
        pytest.param("df.write.save(", [], id="not Python"),
    ],
)
def test_a_write_to_an_undeclared_place_is_found(tmp_path: Path, call: str, places: list[str]) -> None:
    policies = load(tmp_path, landed())
    script = tmp_path / "jobs" / "daily.py"
    script.parent.mkdir()
    script.write_text(f"# a legacy job\n{call}\n")
    (tmp_path / "jobs" / ".venv").mkdir()
    (tmp_path / "jobs" / ".venv" / "other.py").write_text('df.write.save("/hidden")')

    findings = scan_scripts(tmp_path / "jobs", policies)

    assert [(one.code, one.file, one.line) for one in findings] == [("DP013", str(script), 2)] * len(places)
    assert [one.message for one in findings] == [f"writes {place}, which no policy declares" for place in places]
