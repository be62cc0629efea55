"""Which extensions a server has: what the user has enabled by name, as far as it can be used."""

from importlib.metadata import EntryPoint

import pytest

from steersman.session.compose import build_services
from steersman.session.doctor import examine
from steersman.session.extensions import GROUP, Extensions, LoadedExtension, load_extensions
from steersman.session.home import Home
from steersman.session.settings import Settings, SettingsError, load_settings
from support.some_extensions import Fine


def point(name, what, module="support.some_extensions"):
    return EntryPoint(name, f"{module}:{what}", GROUP)


def found(*points):
    return lambda: points


def test_an_enabled_extension_is_loaded_and_one_that_is_only_installed_is_not():
    extensions = load_extensions(["fine"], found(point("fine", "Fine"), point("first", "First")))
    assert extensions == Extensions((LoadedExtension("fine", Fine),))


def test_they_come_by_order_and_then_by_name():
    points = [point("b", "Fine"), point("a", "Fine"), point("z", "First")]
    assert [each.name for each in load_extensions(["b", "a", "z", "a"], found(*points)).loaded] == [
        "z",
        "a",
        "b",
    ]


def test_nothing_is_looked_for_when_nothing_is_enabled():
    def find():
        raise AssertionError

    assert load_extensions([], find) == Extensions()


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([], "no installed package offers it"),
        (
            [point("x", "Fine", "no.such.module")],
            "loading it failed with ModuleNotFoundError; the log says how",
        ),
        ([point("x", "Missing")], "loading it failed with AttributeError"),
        ([point("x", "NoParams")], "is no subclass of steersman.extensions.Extension"),
        ([point("x", "_run")], "is no subclass of steersman.extensions.Extension"),
        ([point("x", "Fine"), point("x", "First")], "several packages offer it"),
        ([point("x", "BadCommand")], "its command no name has no usable name"),
        ([point("x", "TwoCommands")], "two of its commands have the same name"),
        ([point("x", "TakenField")], "a field named session"),
    ],
)
def test_one_that_cannot_be_used_is_left_out_and_the_others_work(points, says):
    extensions = load_extensions(["x", "fine"], found(point("fine", "Fine"), *points))
    assert [each.name for each in extensions.loaded] == ["fine"]
    (problem,) = extensions.problems
    assert problem.startswith("The extension x is left out: ")
    assert says in problem


def test_what_its_import_prints_is_not_on_standard_output(capsys):
    extensions = load_extensions(["t"], found(point("t", "Talking", "support.talking_extension")))
    assert [each.name for each in extensions.loaded] == ["t"]
    assert capsys.readouterr() == ("", "hello from an import\n")


def test_a_name_that_is_none_is_told_in_printable_text():
    (problem,) = load_extensions(["a\x1b[2Jb"], found()).problems
    assert "\x1b" not in problem


def test_the_users_file_and_the_command_line_enable(tmp_path):
    home = Home(tmp_path)
    home.config.write_text('extensions = ["one"]\n')
    assert load_settings(home, {}).with_flags(extensions=["two"]).extensions == ("one", "two")


@pytest.mark.parametrize("value", ["true", '"one"', "[1]"])
def test_a_list_of_names_is_wanted(tmp_path, value):
    home = Home(tmp_path)
    home.config.write_text(f"extensions = {value}\n")
    with pytest.raises(SettingsError, match="extensions"):
        load_settings(home, {})


def test_a_server_starts_with_an_extension_that_is_not_there(tmp_path):
    services = build_services(Home(tmp_path), Settings(extensions=("gone",)), approver=None)
    try:
        assert services.extensions.loaded == ()
        assert "gone" in services.extensions.problems[0]
    finally:
        services.kill_commands()


async def test_doctor_lists_what_is_enabled_what_is_broken_and_what_is_only_installed(tmp_path):
    home = Home(tmp_path)
    home.config.write_text('extensions = ["fine", "x"]\n')
    points = found(point("fine", "Fine"), point("x", "Missing"), point("other", "First"))
    findings = await examine(home, {}, can_ask=True, find=points)
    told = [(each.level, each.text) for each in findings if each.name == "extension"]
    assert told[0] == ("ok", "fine: should_stop_after_turn")
    assert told[1][0] == "warning"
    assert told[1][1].startswith("The extension x is left out: loading it failed")
    assert told[2] == (
        "ok",
        f"installed, not enabled: other. To enable them: extensions = [...] in {home.config}",
    )


async def test_doctor_says_that_there_is_none(tmp_path):
    findings = await examine(Home(tmp_path), {}, can_ask=True, find=found())
    assert [each.text for each in findings if each.name == "extension"] == ["none is installed"]
