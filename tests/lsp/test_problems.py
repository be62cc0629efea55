"""What a client tells by `$/steersman/diagnostics`: kept by file, within bounds; what can't be used does no harm."""

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from steersman.lsp.buffers import Buffers
from steersman.lsp.documents import Documents
from steersman.lsp.errors import InvalidParams
from steersman.lsp.problems import MAX_FILES, MAX_KEPT, ProblemStore
from steersman.lsp.reported import ReportedDiagnostic
from steersman.lsp.reports import MAX_MESSAGE, MAX_PROBLEMS, MAX_SCANNED, METHOD
from support.lsp_workspace import desk
from support.manual_clock import ManualClock
from support.scripted_model import answer, call

ONLY_THIS = {"steersman": {"version": "1", "diagnostics": True}}


def diagnostic(line: int = 0, message: str = "wrong", **more: Any) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {"range": {"start": place, "end": place}, "message": message, **more}


class Told:
    """A store, and documents that a client opens."""

    def __init__(self) -> None:
        self.documents = Documents()
        buffers = Buffers(self.documents, ManualClock())
        self.documents.listeners.append(buffers)
        self.store = ProblemStore(self.documents, buffers)

    def __call__(self, path: Path, *diagnostics: Any, **more: Any) -> Path | None:
        return self.store.take({"uri": path.as_uri(), "diagnostics": list(diagnostics), **more})

    def open(self, path: Path, version: int) -> None:
        item = {"uri": path.as_uri(), "languageId": "x", "version": version, "text": "a\n"}
        self.documents.did_open({"textDocument": item})

    def change(self, path: Path, version: int) -> None:
        item = {"uri": path.as_uri(), "version": version}
        self.documents.did_change({"textDocument": item, "contentChanges": [{"text": "b\n"}]})

    def messages(self, path: Path) -> list[str] | None:
        report = self.store.of(path)
        return None if report is None else [problem.message for problem in report.problems]


@pytest.fixture
def told() -> Told:
    return Told()


