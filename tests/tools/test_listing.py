"""ls, find and grep: sorted, bounded, aware of ignore files, never past a deny rule."""

import os
from pathlib import Path

import pytest

from steersman.workspace.guard import Guard
from steersman.workspace.rules import PathRules
from support.workspace import Bench, make_bench


@pytest.fixture
def project(bench: Bench) -> Bench:
    bench.put(".gitignore", "*.log\n/dist/\n")
    bench.put("README.md", "The value is here.\n")
    bench.put("src/app.py", "import os\n\nvalue = 1\nprint(value)\n")
    bench.put("src/deep/er/test_app.py", "assert value\n")
    bench.put(".github/ci.yml", "value: 3\n")
    bench.put("debug.log", "value in a log\n")
    bench.put("dist/app.js", "value\n")
    bench.put(".env", "value=hunter2\n")
    bench.put(".git/config", "value\n")
    return bench


class TestLs:
    async def test_names_are_sorted_marked_and_secrets_left_out(self, project: Bench) -> None:
        (project.root / "link").symlink_to("src")
        (project.root / "gone").symlink_to("nowhere")
        assert (await project.ok("ls")).splitlines() == [
            ".git/",
            ".github/",
            ".gitignore",
            "README.md",
            "debug.log",
            "dist/",
            "gone@",
            "link@/",
            "src/",
            "[1 entry left out by deny rules]",
        ]

    async def test_a_long_directory_is_cut_and_says_so(self, bench: Bench) -> None:
        for number in range(12):
            bench.put(f"f{number:02}")
        text = await bench.ok("ls", limit=10)
        assert text.splitlines()[-2:] == [
            "f09",
            "[10 of 12 entries are shown. Use limit for more, or find]",
        ]

    async def test_an_empty_directory_says_so(self, bench: Bench) -> None:
        assert await bench.ok("ls") == "[The directory is empty]"

    async def test_files_and_missing_directories_are_errors(self, project: Bench) -> None:
        assert "not a directory" in await project.error("ls", path="README.md")
        assert await project.error("ls", path="scr") == "File not found: scr. Did you mean src?"

    async def test_other_folders_are_named(self, tmp_path: Path, guard: Guard) -> None:
        bench = make_bench(tmp_path, guard, folders=("ws", "lib"))
        (tmp_path / "lib/x.py").touch()
        assert "[Other workspace folders: lib/]" in await bench.ok("ls")
        assert await bench.ok("ls", path="lib") == "x.py\n"
        bench.put("lib/own.py")
        assert f"[Other workspace folders: {tmp_path.resolve()}/lib/]" in await bench.ok("ls")


class TestFind:
    @pytest.mark.parametrize(
        ("pattern", "found"),
        [
            ("*.py", ["src/app.py", "src/deep/er/test_app.py"]),
            ("src/*.py", ["src/app.py"]),
            ("**/test_*", ["src/deep/er/test_app.py"]),
            ("src/**/*.py", ["src/app.py", "src/deep/er/test_app.py"]),
            ("*.{md,yml}", [".github/ci.yml", "README.md"]),
            ("deep", ["src/deep/"]),
            ("./src/app.py", ["src/app.py"]),
            (".env*", ["[Nothing matches .env*. Ignored files are not searched]"]),
            ("*.log", ["[Nothing matches *.log. Ignored files are not searched]"]),
            ("config", ["[Nothing matches config. Ignored files are not searched]"]),
        ],
    )
    async def test_globs_over_relative_paths(self, project: Bench, pattern: str, found: list[str]) -> None:
        assert (await project.ok("find", pattern=pattern)).splitlines() == found

    async def test_paths_are_the_workspaces_also_below_a_directory(self, project: Bench) -> None:
        assert await project.ok("find", pattern="*.py", path="src/deep") == "src/deep/er/test_app.py\n"

    async def test_an_absolute_pattern_is_understood(self, project: Bench) -> None:
        assert await project.ok("find", pattern=f"{project.root}/src/*.py") == "src/app.py\n"

    @pytest.mark.parametrize(("on_disk", "asked"), [("e\u0301", "\u00e9"), ("\u00e9", "e\u0301")])
    async def test_names_in_another_unicode_form_are_found(
        self, bench: Bench, on_disk: str, asked: str
    ) -> None:
        bench.put(f"{on_disk}/{on_disk}.txt", "value\n")
        for pattern in (f"{asked}.txt", f"{asked}/*", f"{bench.root}/{asked}/*.txt"):
            assert await bench.ok("find", pattern=pattern) == f"{on_disk}/{on_disk}.txt\n"
        for glob in (f"{asked}.txt", f"{asked}/**"):
            assert await bench.ok("grep", pattern="value", glob=glob) == f"{on_disk}/{on_disk}.txt:1:value\n"

    async def test_it_stops_at_the_limit_and_says_so(self, bench: Bench) -> None:
        for number in range(20):
            bench.put(f"f{number:02}.py")
        lines = (await bench.ok("find", pattern="*.py", limit=3)).splitlines()
        assert lines[:3] == ["f00.py", "f01.py", "f02.py"]
        assert lines[3].startswith("[Stopped after 3 paths; there are more.")

    async def test_what_is_no_directory_is_an_error(self, project: Bench) -> None:
        assert "is a file" in await project.error("find", pattern="*", path="README.md")
        assert "Did you mean src" in await project.error("find", pattern="*", path="scr")

    async def test_strange_names_are_shown_on_one_line(self, bench: Bench) -> None:
        bench.put("new\nline.py")
        bench.put("esc\x1b[31m.py")
        bench.put("日本.py")
        Path(os.fsdecode(bytes(bench.root) + b"/bad\xff.py")).touch()
        lines = (await bench.ok("find", pattern="*.py")).splitlines()
        assert lines == ["bad\\xff.py", "esc\\x1b[31m.py", "new\\nline.py", "日本.py"]


