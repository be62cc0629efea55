"""What models there are: everybody is asked at once, keys go where runs send them, and who can't be used says why."""

import pytest

from steersman.models.errors import ModelConfigError
from steersman.models.provider import ModelFacts
from steersman.session.catalog import catalog_of
from steersman.session.facts_cache import FactsCache
from steersman.session.home import Home
from steersman.session.model_list import ModelLister
from steersman.session.settings import load_settings
from support.listing_servers import OllamaModel, llamacpp, ollama, openai_list, places, serving

KEY = "plain-looking-canary-0123456789"
LISTED = {"/v1/models": openai_list({"id": "m", "context_length": 65_536}, "n")}


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def lister(home, *, seconds: float = 60, **environ) -> ModelLister:
    settings = load_settings(home, environ)
    return ModelLister(
        catalog_of(home, settings, environ),
        settings,
        FactsCache(home.model_facts),
        str(home.config),
        seconds=seconds,
        local_seconds=60,
    )


def box(url: str, more: str = "", name: str = "box") -> str:
    return f'[providers.{name}]\napi = "openai-chat"\nbase_url = "{url}"\n{more}\n'


async def test_a_local_server_is_offered_without_any_configuration_of_it(home):
    async with serving(ollama(OllamaModel("qwen3:8b", running=8192))) as server:
        with places(home, ollama=server.port):
            offers = await lister(home).offers()
    found = offers.of("ollama")
    assert found.usable
    assert [(model.spec, model.facts.context_window, model.loaded) for model in found.models] == [
        ("ollama:qwen3:8b", 8192, True)
    ]
    assert offers.offers[0] is found
    assert "Not running on 127.0.0.1:" in offers.of("llamacpp").problem
    assert FactsCache(home.model_facts).facts("ollama", server.base_url, "qwen3:8b").context_window == 8192


async def test_an_ollama_without_a_model_is_no_use_yet(home):
    async with serving(ollama()) as server:
        with places(home, ollama=server.port):
            offers = await lister(home).offers()
    assert (offers.of("ollama").usable, offers.of("ollama").problem) == (False, "It has no model yet.")


async def test_another_program_on_a_port_is_called_what_it_is_and_says_how_it_is_used(home):
    async with serving(llamacpp("qwen3", served=4096)) as server:
        with places(home, ollama=server.port):
            offers = await lister(home).offers()
    assert offers.of("ollama").problem == f"Another program answers on 127.0.0.1:{server.port}."
    (other,) = [offer for offer in offers.offers if offer.title == "llama.cpp" and offer.models]
    assert (other.usable, other.server) == (False, f"127.0.0.1:{server.port}")
    assert other.mend == f"Set STEERSMAN_BASE_URL={server.base_url} and STEERSMAN_MODEL=openai-chat:qwen3."


async def test_a_provider_with_a_key_is_asked_with_it_and_one_without_says_what_to_set(home):
    async with serving(LISTED) as server:
        with places(home, box(server.base_url, 'key_env = "BOX_KEY"')):
            offers = await lister(home, BOX_KEY=KEY).offers()
            without = await lister(home).offers()
    assert [model.spec for model in offers.of("box").models] == ["box:m", "box:n"]
    assert f"authorization: Bearer {KEY}".encode() in server.heads[0]
    assert (without.of("box").usable, without.of("box").problem) == (False, "No API key.")
    assert "BOX_KEY" in without.of("box").mend
    assert "Set GROQ_API_KEY (https://" in without.of("groq").mend
    assert KEY not in str(offers.data())


async def test_what_the_user_says_of_a_model_counts_over_what_is_listed(home):
    rule = '[[providers.box.models]]\nmatch = "m"\ncontext_window = 9000\nimages = true'
    async with serving(LISTED) as server:
        with places(home, box(server.base_url, rule)):
            offers = await lister(home).offers("box")
    assert offers.of("box").models[0].facts == ModelFacts(9000, images=True)
    assert [offer.provider for offer in offers.offers] == ["box"]


