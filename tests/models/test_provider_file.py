"""The package's providers, and the tables of the user's file: what they may say, and what is told of what is wrong."""

import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from steersman.models import provider_file
from steersman.models.catalog import Catalog
from steersman.models.errors import ModelConfigError
from steersman.models.provider import ModelFacts, Price, RateLimits, Timeouts
from steersman.models.provider_file import FILE_NAME, package_providers, user_providers, with_table
from steersman.models.provider_tables import ProviderTable, checked

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
NAMED = (
    "openai anthropic gemini deepseek zai zhipu moonshot moonshot-cn qwen qwen-cn mistral xai groq openrouter \
together fireworks azure ollama llamacpp lmstudio vllm"
)
ANY_SERVER = ("openai-chat", "openai-responses")
PORTS = {"ollama": 11434, "llamacpp": 8080, "lmstudio": 1234, "vllm": 8000}


# The package's file


def test_everybody_who_is_common_is_there_and_can_be_asked(tmp_path):
    known = package_providers()
    assert {*NAMED.split(), *ANY_SERVER} == set(known)
    tables = {name: {"base_url": "https://mine.test/v1"} for name in known if known[name].base_url is None}
    assert set(tables) == {"azure"}
    environ = {variable: "k" * 20 for provider in known.values() for variable in provider.key_env}
    catalog = Catalog(user_providers(tables), environ={**environ, "STEERSMAN_API_KEY": "k"})
    for name, provider in known.items():
        if provider.key_env or provider.local:
            assert catalog.model(f"{name}:some/model:1").id == f"{name}:some/model:1"


def test_a_program_of_this_machine_wants_no_key_and_others_do():
    for name, provider in package_providers().items():
        url = urlsplit(provider.base_url or "https://mine.test")
        if name in PORTS:
            assert (provider.local, url.hostname, url.port) == (True, "127.0.0.1", PORTS[name])
            assert not provider.key_env and not provider.key_page
        else:
            assert (provider.local, url.scheme) == (False, "https")
            assert bool(provider.key_env) == bool(provider.key_page) == (name not in ANY_SERVER)


def test_a_variable_belongs_to_one_company():
    owners: dict[str, set[str]] = {}
    for provider in package_providers().values():
        for variable in provider.key_env:
            owners.setdefault(variable, set()).add(provider.id.removesuffix("-cn"))
    assert all(len(each) == 1 for each in owners.values())


def test_the_file_says_of_a_provider_what_a_user_may_but_for_what_only_he_may():
    tables = tomllib.loads(Path(provider_file.__file__).with_name(FILE_NAME).read_text("utf-8"))
    for name, table in tables.items():
        user_providers({name: {"base_url": "https://x.test", **table}})
        assert package_providers()[name] == with_table(name, checked(name, table))
    users = {"api_key", "key_command", "headers", "timeouts", "limits"}
    assert not any(users & table.keys() for table in tables.values())


def test_every_rule_of_the_file_says_something_that_no_rule_before_it_says_already():
    for provider in package_providers().values():
        for rule in provider.models:
            example = re.sub(r"\[(.)[^]]*\]", r"\1", rule.match).replace("*", "")
            assert next(each for each in provider.models if each.matches(example)) is rule
            facts = provider.facts(example)
            assert facts == rule.facts.over(facts) != ModelFacts()
            assert (facts.context_window or 10**9) >= (facts.max_output or 0)


def test_the_file_is_read_late():
    code = (
        "import sys; before = set(sys.modules); "
        "from steersman.models.catalog import Catalog; Catalog().model(sys.argv[1]); "
        "sys.exit(any(name in sys.modules.keys() - before for name in "
        "('steersman.models.provider_file', 'steersman.models.keys', 'pydantic', 'tomllib')))"
    )
    tape = "demo.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", code, f"tape:{tape}"], capture_output=True, text=True, check=False
    )
    assert "Can't read the tape" in done.stderr  # it came as far as that
    done = subprocess.run(
        [sys.executable, "-c", code.replace("Catalog().model(sys.argv[1]); ", "")], check=False
    )
    assert done.returncode == 0


# The user's


