"""The thinking level: who sets it, where it is kept, and to which models it is told."""

import pytest

from steersman.models.provider import ModelFacts
from steersman.session.export.entries import Note
from steersman.session.export.outline import outline_of
from steersman.session.export.reading import entries
from steersman.session.home import Home
from steersman.session.settings import SettingsError, load_settings
from steersman.session.store import Store
from support.scripted_model import answer


def levels(h) -> list[str]:
    return [request.thinking for request in h.model.requests]


async def test_it_is_off_and_nothing_is_recorded_until_somebody_sets_it(harness):
    h = harness(answer("one"))
    await h.run()
    assert levels(h) == ["off"]
    assert all("thinking" not in data for data in h.of("config"))


async def test_a_start_sets_it_for_the_session_also_after_a_restart(harness):
    h = harness(answer("one"), answer("two"))
    run = await h.run("first", thinking="high")
    await h.run("second", session=run.session)
    assert levels(h) == ["high", "high"]
    await h.close()
    h.restart(answer("three"), answer("four"))
    await h.run("third", session=run.session)
    await h.run("fourth", session=run.session, thinking="off")
    assert levels(h) == ["high", "off"]
    assert [data["thinking"] for data in h.of("config") if "thinking" in data] == ["high", "off"]


async def test_configure_sets_it_for_one_session_or_for_new_ones(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    run = await h.run("first")
    assert (await h.manager.configure(thinking="medium"))["thinking"] == "medium"
    assert h.manager.status()["thinking"] == "medium"
    assert (await h.manager.configure(session=run.session, thinking="low"))["thinking"] == "low"
    await h.run("second", session=run.session)
    await h.run("third")
    assert levels(h) == ["off", "low", "medium"]


@pytest.mark.parametrize(("takes", "told"), [(None, "low"), (True, "low"), (False, "off")])
async def test_a_model_that_takes_no_level_is_not_told_of_it(harness, takes, told):
    h = harness(answer("one"), thinking="low")
    h.services.facts = lambda _: ModelFacts(thinking=takes)
    await h.run()
    assert levels(h) == [told]
    assert h.of("config")[-1]["thinking"] == "low"


async def test_going_back_before_it_was_set_takes_it_back(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    await h.run("first")
    before = h.session.picture.tip
    await h.run("second", session=h.session.id, thinking="high")
    await h.session.move_to(before, Store(h.services))
    await h.run("third", session=h.session.id)
    assert levels(h) == ["off", "high", "off"]


@pytest.mark.parametrize(
    ("file", "variable", "flag", "level"),
    [
        ("", None, None, "off"),
        ('thinking = "low"', None, None, "low"),
        ('thinking = "low"', "medium", None, "medium"),
        ('thinking = "low"', "medium", "high", "high"),
        ('thinking = "low"', None, "off", "off"),
    ],
)
def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    tmp_path, file, variable, flag, level
):
    (tmp_path / "config.toml").write_text(file)
    environ = {} if variable is None else {"STEERSMAN_THINKING": variable}
    assert load_settings(Home(tmp_path), environ).with_flags(thinking=flag).thinking == level


def test_a_level_that_there_is_not_is_named_with_those_that_there_are(tmp_path):
    with pytest.raises(SettingsError, match="STEERSMAN_THINKING is 'max'; it can be off, low, medium, high"):
        load_settings(Home(tmp_path), {"STEERSMAN_THINKING": "max"})
    (tmp_path / "config.toml").write_text('thinking = "max"')
    with pytest.raises(SettingsError, match="thinking"):
        load_settings(Home(tmp_path), {})


async def test_a_transcript_tells_it_where_it_was_set(harness):
    h = harness(answer("one"), answer("two"))
    await h.run("first")
    await h.run("second", session=h.session.id, thinking="high")
    records = h.records()
    told = [each.text for each in entries(records, outline_of(records)) if isinstance(each, Note)]
    assert told == ["Model test:scripted, mode ask", "Model test:scripted, mode ask, thinking high"]