class TestGrep:
    async def test_matches_are_sorted_with_path_and_line(self, project: Bench) -> None:
        assert (await project.ok("grep", pattern="value")).splitlines() == [
            ".github/ci.yml:1:value: 3",
            "README.md:1:The value is here.",
            "src/app.py:3:value = 1",
            "src/app.py:4:print(value)",
            "src/deep/er/test_app.py:1:assert value",
        ]

    async def test_an_ignored_file_can_be_searched_by_name(self, project: Bench) -> None:
        assert await project.ok("grep", pattern="value", path="debug.log") == "debug.log:1:value in a log\n"

    async def test_secrets_are_not_searched_whatever_the_words(self, project: Bench) -> None:
        (project.root / "link").symlink_to(".env")
        for fields in ({}, {"glob": ".env"}, {"glob": "**/.env"}, {"path": "."}):
            assert "hunter2" not in await project.ok("grep", pattern="value|hunter", **fields)
        for path in (".env", "link"):
            assert "denied" in await project.error("grep", pattern="value", path=path)

    async def test_a_rule_of_the_user_that_reopens_and_one_that_denies(
        self, tmp_path: Path, guard: Guard
    ) -> None:
        bench = make_bench(tmp_path, guard, rules=PathRules.of(deny=["!.env.ci", "src/secret/"]))
        for name in (".env.ci", ".env.prod", "src/secret/x", "src/open"):
            bench.put(name, "value\n")
        assert await bench.ok("grep", pattern="value") == ".env.ci:1:value\nsrc/open:1:value\n"
        assert await bench.ok("grep", pattern="value", path="src") == "src/open:1:value\n"

    @pytest.mark.parametrize(("ruled", "on_disk"), [("e\u0301", "\u00e9"), ("\u00e9", "e\u0301")])
    async def test_a_denied_name_is_left_out_in_its_other_unicode_form(
        self, tmp_path: Path, guard: Guard, ruled: str, on_disk: str
    ) -> None:
        bench = make_bench(tmp_path, guard, rules=PathRules.of(deny=[f"{ruled}/"]))
        bench.put(f"{on_disk}/a.txt", "value\n")
        bench.put("open.txt", "value\n")
        assert await bench.ok("grep", pattern="value") == "open.txt:1:value\n"
        assert await bench.ok("find", pattern="*.txt") == "open.txt\n"
        assert (await bench.ok("ls")).splitlines() == ["open.txt", "[1 entry left out by deny rules]"]
        for name in (ruled, on_disk):
            assert "denied" in await bench.error("read", path=f"{name}/a.txt")

    @pytest.mark.parametrize(
        ("glob", "files"),
        [
            ("*.py", {"src/app.py", "src/deep/er/test_app.py"}),
            ("src/*.py", {"src/app.py"}),
            ("**/er/**", {"src/deep/er/test_app.py"}),
            ("*.md, *.yml", {"README.md", ".github/ci.yml"}),
            ("*.{md,yml}", {"README.md", ".github/ci.yml"}),
            ("*.log", set()),
            ("{src/*.py,*.md}", {"src/app.py", "README.md"}),
            ("!*.py", {"README.md", ".github/ci.yml"}),
            ("!src/deep/**", {"README.md", ".github/ci.yml", "src/app.py"}),
            ("", {"README.md", ".github/ci.yml", "src/app.py", "src/deep/er/test_app.py"}),
        ],
    )
    async def test_a_glob_narrows_and_never_overrules_ignore_files(
        self, project: Bench, glob: str, files: set[str]
    ) -> None:
        text = await project.ok("grep", pattern="value", glob=glob)
        assert {line.split(":")[0] for line in text.splitlines() if not line.startswith("[")} == files

    async def test_context_lines_are_told_apart(self, bench: Bench) -> None:
        bench.put("a.txt", "1\n2\nhit\n4\n5\n6\n7\n8\nhit\n")
        assert (await bench.ok("grep", pattern="hit", context=1)).splitlines() == [
            "a.txt-2-2",
            "a.txt:3:hit",
            "a.txt-4-4",
            "--",
            "a.txt-8-8",
            "a.txt:9:hit",
        ]

    async def test_case_and_literal(self, bench: Bench) -> None:
        bench.put("a.txt", "f(x)\nF(X)\n")
        assert await bench.ok("grep", pattern="f(x)", literal=True) == "a.txt:1:f(x)\n"
        assert await bench.ok("grep", pattern="f(x)", literal=True, ignoreCase=True) == (
            "a.txt:1:f(x)\na.txt:2:F(X)\n"
        )

    async def test_a_pattern_may_begin_with_a_dash(self, bench: Bench) -> None:
        bench.put("a.txt", "--flag\n")
        assert await bench.ok("grep", pattern="--flag") == "a.txt:1:--flag\n"

    async def test_ends_of_crlf_lines_are_found_and_not_shown(self, bench: Bench) -> None:
        bench.put("a.txt", b"one\r\ntwo\r\n")
        assert await bench.ok("grep", pattern="one$") == "a.txt:1:one\n"

    async def test_a_bad_pattern_says_so_and_offers_literal(self, bench: Bench) -> None:
        bench.put("a.txt", "x")
        assert await bench.error("grep", pattern="f(x") == (
            "The pattern is not a valid regular expression: unclosed group. "
            "To search for the text as it is, set literal to true."
        )

    @pytest.mark.parametrize(
        "fields", [{"pattern": "a\nb"}, {"pattern": "a\nb", "literal": True}, {"pattern": "a\\nb"}]
    )
    async def test_a_pattern_over_lines_is_explained(self, bench: Bench, fields: dict[str, object]) -> None:
        bench.put("a.txt", "a\nb\n")
        assert "line by line" in await bench.error("grep", **fields)

    async def test_it_stops_at_the_limit_and_says_so(self, bench: Bench) -> None:
        bench.put("a.txt", "hit\n" * 500)
        lines = (await bench.ok("grep", pattern="hit")).splitlines()
        assert len(lines) == 101
        assert lines[-1].startswith("[Stopped after 100 matches; there are more.")

    async def test_a_long_line_is_shown_around_its_match(self, bench: Bench) -> None:
        bench.put("min.js", "x" * 50_000 + "needle" + "y" * 50_000 + "\n")
        text = await bench.ok("grep", pattern="needle")
        assert "…" + "x" * 100 + "needle" + "y" * 394 + "…\n" in text
        assert len(text) < 600

    async def test_names_and_lines_that_are_not_utf8_do_no_harm(self, bench: Bench) -> None:
        path = Path(os.fsdecode(bytes(bench.root) + b"/bad\xff\n.txt"))
        path.write_bytes(b"hit \xff\n")
        assert await bench.ok("grep", pattern="hit") == "bad\\xff\\n.txt:1:hit \ufffd\n"

    async def test_nothing_found_is_no_error(self, project: Bench) -> None:
        assert await project.ok("grep", pattern="nowhere") == (
            "[No matches. Ignored and binary files are not searched]"
        )

    async def test_a_missing_path_is_suggested(self, project: Bench) -> None:
        assert "Did you mean src/app.py?" in await project.error("grep", pattern="x", path="src/ap.py")

    async def test_a_pipe_is_not_waited_for(self, bench: Bench) -> None:
        os.mkfifo(bench.root / "pipe")
        assert "pipe" in await bench.error("grep", pattern="x", path="pipe")

    async def test_unsaved_text_that_was_not_searched_is_named(self, editor: Bench) -> None:
        editor.workspace.buffers[editor.put("a.txt", "saved\n")] = "typed\n"
        text = await editor.ok("grep", pattern="typed")
        assert "[Only saved text was searched. The editor has unsaved text of a.txt]" in text

    async def test_a_file_outside_is_asked_for_and_shown_by_its_place(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        (tmp_path / "out.txt").write_text("hit\n")
        called = await bench.call("grep", pattern="hit", path="../out.txt")
        assert called.proposal is not None
        assert called.text == f"{tmp_path}/out.txt:1:hit\n"
