"""Settings and their sources, and whom a key is sent to."""

import pytest

from steersman.models.provider import RateLimits, Timeouts
from steersman.session.catalog import catalog_of
from steersman.session.compose import build_services
from steersman.session.errors import Refused
from steersman.session.home import Home
from steersman.session.settings import SettingsError, load_settings
from support.scripted_model import answer

URL, OTHER = "http://one.test/v1", "http://two.test/v1"


def home_with(tmp_path, text: str) -> Home:
    home = Home(tmp_path / "home")
    home.root.mkdir(exist_ok=True)
    home.config.write_text(text)
    home.config.chmod(0o600)
    return home


def test_without_a_file_or_variables_there_are_defaults(tmp_path):
    settings = load_settings(Home(tmp_path), {})
    assert (settings.model, settings.mode, settings.usable_key) == (None, "ask", None)


def test_the_environment_overrules_the_file_and_flags_overrule_both(tmp_path):
    home = home_with(tmp_path, 'model = "openai-chat:a"\nmode = "auto-edit"\nmax_turns = 7')
    settings = load_settings(home, {"STEERSMAN_MODEL": "openai-chat:b", "STEERSMAN_MODE": "read-only"})
    assert (settings.model, settings.mode, settings.max_turns) == ("openai-chat:b", "read-only", 7)
    flagged = settings.with_flags(model="openai-chat:c", mode="full-auto", max_turns=3)
    assert (flagged.model, flagged.mode, flagged.max_turns) == ("openai-chat:c", "full-auto", 3)


@pytest.mark.parametrize(
    ("file", "environ", "flag", "sent"),
    [
        ({"base_url": URL, "api_key": "k"}, {}, None, "k"),
        ({"api_key": "k"}, {}, None, "k"),
        ({"base_url": URL}, {"STEERSMAN_API_KEY": "k"}, None, None),
        ({"base_url": URL, "api_key": "f"}, {"STEERSMAN_API_KEY": "k"}, None, None),
        ({"api_key": "k"}, {"STEERSMAN_BASE_URL": OTHER}, None, None),
        ({"base_url": URL, "api_key": "k"}, {"STEERSMAN_BASE_URL": OTHER}, None, None),
        ({"base_url": URL, "api_key": "k"}, {}, OTHER, None),
        ({}, {"STEERSMAN_API_KEY": "k"}, None, "k"),
        ({}, {"STEERSMAN_API_KEY": "k", "STEERSMAN_BASE_URL": URL}, None, "k"),
        ({}, {"STEERSMAN_API_KEY": "k"}, OTHER, "k"),
        (
            {"base_url": URL, "api_key": "f"},
            {"STEERSMAN_API_KEY": "k", "STEERSMAN_BASE_URL": OTHER},
            None,
            "k",
        ),
    ],
)
def test_a_key_only_goes_to_the_base_url_of_its_own_source(tmp_path, file, environ, flag, sent):
    home = home_with(tmp_path, "".join(f'{name} = "{value}"\n' for name, value in file.items()))
    settings = load_settings(home, environ).with_flags(base_url=flag)
    assert settings.usable_key == sent
    assert (settings.withheld_key is None) == (sent is not None)


async def test_a_key_that_is_withheld_is_told_and_not_named(harness, tmp_path):
    home = home_with(tmp_path, f'base_url = "{URL}"')
    settings = load_settings(home, {"STEERSMAN_API_KEY": "sk-secret"})
    h = harness(
        answer("ok"),
        base_url=settings.base_url,
        base_url_source=settings.base_url_source,
        api_key=settings.api_key,
        api_key_source=settings.api_key_source,
    )
    route = catalog_of(home, settings, {}).route("openai-chat:m")
    h.services.route = lambda _: route
    await h.run()
    (notice,) = h.of("notice")
    assert "the environment or command line" in notice["message"]
    assert URL in notice["message"]
    assert "sk-secret" not in repr(h.records())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('modle = "x"', "modle"),
        ('mode = "yolo"', "mode"),
        ("max_turns = 0", "max_turns"),
        ("allow_commands = 3", "allow_commands"),
        ("model = [", "not TOML"),
        pytest.param(f"{'9' * 5000} = 1", r"999 is not a known key\. .{,300}$", id="key"),
        pytest.param("model = " + "[" * 3000, "not TOML", id="nested"),
        pytest.param("max_turns = " + "9" * 5000, "not TOML", id="digits"),
        ("api_key = ['secret-in-a-list']", "api_key: Input should be a valid string."),
        ("providers = 3", "providers"),
        ("[providers.x]", "providers.x: a new provider needs api and base_url"),
        ("[providers.groq.timeouts]\nconnect = 0", "providers.groq.timeouts.connect: "),
        ("[[providers.groq.models]]\nmach = 'x'", "Known keys: match, context_window"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path, text, said):
    with pytest.raises(SettingsError, match=said) as error:
        load_settings(home_with(tmp_path, text), {})
    assert "config.toml" in str(error.value)
    assert "secret" not in str(error.value)


def test_an_unknown_mode_in_the_environment_is_named(tmp_path):
    with pytest.raises(SettingsError, match="STEERSMAN_MODE is 'yolo'; it can be read-only, ask"):
        load_settings(Home(tmp_path), {"STEERSMAN_MODE": "yolo"})


def test_a_pattern_that_cant_be_used_is_a_setting_that_cant_be_used(tmp_path):
    home = home_with(tmp_path, f'deny = ["{"{a,b}" * 20}"]')
    with pytest.raises(SettingsError, match="deny or protect"):
        build_services(home, load_settings(home, {}), approver=None)


def test_without_a_model_the_error_says_how_to_set_one(tmp_path):
    home = Home(tmp_path)
    services = build_services(home, load_settings(home, {}), approver=None)
    with pytest.raises(Refused, match="STEERSMAN_MODEL") as refused:
        services.make_model("")
    assert refused.value.code == "unknownModel"
    with pytest.raises(Refused, match="no-such-api"):
        services.make_model("no-such-api:x")


def test_limits_and_timeouts_of_a_provider_are_there_for_whoever_keeps_them(tmp_path):
    home = home_with(
        tmp_path, "[providers.groq]\nlimits = { concurrent = 2 }\ntimeouts = { first_byte = 1.5 }"
    )
    provider = catalog_of(home, load_settings(home, {}), {"GROQ_API_KEY": "k"}).route("groq:m").provider
    assert (provider.limits, provider.timeouts) == (RateLimits(concurrent=2), Timeouts(first_byte=1.5))


def test_a_byte_order_mark_before_the_file_is_no_part_of_it(tmp_path):
    home = home_with(tmp_path, "\ufeffmode = 'read-only'")
    assert load_settings(home, {}).mode == "read-only"