def test_a_table_overrules_what_it_says_and_leaves_the_rest():
    usual = package_providers()["deepseek"]
    mine = user_providers(
        {
            "deepseek": {
                "title": "Mine",
                "quirks": {"stream_usage": False},
                "timeouts": {"connect": 3, "stall": 2.5},
                "limits": {"concurrent": 2, "requests_per_minute": 60, "tokens_per_minute": 100_000},
                "headers": {"x-team": "blue"},
            }
        }
    )["deepseek"]
    assert (mine.provider.title, mine.provider.base_url, mine.provider.api) == (
        "Mine",
        usual.base_url,
        usual.api,
    )
    assert mine.provider.quirks == {**usual.quirks, "stream_usage": False}
    assert mine.provider.timeouts == Timeouts(3, None, 2.5)
    assert mine.provider.limits == RateLimits(2, 60, 100_000)
    assert mine.provider.headers == {"x-team": "blue"}
    assert not mine.own_base_url and not mine.own_key


def test_another_api_has_none_of_the_quirks_of_the_old_one():
    mine = user_providers(
        {"deepseek": {"api": "anthropic", "base_url": "https://api.deepseek.com/anthropic"}}
    )
    assert mine["deepseek"].provider.quirks == {}


def test_rules_of_the_user_go_before_those_of_the_package():
    rules = [
        {"match": "gpt-5-mini", "context_window": 1000, "images": False},
        {"match": "gpt-*", "context_window": 2000, "max_output": 500, "price": {"input": 1, "output": 2.5}},
    ]
    mine = user_providers({"openai": {"models": rules}})["openai"]
    assert mine.facts("gpt-5-mini") == ModelFacts(1000, 500, False, None, Price(1, 2.5))
    assert mine.provider.facts("gpt-5-mini").context_window == 1000
    assert mine.facts("o3") == ModelFacts()
    assert mine.provider.facts("o3") == package_providers()["openai"].facts("o3")


@pytest.mark.parametrize(
    ("images_of_all", "rule", "sees"),
    [(None, None, True), (False, None, False), (False, True, True), (True, False, False)],
)
def test_whether_images_are_sent_is_told_by_the_nearest_who_says_so(images_of_all, rule, sees):
    rules = [] if rule is None else [{"match": "gpt-4o", "images": rule}]
    catalog = Catalog(user_providers({"openai": {"models": rules}}), images=images_of_all)
    assert catalog.facts("openai:gpt-4o").images is sees
    assert catalog.route("openai:gpt-4o").images is sees


def test_nothing_is_known_of_a_tape_or_of_nobodys_model():
    assert Catalog().facts("tape:x") == Catalog().facts("nobody:x") == ModelFacts()


def test_a_new_provider_is_one_like_the_others():
    table = {"api": "openai-chat", "base_url": "http://gpu.test:9000/v1", "local": True}
    catalog = Catalog(user_providers({"gpu.box-1": table}))
    assert list(catalog.providers)[-1] == "gpu.box-1"
    route = catalog.route("gpu.box-1:qwen3:8b")
    assert (route.name, route.host, route.missing) == ("qwen3:8b", "gpu.test:9000", None)
    assert catalog.model("gpu.box-1:qwen3:8b").id == "gpu.box-1:qwen3:8b"


