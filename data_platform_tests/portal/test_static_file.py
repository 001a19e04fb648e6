"""Files that browsers load: listed with version, licence and hash, part of the package, and without inline code."""

import fnmatch
import gzip
import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from data_platform.portal.asset import address_of
from data_platform_tests.portal.portal_client import PortalClient

ROOT = Path(__file__).parents[2]
PORTAL = ROOT / "data_platform" / "portal"
VENDORED = (PORTAL / "static" / "vendor", Path(__file__).parent / "vendor")
FREE = {"MIT", "0BSD", "MPL-2.0"}
FIRST_VIEW = ("vendor/pico.min.css", "tokens.css", "portal.css", "theme.js", "vendor/htmx.min.js", "portal.js")


@pytest.mark.parametrize("folder", VENDORED, ids=["of pages", "of tests"])
def test_each_vendored_file_is_listed_with_version_licence_and_hash(folder: Path) -> None:
    listed = json.loads((folder / "list.json").read_text())
    files = {path.name for path in folder.iterdir()} - {"list.json"}

    assert {row["file"] for row in listed} | {row["licence_file"] for row in listed} == files
    for row in listed:
        assert hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest() == row["sha256"], row["file"]
        assert re.fullmatch(r"\d+\.\d+\.\d+", row["version"])
        assert row["licence"] in FREE


def test_only_tests_use_a_licence_with_conditions_for_changed_files() -> None:
    [of_pages, _] = (json.loads((folder / "list.json").read_text()) for folder in VENDORED)

    assert {row["licence"] for row in of_pages} <= {"MIT", "0BSD"}


def test_each_file_of_the_portal_is_in_the_wheel() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    files = [
        path.relative_to(ROOT / "data_platform").as_posix()
        for path in PORTAL.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    ]

    assert len(files) > 15
    for name in files:
        assert any(fnmatch.fnmatch(name, pattern.replace("**/", "")) for pattern in patterns["data_platform"]), name


def test_no_template_has_an_inline_script_or_style() -> None:
    for path in (PORTAL / "templates").glob("*.html"):
        text = path.read_text(encoding="utf-8")

        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:|\|\s*safe\b", text), (
            path.name
        )
        assert "autoescape false" not in text


def test_a_first_view_is_small(empty_portal: PortalClient) -> None:
    sent = empty_portal.call("GET", address_of(FIRST_VIEW[0]), as_=None, headers={"Accept-Encoding": "gzip"})
    sizes = [len(gzip.compress((PORTAL / "static" / name).read_bytes())) for name in FIRST_VIEW]

    assert sent.headers["content-encoding"] == "gzip"
    assert sum(sizes) < 60_000


def test_a_file_may_be_kept_forever_under_its_address(empty_portal: PortalClient) -> None:
    kept = empty_portal.call("GET", address_of("portal.css"), as_=None)
    plain = empty_portal.call("GET", "/static/portal.css", as_=None)

    assert "immutable" in kept.headers["cache-control"]
    assert plain.headers["cache-control"] == "no-cache"
    assert empty_portal.call("GET", "/static/../session.py", as_=None).status_code == 404
