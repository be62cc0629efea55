"""A key goes to the base URL of its own source only: every combination of sources and base URLs, up to the request."""

from itertools import product

import httpx
import pytest

from steersman.models.errors import MissingKey
from steersman.session.catalog import catalog_of, secrets_of, withheld_variables
from steersman.session.home import Home
from steersman.session.settings import load_settings
from support.model_server import Canned, events_of

PACKAGE = {"groq": "api.groq.com", "anthropic": "api.anthropic.com"}
VARIABLE = {"groq": "GROQ_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
KEYS = {
    "variable of the package": "key-of-the-package-variable",
    "key_env of the table": "key-of-the-table-variable",
    "api_key of the table": "key-in-the-table",
    "key_command of the table": "key-of-the-table-command",
    "STEERSMAN_API_KEY": "key-of-steersman",
    "api_key of the file": "key-in-the-file",
}
HEADER = "header-of-the-table"
OTHERS = {"environment": "environment.test", "file": "file.test", "table": "table.test"}


def home_with(tmp_path, provider: str, keys: set[str], urls: set[str], mode: int = 0o600) -> Home:
    top, table = [], ['headers = { "x-gate" = "header-of-the-table" }']
    if "api_key of the file" in keys:
        top.append(f'api_key = "{KEYS["api_key of the file"]}"')
    if "file" in urls:
        top.append('base_url = "https://file.test/v1"')
    if "table" in urls:
        table.append('base_url = "https://table.test/v1"')
    if "key_env of the table" in keys:
        table.append('key_env = ["NOT_SET", "TABLE_KEY"]')
    if "api_key of the table" in keys:
        table.append(f'api_key = "{KEYS["api_key of the table"]}"')
    if "key_command of the table" in keys:
        table.append(f'key_command = "echo {KEYS["key_command of the table"]}"')
    home = Home(tmp_path / "home")
    home.root.mkdir(exist_ok=True)
    home.config.write_text("\n".join([*top, f"[providers.{provider}]", *table]))
    home.config.chmod(mode)
    return home


def environment(provider: str, keys: set[str], urls: set[str]) -> dict[str, str]:
    environ = {"OPENAI_API_KEY": "key-of-somebody-else", "PATH": "/usr/bin:/bin"}
    if "variable of the package" in keys:
        environ[VARIABLE[provider]] = KEYS["variable of the package"]
    if "key_env of the table" in keys:
        environ["TABLE_KEY"] = KEYS["key_env of the table"]
    if "STEERSMAN_API_KEY" in keys:
        environ["STEERSMAN_API_KEY"] = KEYS["STEERSMAN_API_KEY"]
    if "environment" in urls:
        environ["STEERSMAN_BASE_URL"] = "https://environment.test/v1"
    return environ


def owner(source: str, provider: str, urls: set[str]) -> str | None:
    """The host that a key of this source may go to."""
    own = OTHERS["table"] if "table" in urls else PACKAGE[provider]
    if source == "variable of the package":
        return PACKAGE[provider]
    if source.endswith("of the table"):
        return own
    if provider == "groq":
        return None  # it is not named like an API
    if source == "STEERSMAN_API_KEY":
        return OTHERS["environment"] if "environment" in urls else PACKAGE[provider]
    return OTHERS["file"] if "file" in urls else PACKAGE[provider]


def destination(provider: str, urls: set[str]) -> str:
    """The host that is asked: the environment's for any server, the table's, the file's for any server, the own."""
    general = provider == "anthropic"
    order = (
        ("environment", general and "environment" in urls),
        ("table", "table" in urls),
        ("file", general and "file" in urls),
    )
    return next((OTHERS[name] for name, counts in order if counts), PACKAGE[provider])


async def request_of(home: Home, environ: dict[str, str], provider: str) -> httpx.Request:
    settings = load_settings(home, environ)
    transport = Canned(status=400)
    async with httpx.AsyncClient(transport=transport) as client:
        await events_of(catalog_of(home, settings, environ).model(f"{provider}:m", client=client))
    (request,) = transport.requests
    return request


COMBINATIONS = [
    ({source for source, there in zip(KEYS, chosen, strict=True) if there}, set(urls))
    for chosen in product((False, True), repeat=len(KEYS))
    for urls in [(), ("table",), ("file",), ("environment",), ("table", "file"), tuple(OTHERS)]
]


@pytest.mark.parametrize("provider", PACKAGE)
async def test_no_request_holds_a_key_that_belongs_to_another_server(tmp_path, provider):
    asked = missing = 0
    for keys, urls in COMBINATIONS:
        environ = environment(provider, keys, urls)
        home = home_with(tmp_path, provider, keys, urls)
        host = destination(provider, urls)
        may = {KEYS[source] for source in keys if owner(source, provider, urls) == host}
        try:
            request = await request_of(home, environ, provider)
        except MissingKey:
            missing += 1
            assert not may, (keys, urls)
            continue
        asked += 1
        sent = "\n".join([str(request.url), *request.headers.values()])
        assert request.url.host == host
        found = {key for key in [*KEYS.values(), "key-of-somebody-else"] if key in sent}
        assert found <= may, (keys, urls)
        # The environment's key overrules the file's also where it then may not be sent; the user is told.
        overruled = host == OTHERS["file"] and "STEERSMAN_API_KEY" in keys
        assert len(found) == (1 if may and not overruled else 0), (keys, urls)
        own = host == (OTHERS["table"] if "table" in urls else PACKAGE[provider])
        assert (HEADER in sent) == own, (keys, urls)
    assert asked + missing == len(COMBINATIONS)
    assert asked > 2 * missing > 0


@pytest.mark.parametrize(
    ("keys", "taken"),
    [
        (set(KEYS), "STEERSMAN_API_KEY"),
        (set(KEYS) - {"STEERSMAN_API_KEY"}, "key_env of the table"),
        ({"api_key of the table", "key_command of the table", "api_key of the file"}, "api_key of the table"),
        ({"key_command of the table", "api_key of the file"}, "key_command of the table"),
        ({"api_key of the file", "variable of the package"}, "api_key of the file"),
        ({"variable of the package"}, "variable of the package"),
    ],
)
async def test_of_several_keys_for_one_server_the_nearest_is_taken(tmp_path, keys, taken):
    home = home_with(tmp_path, "anthropic", keys, set())
    request = await request_of(home, environment("anthropic", keys, set()), "anthropic")
    assert request.headers["x-api-key"] == KEYS[taken]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
@pytest.mark.parametrize("source", ["api_key of the table", "api_key of the file"])
async def test_a_file_that_others_may_read_gives_no_key(tmp_path, source, mode):
    home = home_with(tmp_path, "anthropic", {source}, set(), mode)
    with pytest.raises(MissingKey, match=f"chmod 600 {home.config}") as error:
        await request_of(home, {}, "anthropic")
    assert KEYS[source] not in str(error.value)
    home.config.chmod(0o600)
    assert KEYS[source] in (await request_of(home, {}, "anthropic")).headers["x-api-key"]


async def test_a_file_without_a_key_may_be_read_by_others(tmp_path):
    home = home_with(tmp_path, "groq", {"key_env of the table"}, {"table"}, 0o644)
    request = await request_of(home, {"TABLE_KEY": "the-key"}, "groq")
    assert request.headers["authorization"] == "Bearer the-key"


def test_a_key_of_another_server_is_told_with_what_to_do(tmp_path):
    home = home_with(tmp_path, "groq", set(), {"table"})
    route = catalog_of(home, load_settings(home, {}), {"GROQ_API_KEY": "the-key"}).route("groq:m")
    assert route.key is None and route.missing is None
    assert "GROQ_API_KEY is not sent to table.test: it belongs to api.groq.com" in route.withheld
    assert 'key_env = "GROQ_API_KEY" in [providers.groq]' in route.withheld
    assert "the-key" not in repr(route)


def test_what_may_hold_a_key_is_withheld_from_commands_and_taken_out_of_texts(tmp_path):
    home = home_with(tmp_path, "groq", set(KEYS), {"table"})
    environ = environment("groq", set(KEYS), {"table"})
    settings = load_settings(home, environ)
    names = withheld_variables(catalog_of(home, settings, environ))
    assert {"STEERSMAN_API_KEY", "STEERSMAN_BASE_URL", "TABLE_KEY", "GROQ_API_KEY", "OPENAI_API_KEY"} <= names
    assert "PATH" not in names
    known = {*KEYS.values(), HEADER, "key-of-somebody-else"} - {KEYS["key_command of the table"]}
    assert known <= set(secrets_of(settings, environ))
    assert not any(secret in repr(settings) for secret in known)
