"""Certificates are read when a TLS connection is made, and then it is httpx's own context that is used."""

import ssl
from pathlib import Path

import certifi
import httpx
import pytest

from steersman.models.trusted import read_certificates, trusted_context


@pytest.fixture
def plain_environment(monkeypatch):
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("plain_environment")
def test_a_connection_is_verified_as_httpx_would():
    context = trusted_context()
    context.set_alpn_protocols(["http/1.1"])
    connection = context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")
    used, usual = connection.context, httpx.create_ssl_context()
    assert used is not context
    for name in ("verify_mode", "check_hostname", "verify_flags", "options", "minimum_version"):
        assert getattr(used, name) == getattr(usual, name), name
    assert used.cert_store_stats() == usual.cert_store_stats()
    assert used.cert_store_stats()["x509_ca"] > 50
    assert connection.server_hostname == "localhost"


@pytest.mark.usefixtures("plain_environment")
def test_they_are_read_once_for_all_clients():
    read_certificates()
    first, second = (
        trusted_context().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")
        for _ in range(2)
    )
    assert first.context is second.context


@pytest.mark.usefixtures("plain_environment")
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
def test_what_the_environment_names_is_read_at_once(monkeypatch, tmp_path, name):
    monkeypatch.setenv(name, str(tmp_path / "missing.pem"))
    with pytest.raises(OSError, match="No such file"):
        trusted_context()
    read_certificates()  # nobody is told before


@pytest.mark.usefixtures("plain_environment")
def test_what_the_environment_names_is_read_once(monkeypatch, tmp_path):
    mine = tmp_path / "mine.pem"
    mine.write_text(Path(certifi.where()).read_text())
    monkeypatch.setenv("SSL_CERT_FILE", str(mine))
    read_certificates()
    mine.unlink()
    assert trusted_context() is trusted_context()
    assert trusted_context().cert_store_stats()["x509_ca"] > 50


@pytest.mark.usefixtures("plain_environment")
def test_certificates_for_other_programs_that_are_missing_are_left_out_with_a_word(
    monkeypatch, tmp_path, caplog
):
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(tmp_path / "missing.pem"))
    assert trusted_context().cert_store_stats()["x509_ca"] > 50
    assert "NODE_EXTRA_CA_CERTS" in caplog.text
