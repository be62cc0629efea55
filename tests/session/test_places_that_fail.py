"""Homes, folders and files of a user that are not as they should be: what is said, and what works all the same."""

import logging
from pathlib import Path

import pytest

from steersman.session.doctor import examine
from steersman.session.export.visible import duration, moment
from steersman.session.home import Home, HomeError
from steersman.session.settings import SettingsError, load_settings
from steersman.session.trust import has_instructions
from support.unprivileged import Common, common_folder, without_privileges


@pytest.fixture
def common():
    with common_folder() as folder:
        yield folder


def test_a_home_has_to_be_absolute() -> None:
    for named in (".home", "~nobody-of-this-name/steersman"):
        with pytest.raises(HomeError, match=f"STEERSMAN_HOME is {named}: it must be an absolute path"):
            Home.from_environment({"STEERSMAN_HOME": named})


def test_a_home_that_can_not_be_made_is_no_error_yet(tmp_path: Path, caplog) -> None:
    caplog.set_level(logging.INFO)
    (tmp_path / "file").write_bytes(b"")
    Home(tmp_path / "file/home").make()
    assert "could not be made" in caplog.text


def test_settings_that_are_no_utf_8_are_refused_with_the_place(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.config.write_bytes(b'model = "caf\xe9"\n')
    with pytest.raises(SettingsError, match=r"config\.toml is not UTF-8 \(at byte 12\)"):
        load_settings(home, {})


def test_a_folder_that_can_not_be_read_has_no_instructions(common: Common) -> None:
    common.put("AGENTS.md", b"be brief")
    assert has_instructions(common.root)
    common.root.chmod(0)
    with without_privileges():
        assert not has_instructions(common.root)


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (3_400, "3.4 s"),
        (59_999, "60.0 s"),
        (125_000, "2 min 5 s"),
    ],
)
def test_a_duration_in_a_transcript_is_said_in_the_unit_it_is_felt_in(milliseconds: int, said: str) -> None:
    assert duration(milliseconds) == said


@pytest.mark.parametrize("ts", [None, "now", 1.5, 10**30, -(10**30)])
def test_what_is_no_time_is_none_in_a_transcript(ts: object) -> None:
    assert moment(ts) == ""


async def test_logs_that_can_not_be_read_are_counted_by_the_doctor(common: Common) -> None:
    home = Home(common.root / "home")
    common.put("home/sessions/ses_1.jsonl", b'{"seq": 1, "type": "session"}\n').chmod(0)
    common.put("home/sessions/ses_2.jsonl", b'{"seq": 1, "type": "session"}\n{"seq"')
    (common.root / "home/sessions/ses_3.jsonl").symlink_to("nowhere")
    with without_privileges():
        findings = await examine(home, {}, can_ask=True)
    (said,) = [each for each in findings if each.name == "sessions"]
    assert said.level == "warning"
    assert "2 that can't be read" in said.text
    assert "1 with an unfinished last record" in said.text


async def test_a_folder_of_logs_that_can_not_be_read_is_a_problem_that_says_what_to_do(
    common: Common,
) -> None:
    home = Home(common.root / "home")
    common.put("home/sessions/ses_1.jsonl")
    home.sessions.chmod(0)
    with without_privileges():
        findings = await examine(home, {}, can_ask=True)
    (said,) = [each for each in findings if each.name == "sessions"]
    assert (said.level, said.mend) == ("problem", "Give yourself access to it.")