@pytest.mark.parametrize(
    ("answers", "status", "usable"),
    [(LISTED, 401, False), ({}, 200, True), ({"/v1/models": "hello"}, 200, True)],
)
async def test_whether_a_run_could_work_with_a_server_that_lists_nothing(home, answers, status, usable):
    async with serving(answers, status=status) as server:
        with places(home, box(server.base_url)):
            found = (await lister(home).offers("box")).of("box")
    assert (found.usable, found.models) == (usable, ())
    assert "127.0.0.1" in found.problem


async def test_a_key_that_others_may_read_is_told_of_beside_its_own_provider_alone(home):
    with places(home, box("http://127.0.0.1:9/v1", f'api_key = "{KEY}"')):
        home.config.chmod(0o644)
        offers = await lister(home).offers()
    said = {each.provider: f"{each.problem} {each.mend}" for each in offers.offers}
    assert [name for name, text in said.items() if "chmod 600" in text] == ["box"]


async def test_all_are_asked_at_once(home):
    names = ("one", "other", "third")
    async with serving(LISTED, together=len(names)) as server:
        with places(home, "".join(box(server.base_url, name=name) for name in names)):
            offers = await lister(home).offers()
    assert [offers.of(name).usable for name in names] == [True, True, True]


async def test_one_that_does_not_answer_is_not_waited_for_and_says_why(home):
    async with serving(LISTED, silent=["/v1/models"]) as slow:
        with places(home, box(slow.base_url)):
            offers = await lister(home, seconds=1).offers()
    assert not offers.of("box").usable
    assert "did not answer within 1 seconds" in offers.of("box").problem


async def test_the_key_for_any_server_goes_to_the_server_of_the_configured_model_alone(home):
    async with serving(LISTED) as server:
        with places(
            home, box(server.base_url, name="gemini") + box(server.base_url, name="openai-responses")
        ):
            # Here `openai-chat` would go to its own company: nothing is configured that says so.
            offers = await lister(home, STEERSMAN_API_KEY=KEY).offers()
    for provider in ("openai-chat", "anthropic"):
        assert not offers.of(provider).usable
        assert offers.of(provider).problem == "STEERSMAN_API_KEY may be meant for another server."
    assert not [head for head in server.heads if KEY.encode() in head]


def test_a_key_that_two_providers_share_goes_to_one_of_them(home):
    with places(home):
        it = lister(home, MOONSHOT_API_KEY=KEY)
    routes = {each: it.catalog.route(f"{each}:m") for each in ("moonshot", "moonshot-cn")}
    assert it.not_meant(routes["moonshot"], None) is None
    assert it.not_meant(routes["moonshot-cn"], None) == "MOONSHOT_API_KEY may be meant for moonshot."
    assert it.not_meant(routes["moonshot-cn"], "moonshot-cn:m") is None
    assert (
        it.not_meant(routes["moonshot"], "moonshot-cn:m") == "MOONSHOT_API_KEY may be meant for moonshot-cn."
    )


async def test_the_users_base_url_is_asked_once_with_the_api_of_the_configured_model(home):
    async with serving(LISTED) as server:
        with places(home):
            environ = {"STEERSMAN_BASE_URL": server.base_url, "STEERSMAN_API_KEY": KEY}
            plain = await lister(home, **environ).offers()
            asked = server.asked.count("GET /v1/models")
            named = await lister(home, **environ, STEERSMAN_MODEL="openai-responses:m").offers()
    assert asked == 1
    assert [model.spec for model in plain.of("openai-chat").models] == ["openai-chat:m", "openai-chat:n"]
    assert not plain.of("anthropic").usable
    assert named.of("openai-responses").models[0].spec == named.configured == "openai-responses:m"
    assert not named.of("openai-chat").usable


