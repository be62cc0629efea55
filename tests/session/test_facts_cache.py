"""What providers have said of their models, kept: found again, private, and harmless whatever stands in the file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.listed_facts import ListedModel
from steersman.models.provider import ModelFacts, Price
from steersman.session.facts_cache import DAY, FactsCache

URL = "https://models.example/v1"
ALL = ModelFacts(131_072, 8192, images=True, thinking=False, price=Price(3, 15, cache_read=0.3))


@pytest.fixture
def cache(tmp_path):
    return FactsCache(tmp_path / "home" / "cache" / "models", now=lambda: 1000.0)


@pytest.fixture
def file(cache):
    cache.keep("p", URL, [ListedModel("m", ALL), ListedModel("plain")])
    return cache.folder / "p.json"


def test_what_is_kept_is_known_to_the_next_process(cache, file):
    for each in (cache, FactsCache(cache.folder)):
        assert each.facts("p", URL, "m") == ALL
        assert each.facts("p", URL, "plain") == each.facts("p", URL, "unheard-of") == ModelFacts()
        assert each.facts("other", URL, "m") == ModelFacts()


def test_the_file_is_for_its_owner_alone_and_holds_no_secret_of_the_base_url(cache):
    cache.keep("p", "https://ada:secret-word@models.example/v1?key=hidden-word", [ListedModel("m", ALL)])
    path = cache.folder / "p.json"
    home = cache.folder.parent.parent
    assert [each.stat().st_mode & 0o077 for each in (path, cache.folder, cache.folder.parent, home)] == [
        0
    ] * 4
    assert list(cache.folder.iterdir()) == [path]
    assert "word" not in path.read_text()
    assert cache.facts("p", URL, "m") == ALL


def test_what_another_server_said_under_the_same_name_does_not_count(cache, file):
    assert cache.facts("p", "http://127.0.0.1:8080/v1", "m") == ModelFacts()
    assert not cache.is_fresh("p", "http://127.0.0.1:8080/v1")


@pytest.mark.parametrize(
    ("now", "fresh"), [(1000.0, True), (1000.0 + DAY - 1, True), (1000.0 + DAY, False), (999.0, False)]
)
def test_it_is_fresh_for_a_day_and_not_by_a_clock_that_went_back(cache, file, now, fresh):
    assert FactsCache(cache.folder, now=lambda: now).is_fresh("p", URL) is fresh


def test_what_another_thread_keeps_at_any_moment_is_no_harm(cache, file):
    class Replaced(dict):
        """After each look, another thread has kept something newer."""

        def _seen(self, key, value):
            self.pop(key, None)
            return value

        def __contains__(self, key):
            return self._seen(key, super().__contains__(key))

        def __getitem__(self, key):
            return self._seen(key, super().__getitem__(key))

        def get(self, key, default=None):
            return self._seen(key, super().get(key, default))

    assert cache.facts("p", URL, "m") == ALL
    assert FactsCache(cache.folder, _read=Replaced(cache._read)).facts("p", URL, "m") == ALL


def test_facts_outlive_the_day_until_there_are_newer_ones(cache, file):
    later = FactsCache(cache.folder, now=lambda: 1000.0 + 10 * DAY)
    assert later.facts("p", URL, "m") == ALL
    later.keep("p", URL, [ListedModel("m", ModelFacts(4096))])
    assert cache.facts("p", URL, "m") == ModelFacts(4096)


@pytest.mark.parametrize("name", ["", "..", "a/b", "../p", ".hidden", "x" * 200])
def test_a_name_that_is_no_files_is_not_kept(cache, name):
    cache.keep(name, URL, [ListedModel("m", ALL)])
    assert cache.facts(name, URL, "m") == ModelFacts()
    assert not cache.folder.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version": 2}',
        b'{"version": 1, "server": 3}',
        b"[" * 100_000,
    ],
)
def test_a_file_that_can_not_be_read_is_as_if_it_were_not_there(cache, file, content):
    file.write_bytes(content)
    other = FactsCache(cache.folder)
    assert other.facts("p", URL, "m") == ModelFacts()
    assert not other.is_fresh("p", URL)
    other.keep("p", URL, [ListedModel("m", ALL)])
    assert other.facts("p", URL, "m") == ALL


def test_a_folder_in_its_place_is_no_harm(cache, file):
    file.unlink()
    file.mkdir()
    assert FactsCache(cache.folder).facts("p", URL, "m") == ModelFacts()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(
    facts=st.dictionaries(
        st.sampled_from(["context_window", "max_output", "images", "thinking", "price", "x"]), json_values
    )
)
def test_facts_of_wrong_kinds_are_not_facts(tmp_path_factory, facts):
    folder = tmp_path_factory.mktemp("cache")
    content = {"version": 1, "server": URL, "asked": 1, "models": {"m": facts, "other": {"images": True}}}
    (folder / "p.json").write_text(json.dumps(content))
    cache = FactsCache(folder)
    found = cache.facts("p", URL, "m")
    assert found.context_window is None or (type(found.context_window) is int and found.context_window > 0)
    assert found.images in (None, True, False)
    assert found.price is None or found.price.input is None or found.price.input >= 0
    assert cache.facts("p", URL, "other") == ModelFacts(images=True)


@pytest.mark.parametrize("base_url", ["http://[::1/v1", "", "::::"])
def test_nothing_is_known_of_a_server_whose_base_url_is_none(cache, file, base_url):
    assert cache.facts("p", base_url, "m") == ModelFacts()
    assert not cache.is_fresh("p", base_url)