class TestReports:
    def test_each_replaces_the_one_before_of_its_file(self, told: Told, tmp_path: Path) -> None:
        a, b = tmp_path / "a.py", tmp_path / "b.py"
        told(a, diagnostic(message="one"), diagnostic(message="two"))
        told(b, diagnostic())
        told(a, diagnostic(message="three"))
        assert (told.messages(a), told.messages(b)) == (["three"], ["wrong"])
        told(a)
        assert told.messages(a) == []
        assert told.messages(tmp_path / "c.py") is None

    def test_a_file_is_known_by_every_spelling(self, told: Told, tmp_path: Path) -> None:
        path = tmp_path / "a b.py"
        path.touch()
        (tmp_path / "link.py").symlink_to("a b.py")
        told(tmp_path / "link.py", diagnostic(message="by its link"))
        assert told.messages(path) == ["by its link"]
        told.store.take({"uri": f"file://{tmp_path}/a%20b%2Epy", "diagnostics": []})
        assert told.messages(path) == []

    def test_what_is_no_file_is_ignored(self, told: Told) -> None:
        for uri in ("untitled:Untitled-1", "git:/a.py", "http://[", ""):
            assert told.store.take({"uri": uri, "diagnostics": [diagnostic()]}) is None
        assert told.store.files() == []

    def test_all_that_is_of_use_is_taken(self, told: Told, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        told(
            path,
            diagnostic(3, "m", severity=2, source="ruff", code="F401", tags=[1], data={"x": 1}),
            diagnostic(4, code=1005),
            diagnostic(5, code={"value": "linked", "target": "https://example.org"}, source=7),
            diagnostic(6, code=True, source=[]),
            more="ignored",
        )
        found = [
            (each.severity, each.start.line, each.source, each.code) for each in told.store.of(path).problems
        ]
        assert found == [
            ("error", 4, "", "1005"),
            ("error", 5, "7", "linked"),
            ("error", 6, "", ""),
            ("warning", 3, "ruff", "F401"),
        ]

    @pytest.mark.parametrize(
        "bad",
        [
            None,
            "text",
            {},
            {"message": "m"},
            diagnostic(message=None),
            diagnostic(severity=0),
            diagnostic(severity="error"),
            {"message": "m", "range": [{"line": 0, "character": 0}]},
            {
                "message": "m",
                "range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}},
            },
            {"message": "m", "range": {"start": {"line": 0.5, "character": 0}, "end": 3}},
        ],
    )
    def test_a_malformed_one_is_left_out_and_logged(
        self, told: Told, tmp_path: Path, bad: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            told(tmp_path / "a.py", diagnostic(message="good"), bad)
        assert told.messages(tmp_path / "a.py") == ["good"]
        (record,) = caplog.records
        assert "1 of 2 diagnostics" in record.getMessage()

    def test_members_that_are_not_known_are_ignored_everywhere(self, told: Told, tmp_path: Path) -> None:
        place = {"line": 1, "character": 2, "offset": 9}
        span = {"start": place, "end": place, "kind": "x"}
        told(tmp_path / "a.py", {"range": span, "message": "m", "new": 1})
        assert told.messages(tmp_path / "a.py") == ["m"]

    @pytest.mark.parametrize(
        "params",
        [
            None,
            [],
            {},
            {"uri": 1, "diagnostics": []},
            {"uri": "file:///a"},
            {"uri": "file:///a", "diagnostics": 3},
        ],
    )
    def test_a_message_that_can_not_be_used_is_refused_whole(self, told: Told, params: Any) -> None:
        with pytest.raises(InvalidParams):
            told.store.take(params)

    def test_an_empty_object_is_an_empty_list(self, told: Told, tmp_path: Path) -> None:
        """As some Lua writes it."""
        told.store.take({"uri": (tmp_path / "a").as_uri(), "diagnostics": {}})
        assert told.messages(tmp_path / "a") == []

    def test_of_a_huge_set_the_gravest_are_kept_and_the_rest_is_counted(
        self, told: Told, tmp_path: Path
    ) -> None:
        path, number = tmp_path / "a.py", MAX_SCANNED + 10
        many = [diagnostic(line, severity=2) for line in range(number - 1)]
        told(path, *many[:1000], diagnostic(message="grave" * MAX_MESSAGE, severity=1), *many[1000:])
        report = told.store.of(path)
        assert len(report.problems) + report.left_out == number
        assert len(report.problems) == MAX_PROBLEMS
        assert report.problems[0].severity == "error"
        assert len(report.problems[0].message) == MAX_MESSAGE

    def test_one_file_that_is_reported_on_again_and_again_takes_no_room_from_others(
        self, told: Told, tmp_path: Path
    ) -> None:
        told(tmp_path / "a.py", diagnostic())
        for _ in range(MAX_KEPT // MAX_PROBLEMS + 5):
            told(tmp_path / "b.py", *[diagnostic()] * MAX_PROBLEMS)
        assert told.messages(tmp_path / "a.py") == ["wrong"]
        assert not told.store.forgotten

    def test_who_waits_for_a_file_hears_of_no_other(self, told: Told, tmp_path: Path) -> None:
        heard: list[str] = []
        with told.store.watch(tmp_path / "a.py", lambda: heard.append("a")):
            told(tmp_path / "b.py")
            told(tmp_path / "a.py")
        told(tmp_path / "a.py")
        assert heard == ["a"]

    def test_the_oldest_are_forgotten(self, told: Told, tmp_path: Path) -> None:
        told(tmp_path / "broken", diagnostic())
        for number in range(MAX_FILES):
            told(tmp_path / f"{number}.py")
        assert len(told.store.files()) == MAX_FILES
        assert told.messages(tmp_path / "broken") is not None, "files without problems go first"
        assert told.messages(tmp_path / "0.py") is None
        assert told.store.forgotten
        for number in range(MAX_KEPT // MAX_PROBLEMS + 5):
            told(tmp_path / f"many{number}.py", *[diagnostic()] * MAX_PROBLEMS)
        kept = [len(told.store.of(path).problems) for path in told.store.files()]
        assert MAX_KEPT - MAX_PROBLEMS <= sum(kept) <= MAX_KEPT


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 5) | st.floats(0, 1) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["line", "character", "start", "end", "value", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
PLACE = st.fixed_dictionaries({"line": st.integers(-1, 3) | JSON, "character": st.integers(0, 3) | JSON})
RANGE = st.fixed_dictionaries({"start": PLACE | JSON, "end": PLACE | JSON})
DIAGNOSTIC = JSON | st.fixed_dictionaries(
    {"range": RANGE | JSON, "message": st.text(max_size=3) | JSON},
    optional={"severity": st.integers(0, 5) | JSON, "source": JSON, "code": JSON, "tags": JSON},
)


@settings(max_examples=100, deadline=None)
@given(st.lists(DIAGNOSTIC, max_size=4) | JSON, JSON)
def test_nothing_that_a_client_sends_is_taken_for_more_than_it_is(diagnostics: Any, version: Any) -> None:
    """What the schema allows is taken, whatever is beside it; anything else is refused or left out."""
    told = Told()
    params = {"uri": "file:///a.py", "diagnostics": diagnostics, "version": version}
    try:
        told.store.take(params)
    except InvalidParams:
        assert not isinstance(diagnostics, list)
        return
    problems = told.store.of(Path("/a.py")).problems
    fitting = [each for each in diagnostics if fits(each)]
    assert len(fitting) <= len(problems) <= len(diagnostics)
    assert all(min(each.start.line, each.start.character) >= 0 for each in problems)


def fits(diagnostic: Any) -> bool:
    try:
        ReportedDiagnostic.model_validate(diagnostic)
    except ValidationError:
        return False
    return True


class TestVersions:
    def test_without_one_it_is_that_of_the_document(self, told: Told, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        told(path)
        assert told.store.of(path).version is None
        told.open(path, 4)
        told(path, version=None)
        assert told.store.of(path).version == 4
        told(path, version=3)
        assert told.store.of(path).version == 3

    def test_a_report_is_current_until_the_document_changes(self, told: Told, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        told.open(path, 1)
        told(path, diagnostic())
        assert told.store.is_current(path)
        told.change(path, 2)
        assert not told.store.is_current(path)
        told(path, diagnostic(), version=2)
        assert told.store.is_current(path)


class TestAServedClient:
    async def test_the_tool_shows_what_was_told(self, tmp_path: Path) -> None:
        responses = answer("", call("diagnostics", {})), answer("done")
        async with desk(tmp_path, *responses, rich=False, initializationOptions=ONLY_THIS) as it:
            path = it.put("a.py", "x = '😀' + y\n")
            told = diagnostic(0, "y is not defined", severity=1, source="pyright", code="E1")
            told["range"]["start"]["character"] = 11
            it.client.notify(METHOD, {"uri": path.as_uri(), "diagnostics": [told, "bad"]})
            it.client.notify(METHOD, {"uri": 7})
            await it.floor_ended(await it.start())
            result = it.model.requests[-1].messages[-1].text
            assert result == (
                "a.py:1:11: error (pyright E1): y is not defined\n    x = '😀' + y\n[In the workspace: 1 error]"
            )
            assert "diagnostics" in it.model.requests[0].system

    async def test_it_is_told_that_the_feature_is_used(self, tmp_path: Path) -> None:
        async with desk(tmp_path, initialize=False) as it:
            result = await it.client.initialize(initializationOptions=ONLY_THIS)
            assert result["capabilities"]["experimental"]["steersman"]["uses"] == ["diagnostics"]

    @pytest.mark.parametrize("rich", [True, False])
    async def test_a_client_without_the_feature_has_no_tool_and_is_not_heard(
        self, tmp_path: Path, rich: bool
    ) -> None:
        responses = answer("", call("diagnostics", {})), answer("done")
        async with desk(tmp_path, *responses, rich=rich) as it:
            path = it.put("a.py", "x\n")
            it.client.notify(METHOD, {"uri": path.as_uri(), "diagnostics": [diagnostic()]})
            run = await it.start()
            await (it.ended(run) if rich else it.floor_ended(run))
            result = it.model.requests[-1].messages[-1].text
            assert "diagnostics" in result
            assert "wrong" not in result
            assert "diagnostics" not in [tool.name for tool in it.model.requests[0].tools]
