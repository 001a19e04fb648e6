"""``data-platform serve`` accepts only this machine unless it is configured for others."""

from pathlib import Path
from typing import Any

import pytest
import uvicorn

from data_platform.cli.serve import is_loopback
from data_platform_tests.cli.shop import Shop


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> list[uvicorn.Config]:
    """What uvicorn would run; it is not run."""
    found: list[uvicorn.Config] = []

    def note(server: uvicorn.Server, sockets: Any = None) -> None:  # noqa: ARG001 - uvicorn's signature
        found.append(server.config)

    monkeypatch.setattr(uvicorn.Server, "run", note)
    return found


def test_it_listens_at_this_machine_alone_and_is_named_not_imported(
    shop: Shop, configured: list[uvicorn.Config]
) -> None:
    result = shop.run("serve")

    [config] = configured
    assert result.exit_code == 0
    assert (config.host, config.port, config.app, config.factory) == (
        "127.0.0.1",
        8080,
        "data_platform.server:create",
        True,
    )
    assert config.server_header is False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "db.example.com"])  # noqa: S104 - what is refused
def test_an_address_that_others_can_reach_is_refused_without_tls(
    shop: Shop, configured: list[uvicorn.Config], host: str
) -> None:
    refused = shop.run("serve", "--host", host)

    assert refused.exit_code == 2
    assert "--allow-remote" in refused.stderr
    assert "--tls-cert" in refused.stderr
    assert configured == []
    assert shop.run("serve", "--host", host, "--allow-remote").exit_code == 0
    assert configured[0].host == host


def test_with_tls_it_may_be_reached_by_others(shop: Shop, configured: list[uvicorn.Config], tmp_path: Path) -> None:
    files = [tmp_path / "cert.pem", tmp_path / "key.pem"]
    for file in files:
        file.touch()
    certificate, key = (str(file) for file in files)

    result = shop.run("serve", "--host", "0.0.0.0", "--tls-cert", certificate, "--tls-key", key)  # noqa: S104

    assert result.exit_code == 0
    assert (str(configured[0].ssl_certfile), str(configured[0].ssl_keyfile)) == (certificate, key)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(("--tls-cert", "c.pem"), "need each other", id="certificate without key"),
        pytest.param(("--tls-key", "k.pem"), "need each other", id="key without certificate"),
        pytest.param(("--tls-cert", "c.pem", "--tls-key", "k.pem"), "there is no file c.pem", id="no such file"),
        pytest.param(("--port", "0"), "port", id="no port"),
    ],
)
def test_wrong_options_are_reported_before_anything_is_opened(
    new_shop: Shop, options: tuple[str, ...], said: str
) -> None:
    result = new_shop.run("serve", *options)

    assert result.exit_code == 2
    assert said in result.stderr
    assert not (new_shop.root / "home").exists()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("", False)],
)
def test_loopback_is_recognized_by_its_address(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
