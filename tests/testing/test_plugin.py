"""What pytest makes of the plugin: its reports, and what it costs those who don't use it."""

import subprocess
import sys

import pytest

import steersman.testing.agent  # noqa: F401 - here, so that the runs inside don't import it anew

OPTIONS = ("-p", "no:asyncio", "-p", "no:cacheprovider")


@pytest.fixture
def run_test(pytester):
    """Runs one test file in a project of its own, and returns its output."""

    def run(source: str, **outcomes: int) -> pytest.LineMatcher:
        pytester.makepyfile(source)
        result = pytester.runpytest_inprocess(*OPTIONS)
        result.assert_outcomes(**outcomes)
        return result.stdout

    return run


def test_trees_that_differ_are_told_file_by_file(run_test):
    output = run_test(
        """
        def test_tree(steersman_agent):
            steersman_agent.workspace.write({"a.py": "x\\ny\\n", "sub/b.py": "b\\n", "c": b"\\xff"})
            result = steersman_agent.run("go", ["Done."])
            assert result.tree == {"a.py": "x\\nz\\n", "b.py": "b\\n", "c": "text"}
        """,
        failed=1,
    )
    output.fnmatch_lines(
        [
            "E *the trees differ in a.py, b.py, c, sub/b.py (- the test says, + there is)",
            "*steersman trees*",
            "the trees differ in *",
            "  a.py:",
            "    @@ -1,2 +1,2 @@",
            "     x",
            "    -z",
            "    +y",
            "  b.py: in the test's tree, and not there (there is sub/b.py)",
            "  c:",
            "    the test says 'text', there is bytes that are not text (1)",
            "  sub/b.py: not in the test's tree, and there it is 'b\\n'",
            "*steersman run 1*",
        ],
        consecutive=False,
    )


def test_the_same_holds_with_the_tree_on_the_right(run_test):
    run_test(
        """
        def test_tree(steersman_agent):
            assert {"a": "1"} == steersman_agent.run("go", ["Done."]).changed
        """,
        failed=1,
    ).fnmatch_lines(["E *the trees differ in a (*", "E *  a: in the test's tree, and not there"])


def test_a_run_that_went_otherwise_is_told_without_our_own_frames(run_test):
    output = run_test(
        """
        from steersman.testing import call, turn

        def test_run(steersman_agent):
            steersman_agent.run("go", [turn(call("write", path="a", content="x"))])
        """,
        failed=1,
    )
    output.fnmatch_lines(
        [
            ">*steersman_agent.run(*",
            "E *RunMismatch: A question that the test does not expect: Create('a').*",
            "*steersman run 1*",
            "# Run in mode ask",
            "Asked: Create a (+1 −0). *",
            "Answered: withdrawn by withdrawn",
        ]
    )
    output.no_fnmatch_line("*background.py*")
    output.no_fnmatch_line("*def _do(*")


def test_the_transcripts_of_all_runs_are_in_the_report_of_a_test_that_failed(run_test):
    run_test(
        """
        def test_two(steersman_agent):
            steersman_agent.run("one", ["First."])
            result = steersman_agent.run("two", ["\\n".join(f"line {n}" for n in range(600))])
            assert result.saw("three")
        """,
        failed=1,
    ).fnmatch_lines(
        [
            "E *assert <False: none of the 1 requests has 'three'>",
            "*steersman run 1*",
            "First.",
            "*steersman run 2*",
            "… * lines are left out …",
            "line 599",
        ]
    )


def test_a_test_that_passes_or_doesnt_use_the_plugin_has_nothing_of_it_in_its_report(run_test):
    output = run_test(
        """
        def test_passes(steersman_agent):
            steersman_agent.run("one", ["First."])

        def test_fails():
            assert {"a": 1} == {"a": 2}
        """,
        passed=1,
        failed=1,
    )
    output.no_fnmatch_line("*steersman run*")
    output.no_fnmatch_line("*the trees differ*")


def test_files_are_named_from_the_folder_of_the_test(pytester):
    pytester.mkpydir("inner")
    pytester.path.joinpath("inner", "data").mkdir()
    pytester.path.joinpath("inner", "data", "a.txt").write_text("a")
    pytester.path.joinpath("inner", "data", "__pycache__").mkdir()
    pytester.path.joinpath("inner", "data", "__pycache__", "x.pyc").write_text("x")
    pytester.path.joinpath("inner", "turns.yaml").write_text("- Done.\n")
    pytester.path.joinpath("inner", "test_it.py").write_text(
        "from steersman.testing import script\n"
        "def test_it(steersman_agent):\n"
        "    steersman_agent.workspace.copy('data')\n"
        "    result = steersman_agent.run('go', script('turns.yaml'))\n"
        "    assert result.tree == {'a.txt': 'a'}\n"
    )
    pytester.runpytest_inprocess(*OPTIONS).assert_outcomes(passed=1)


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    ).stdout


def test_the_plugin_imports_nothing_of_steersman_before_a_test_asks_for_it():
    code = (
        "import sys, steersman.testing.plugin\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('steersman', 'pydantic', 'httpx', 'orjson')))"
    )
    assert python(code).strip() == "['steersman', 'steersman.testing', 'steersman.testing.plugin']"


def test_its_parts_work_where_there_is_no_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "import steersman.testing as testing\n"
        "print(all(getattr(testing, name) for name in testing.__all__))"
    )
    assert python(code).strip() == "True"