LONG = "n" * 10_000
NEW = {"api": "openai-chat", "base_url": "https://x.test/v1"}


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("x", {}, "providers.x: a new provider needs api and base_url; api is one of openai-chat, "),
        ("x", {"api": "openai-chat"}, "providers.x: a new provider needs base_url"),
        ("tape", NEW, "providers.tape: "),
        ("X Y", NEW, "providers.X Y: a provider's name is made of up to 64 of a-z"),
        (LONG, NEW, "a provider's name is made of up to 64 of a-z"),
        ("a:b", NEW, "providers.a:b: "),
        ("groq", "SECRET", "providers.groq: "),
        (
            "groq",
            {"api": "soap"},
            "providers.groq.api: Input should be 'openai-chat', 'openai-responses', 'a",
        ),
        (
            "groq",
            {"modle": 1},
            "providers.groq.modle is not a known key. Known keys: title, api, base_url, key_env",
        ),
        ("groq", {LONG: 1}, " is not a known key. Known keys: title, "),
        ("groq", {"models": [{"match": "a", LONG: 1}]}, " is not a known key. Known keys: match, "),
        ("groq", {"quirks": {LONG: True}}, " is not a quirk of openai-chat"),
        ("groq", {"headers": {LONG: 3}}, "providers.groq.headers.n"),
        ("groq", {"headers": {LONG: "\n"}}, " holds a character"),
        ("groq", {"base_url": "groq.test"}, "providers.groq.base_url: The base URL must begin with http"),
        ("groq", {"base_url": "https://u:SECRET@[x"}, "providers.groq.base_url: The base URL must begin"),
        ("groq", {"key_env": "two words"}, "providers.groq.key_env: it takes names of environment variables"),
        ("groq", {"key_env": ["A", 3]}, "providers.groq.key_env"),
        ("groq", {"api_key": ""}, "providers.groq.api_key: "),
        ("groq", {"api_key": ["SECRET"]}, "providers.groq.api_key: "),
        ("groq", {"key_command": "pass 'SECRET"}, "providers.groq.key_command: it takes a program"),
        ("groq", {"key_command": []}, "providers.groq.key_command: it takes a program"),
        ("groq", {"key_command": {"SECRET": 1}}, "providers.groq.key_command: "),
        ("groq", {"headers": {"x-a": 3}}, "providers.groq.headers.x-a: "),
        ("groq", {"headers": {"x a": "SECRET"}}, "providers.groq.headers: 'x a' is not a valid header name"),
        (
            "groq",
            {"headers": {"x-a": "SECRET\n"}},
            "providers.groq.headers: the value of x-a holds a character",
        ),
        (
            "groq",
            {"headers": {"Content-Type": "SECRET"}},
            "providers.groq.headers: Content-Type is set for each request by",
        ),
        (
            "groq",
            {"timeouts": {"connect": 0}},
            "providers.groq.timeouts.connect: Input should be greater than 0",
        ),
        (
            "groq",
            {"timeouts": {"first": 1}},
            "providers.groq.timeouts.first is not a known key. Known keys: connect",
        ),
        ("groq", {"limits": {"concurrent": 0}}, "providers.groq.limits.concurrent: Input should be greater"),
        ("groq", {"limits": {"concurrent": 1.5}}, "providers.groq.limits.concurrent: "),
        ("groq", {"limits": {"rpm": 1}}, "Known keys: concurrent, requests_per_minute, tokens_per_minute."),
        (
            "groq",
            {"quirks": {"x": True}},
            "providers.groq.quirks.x is not a quirk of openai-chat. Known quirks: ",
        ),
        ("groq", {"quirks": {"images": True}}, "providers.groq.quirks.images is not a quirk of openai-chat"),
        (
            "groq",
            {"quirks": {"stream_usage": "no"}},
            "providers.groq.quirks.stream_usage: it can be true, false",
        ),
        ("groq", {"quirks": {"max_tokens_field": "n"}}, "it can be max_tokens, max_completion_tokens."),
        ("anthropic", {"quirks": {"x": True}}, "is not a quirk of anthropic. Known quirks: none."),
        ("groq", {"models": [{}]}, "providers.groq.models.0.match: Field required"),
        ("groq", {"models": [{"match": "a", "images": "yes"}]}, "providers.groq.models.0.images: "),
        (
            "groq",
            {"models": [{"mach": "a"}]},
            "providers.groq.models.0.mach is not a known key. Known keys: match, ",
        ),
        ("groq", {"models": [{"match": "a", "price": {"in": 1}}]}, "Known keys: input, output, cache_read, "),
        (
            "groq",
            {"models": [{"match": "a", "price": {"input": -1}}]},
            "providers.groq.models.0.price.input: ",
        ),
        (
            "groq",
            {"models": [{"match": "a", "price": {"input": math.inf}}]},
            "providers.groq.models.0.price.input: Input should be a finite number",
        ),
    ],
)
def test_what_is_wrong_in_a_table_is_named_with_what_it_may_be(name, table, said):
    with pytest.raises(ModelConfigError) as error:
        user_providers({name: table})
    assert said in str(error.value)
    assert "SECRET" not in str(error.value)
    assert len(str(error.value)) < 600


def test_the_page_on_models_tells_every_provider_and_every_key_of_a_table():
    page = PAGE.read_text("utf-8")
    for name, provider in package_providers().items():
        assert f"`{name}`" in page
        assert all(f"`{variable}`" in page for variable in provider.key_env), name
    assert all(f"`{key}`" in page for key in ProviderTable.model_fields)
