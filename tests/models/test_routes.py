"""A route is made once, and anew when something that it was made of has changed."""

import pytest

from steersman.models.catalog import Catalog
from steersman.models.errors import ModelConfigError
from steersman.models.provider import ModelFacts
from steersman.models.routes import General


class World:
    """What a catalog asks, and may say something else the next time."""

    def __init__(self) -> None:
        self.environ = {"OPENAI_API_KEY": "first"}
        self.general = General()
        self.facts = ModelFacts(context_window=1000)
        self.catalog = Catalog(
            general=lambda: self.general,
            environ=self.environ,
            heard=lambda *_: self.facts,
            file="config.toml",
        )


def test_it_is_the_same_while_nothing_changes():
    world = World()
    assert world.catalog.route("openai:gpt-5") is world.catalog.route("openai:gpt-5")
    assert world.catalog.route("openai:gpt-5-mini").name == "gpt-5-mini"


def test_another_key_another_server_and_news_of_the_model_are_seen():
    world = World()

    def key() -> str | None:
        known = world.catalog.route("openai:gpt-5").key
        return None if known is None else known.value

    assert key() == "first"
    world.environ["OPENAI_API_KEY"] = "second"
    assert key() == "second"
    del world.environ["OPENAI_API_KEY"]
    assert key() is None
    assert world.catalog.route("openai:gpt-5").missing is not None
    world.facts = ModelFacts(context_window=2000)
    assert world.catalog.route("openai:gpt-5").facts.context_window == 2000

    with pytest.raises(ModelConfigError):
        world.catalog.route("openai-chat:")
    assert world.catalog.route("openai-chat:m").base_url == "https://api.openai.com/v1"
    world.general = General("http://127.0.0.1:1/v1", "third")
    route = world.catalog.route("openai-chat:m")
    assert (route.base_url, route.key and route.key.value) == ("http://127.0.0.1:1/v1", "third")


def test_of_very_many_models_only_some_are_kept():
    catalog = World().catalog
    for number in range(1000):
        assert catalog.route(f"openai:m{number}").name == f"m{number}"
    assert len(catalog._routes) <= 64
