"""A disk that takes no more, where what is written is not a session's log: nothing half is left, and work goes on.

What a session writes itself is in tests/crash, at every single write.
"""

import sys
from pathlib import Path

import pytest

from steersman.session.catalog import catalog_of
from steersman.session.errors import SessionError
from steersman.session.facts_cache import FactsCache
from steersman.session.home import Home
from steersman.session.model_list import ModelLister
from steersman.session.settings import load_settings
from steersman.session.trust import TrustStore
from support.full_disk import no_room
from support.listing_servers import OllamaModel, ollama, places, serving
from support.scripted_model import answer
from support.session_harness import SessionHarness

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")

HALF = 3000
"""Bytes of a transcript that fit."""


@pytest.mark.parametrize("room", [0, HALF])
async def test_a_transcript_that_does_not_fit_is_told_and_leaves_nothing(tmp_path: Path, room: int):
    h = SessionHarness(tmp_path, answer("All of it. " * 1000), answer("Once more."))
    session = (await h.run()).session
    target = tmp_path / "there" / "out.md"
    target.parent.mkdir()
    with no_room(room):
        await h.manager.exports.begin(session, "markdown", target)
        await h.manager.exports.settled()
    assert "could not be written: File too large" in h.of("export_end")[0]["failed"]
    assert list(target.parent.iterdir()) == []
    await h.manager.exports.begin(session, "markdown", target)
    await h.manager.exports.settled()
    assert h.of("export_end")[1].get("failed") is None
    assert target.stat().st_size > HALF
    await h.run("go on", session=session)
    h.verify()
    await h.close()


async def test_a_transcript_that_does_not_fit_leaves_the_one_that_it_would_replace(tmp_path: Path):
    h = SessionHarness(tmp_path, answer("All of it. " * 1000))
    session = (await h.run()).session
    target = tmp_path / "out.md"
    target.write_text("of yesterday")
    with no_room(HALF):
        await h.manager.exports.begin(session, "markdown", target, overwrite=True)
        await h.manager.exports.settled()
    assert h.of("export_end")[0]["failed"]
    assert target.read_text() == "of yesterday"
    await h.close()


async def test_what_providers_say_of_models_is_used_though_it_can_not_be_kept(tmp_path: Path):
    home = Home(tmp_path / "home")
    async with serving(ollama(OllamaModel("qwen3:8b", running=8192))) as server:
        with places(home, ollama=server.port):
            settings = load_settings(home, {})
            cache = FactsCache(home.model_facts)
            lister = ModelLister(catalog_of(home, settings, {}), settings, cache, str(home.config), seconds=1)
            with no_room():
                (model,) = (await lister.offers()).of("ollama").models
    assert (model.spec, model.facts.context_window) == ("ollama:qwen3:8b", 8192)
    assert cache.facts("ollama", server.base_url, "qwen3:8b").context_window is None
    assert [path for path in home.model_facts.rglob("*") if path.is_file()] == []


def test_an_answer_about_trust_that_can_not_be_kept_holds_here_and_loses_no_other(tmp_path: Path):
    home, other, folder = Home(tmp_path / "home"), tmp_path / "other", tmp_path / "folder"
    for each in (other, folder):
        each.mkdir()
    store = TrustStore(home)
    store.remember(other, True)
    with no_room():
        with pytest.raises(SessionError, match=r"can't be kept: .*File too large"):
            store.remember(folder, True)
        assert store.answer(folder) is True
    assert TrustStore(home).answer(other) is True
    assert TrustStore(home).answer(folder) is None
