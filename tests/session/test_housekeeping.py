"""What is left behind in STEERSMAN_HOME is taken away when it is old, and only then."""

import os

from steersman.session.home import Home
from steersman.session.housekeeping import DIFF_AGE, tidy

NOW = 2_000_000_000.0


def made(folder, name, age):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("x")
    os.utime(path, (NOW - age, NOW - age))
    return path


def test_old_diffs_go_and_young_ones_and_strangers_stay(tmp_path):
    home = Home(tmp_path)
    old = made(home.diffs, "a.diff", DIFF_AGE + 1)
    young = made(home.diffs, "b.diff", DIFF_AGE - 1)
    stranger = made(home.diffs, "notes.txt", DIFF_AGE + 1)
    tidy(home, now=NOW)
    assert not old.exists()
    assert young.exists() and stranger.exists()


def test_old_outputs_of_commands_go(tmp_path):
    home = Home(tmp_path)
    old = made(home.outputs, "output-1.log", 30 * 24 * 3600)
    tidy(home, now=NOW)
    assert not old.exists()


def test_a_home_that_is_not_there_yet_is_left_alone(tmp_path):
    tidy(Home(tmp_path / "none"), now=NOW)
    assert not (tmp_path / "none").exists()


def test_what_can_not_be_removed_stays_and_the_rest_is_tidied_all_the_same(tmp_path, caplog):
    home = Home(tmp_path)
    stuck = made(home.diffs / "stuck.diff", "inside", 0).parent
    os.utime(stuck, (NOW - DIFF_AGE - 1, NOW - DIFF_AGE - 1))
    old = [made(folder, "a.md", DIFF_AGE + 1) for folder in (home.diffs, home.transcripts)]
    tidy(home, now=NOW)
    assert stuck.exists()
    assert not any(path.exists() for path in old)
    assert "stuck.diff can't be removed" in caplog.text


def test_what_killed_writers_have_left_goes_from_every_folder_that_is_written_to(tmp_path):
    home = Home(tmp_path)
    nobody = 2**22 + 1  # no process has so high a number
    folders = (home.root, home.sessions, home.exports, home.transcripts, home.preimages / "ab")
    left = [made(folder, f".steersman-{nobody}-0123456789ab.tmp", 0) for folder in folders]
    tidy(home, now=NOW)
    assert not any(path.exists() for path in left)
