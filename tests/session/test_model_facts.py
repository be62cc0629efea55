"""What is known of a model: who is believed over whom, and when a provider is asked."""

import asyncio

import pytest

from steersman.models.listed_facts import ListedModel
from steersman.models.provider import ModelFacts, Price
from steersman.session.catalog import catalog_of
from steersman.session.compose import build_services
from steersman.session.facts_cache import DAY, FactsCache
from steersman.session.home import Home
from steersman.session.model_facts import NEAR_SECONDS, KnownFacts, is_near
from steersman.session.settings import load_settings
from support.listing_servers import openai_list, serving

KEY = "plain-looking-canary-0123456789"
LISTED = openai_list(
    {"id": "m", "context_length": 65_536, "pricing": {"prompt": "0.000001", "completion": "0"}}
)


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "home")
    home.make()
    return home


class Clock:
    now = 1_000_000.0


def known_of(home, config="", near_seconds=NEAR_SECONDS, **environ) -> tuple[KnownFacts, Clock]:
    home.config.write_text(config)
    home.config.chmod(0o600)
    clock = Clock()
    cache = FactsCache(home.model_facts, now=lambda: clock.now)
    catalog = catalog_of(home, load_settings(home, environ), environ)
    return KnownFacts(catalog, cache, near_seconds=near_seconds), clock


def table(url, more="") -> str:
    return f'[providers.box]\napi = "openai-chat"\nbase_url = "{url}"\n{more}'


async def test_a_provider_is_asked_once_it_has_answered_and_not_again_for_a_day(home):
    async with serving({"/v1/models": LISTED}) as server:
        # It stands in one's own network, and is asked as if it did not.
        known, clock = known_of(home, table(server.base_url), near_seconds=DAY)
        assert known.facts("box:m").context_window is None
        assert server.asked == []
        known.used("box:m")
        known.used("box:m")
        await known.asked()
        assert known.facts("box:m").context_window == known.window("box:m") == 65_536
        assert known.facts("box:m").price == Price(1, 0)
        clock.now += DAY - 1
        known.used("box:m")
        await known.asked()
        assert server.asked.count("GET /v1/models") == 1
        clock.now += 1
        known.used("box:m")
        await known.asked()
        assert server.asked.count("GET /v1/models") == 2


async def test_a_server_of_ones_own_network_is_asked_again_sooner(home):
    async with serving({"/v1/models": LISTED}) as server:
        known, clock = known_of(home, table(server.base_url))
        for _ in range(2):
            known.used("box:m")
            await known.asked()
            clock.now += 61
        assert server.asked.count("GET /v1/models") == 2


async def test_what_the_user_says_is_believed_over_what_the_provider_says(home):
    rule = '[[providers.box.models]]\nmatch = "m*"\ncontext_window = 9000\n'
    async with serving({"/v1/models": LISTED}) as server:
        known, _ = known_of(home, table(server.base_url, rule))
        known.used("box:m")
        await known.asked()
    assert known.facts("box:m").context_window == 9000
    assert known.facts("box:m").price == Price(1, 0)


@pytest.mark.parametrize(
    ("name", "listed", "rule", "sees"),
    [
        ("gpt-4o", None, "", True),
        ("gpt-4o", False, "", False),
        ("plain", None, "", False),
        ("plain", True, "", True),
        ("plain", True, '[[providers.box.models]]\nmatch = "*"\nimages = false\n', False),
    ],
)
def test_whether_images_are_sent_is_as_the_provider_says_else_as_the_name_says(
    home, name, listed, rule, sees
):
    known, _ = known_of(home, table("http://box.example/v1", rule))
    if listed is not None:
        FactsCache(home.model_facts).keep(
            "box", "http://box.example/v1", [ListedModel(name, ModelFacts(images=listed))]
        )
    assert known.facts(f"box:{name}").images is sees
    catalog = catalog_of(home, load_settings(home, {}), {})
    assert catalog.route(f"box:{name}").images is sees


async def test_the_key_of_the_provider_goes_with_the_question(home):
    async with serving({"/v1/models": LISTED}) as server:
        known, _ = known_of(home, table(server.base_url, 'key_env = "BOX_KEY"'), BOX_KEY=KEY)
        known.used("box:m")
        await known.asked()
        assert f"authorization: Bearer {KEY}".encode() in server.heads[0]


async def test_a_server_that_tells_nothing_is_nothing_to_talk_of(home, caplog):
    async with serving({}) as server:
        known, _ = known_of(home, table(server.base_url, 'key_env = "BOX_KEY"'), BOX_KEY=KEY)
        known.used("box:m")
        await known.asked()
    assert known.facts("box:m").context_window is None
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert KEY not in caplog.text


async def test_any_server_at_the_users_base_url_is_asked_if_it_is_near(home):
    async with serving({"/v1/models": LISTED}) as server:
        known, _ = known_of(home, STEERSMAN_BASE_URL=server.base_url)
        known.used("openai-chat:m")
        await known.asked()
    assert known.window("openai-chat:m") == 65_536


@pytest.mark.parametrize("spec", ["tape:x", "", "nobody:m", "openai-chat:m", "azure:x"])
async def test_others_are_not_asked(home, spec):
    known, _ = known_of(home, STEERSMAN_BASE_URL="https://gateway.example/v1", STEERSMAN_API_KEY=KEY)
    known.used(spec)
    assert known.is_asking is False
    assert known.window(spec) is None


async def test_closing_gives_up_what_is_under_way(home):
    async with serving({"/v1/models": LISTED}, silent=["/v1/models"]) as server:
        known, _ = known_of(home, table(server.base_url))
        known.used("box:m")
        assert known.is_asking
        await known.close()
        assert not known.is_asking


async def test_a_session_knows_what_its_provider_has_said(home):
    async with serving({"/v1/models": LISTED}) as server:
        home.config.write_text(table(server.base_url))
        services = build_services(home, load_settings(home, {}), approver=None)
        assert (services.window("box:m"), services.facts("box:m").price) == (None, None)
        services.model_used("box:m")
        async with asyncio.timeout(60):
            await server.was_asked.wait()
        offers = await services.list_models("box", "box:m")
        assert [model.spec for model in offers.offers[0].models] == ["box:m"]
        assert (services.window("box:m"), services.facts("box:m").price) == (65_536, Price(1, 0))
        await services.close_models()


def test_a_window_that_nothing_fits_into_is_taken_for_a_mistake(home):
    known, _ = known_of(home, table("http://box.example/v1"))
    cache = FactsCache(home.model_facts)
    cache.keep(
        "box",
        "http://box.example/v1",
        [ListedModel("m", ModelFacts(512)), ListedModel("n", ModelFacts(1000))],
    )
    assert (known.window("box:m"), known.window("box:n")) == (None, 1000)


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://localhost/v1", True),
        ("http://192.168.1.7:8000/v1", True),
        ("http://10.0.0.2/v1", True),
        ("http://gpu.local:8000/v1", True),
        ("https://api.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("https://192.168.1.7.example.com/v1", False),
    ],
)
def test_who_is_near(url, near):
    assert is_near(url) is near