async def test_the_users_base_url_on_this_machine_is_not_offered_twice(home):
    async with serving(llamacpp("qwen3", served=4096)) as server:
        with places(home, ollama=server.port):
            offers = await lister(home, STEERSMAN_BASE_URL=server.base_url).offers()
    assert offers.of("openai-chat").models[0].facts.context_window == 4096
    assert [offer.server for offer in offers.offers if offer.models] == [f"127.0.0.1:{server.port}"]


async def test_a_local_provider_that_wants_a_key_is_asked_as_the_user_says(home):
    async with serving(ollama(OllamaModel("qwen3:8b"))) as server:
        table = f'[providers.ollama]\nbase_url = "{server.base_url}"\nkey_env = "OLLAMA_KEY"\n'
        home.make()
        home.config.write_text(table)
        offers = await lister(home, OLLAMA_KEY=KEY).offers("ollama")
    assert offers.of("ollama").models[0].spec == "ollama:qwen3:8b"
    assert all(KEY.encode() in head for head in server.heads)


async def test_models_of_azure_are_deployments_so_none_is_listed(home):
    async with serving(LISTED) as server:
        home.make()
        home.config.write_text(f'[providers.azure]\nbase_url = "{server.base_url}"\n')
        offers = await lister(home, AZURE_OPENAI_API_KEY=KEY).offers("azure")
    assert (offers.of("azure").usable, offers.of("azure").models, server.asked) == (True, (), [])
    assert "azure:DEPLOYMENT" in offers.of("azure").problem


async def test_a_key_command_that_prints_none_is_told(home):
    with places(home, box("http://127.0.0.1:9/v1", 'key_command = "false"')):
        found = (await lister(home).offers("box")).of("box")
    assert not found.usable
    assert "false" in found.problem


async def test_a_provider_that_does_not_exist_is_named(home):
    with places(home), pytest.raises(ModelConfigError, match="openrouter"):
        await lister(home).offers("openrooter")


@pytest.mark.parametrize("spare", [False, True])
async def test_one_loaded_model_on_this_machine_is_named_and_not_one_of_two(home, spare):
    models = [OllamaModel("qwen3:8b", running=8192), OllamaModel("rests:4b")]
    if spare:
        models.append(OllamaModel("gemma3:4b", running=8192))
    async with serving(ollama(*models)) as server:
        with places(home, ollama=server.port):
            setting = await lister(home).to_begin_with()
    assert setting == (None if spare else "STEERSMAN_MODEL=ollama:qwen3:8b")


async def test_a_model_where_no_provider_looks_is_named_with_its_base_url(home):
    async with serving(llamacpp("qwen3", served=4096)) as server:
        with places(home, vllm=server.port):
            setting = await lister(home).to_begin_with()
    assert setting == f"STEERSMAN_BASE_URL={server.base_url} STEERSMAN_MODEL=openai-chat:qwen3"


async def test_two_servers_are_a_choice_of_the_users(home):
    async with serving(llamacpp("a", served=4096)) as one, serving(ollama()) as two:
        with places(home, llamacpp=one.port, ollama=two.port):
            assert await lister(home).to_begin_with() is None


@pytest.mark.parametrize(
    "base_url", ["http://localhost:port/v1", "http://localhost:99999/v1", "http://[::1/v1"]
)
async def test_a_base_url_that_is_none_is_told_of_where_its_models_would_be(home, base_url):
    with places(home):
        offers = await lister(home, STEERSMAN_BASE_URL=base_url, STEERSMAN_MODEL="openai-chat:m").offers()
    offer = offers.of("openai-chat")
    assert not offer.usable
    assert "base URL" in offer.problem


async def test_what_can_not_be_kept_is_offered_all_the_same(home, caplog):
    caplog.set_level("INFO")
    home.model_facts.parent.mkdir(parents=True)
    home.model_facts.write_text("in the way")
    async with serving(LISTED) as server:
        home.config.write_text(box(server.base_url))
        offer = (await lister(home).offers("box")).of("box")
    assert [model.name for model in offer.models] == ["m", "n"]
    assert "What box offers could not be kept" in caplog.text
