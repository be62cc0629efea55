"""edit on several files in one call: checked and proposed together, made and reported file by file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController
from steersman.agent.messages import Json
from steersman.agent.tool import Proposal, ProposalSuperseded, ToolContext
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import FileAccessError
from steersman.workspace.guard import Guard
from steersman.workspace.ports import Applied
from support.full_disk import no_room
from support.workspace import Bench, make_bench

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def one(path: str, old: str = "foo", new: str = "bar") -> dict[str, Json]:
    return {"path": path, "oldText": old, "newText": new}


def edits(*paths: str) -> dict[str, Json]:
    """foo becomes bar in each of the files."""
    return {"path": paths[0], "edits": [one(path) for path in paths]}


@pytest.fixture
def three(bench: Bench) -> Bench:
    for name in "abc":
        bench.put(f"{name}.txt", f"{name} foo\n")
    return bench


def texts(bench: Bench) -> list[str]:
    return [bench.bytes(f"{name}.txt").decode() for name in "abc"]


class Disturbed(DiskWorkspace):
    """Something happens before the change of a file is made, after all was checked."""

    __slots__ = ("before",)

    def __init__(self, other: DiskWorkspace) -> None:
        super().__init__(other.roots, other.rules, locks=other.locks)
        self.before: dict[str, Callable[[], None]] = {}

    async def apply(self, change: FileChange) -> Applied:
        if happens := self.before.pop(change.path.path.name, None):
            happens()
        return await super().apply(change)


@pytest.fixture
def disturbed(tmp_path: Path, guard: Guard) -> Bench:
    bench = make_bench(tmp_path, guard, make_workspace=Disturbed)
    for name in "abc":
        bench.put(f"{name}.txt", f"{name} foo\n")
    return bench


def before(bench: Bench, name: str, happens: Callable[[], None]) -> None:
    assert isinstance(bench.workspace, Disturbed)
    bench.workspace.before[name] = happens


class TestProposal:
    async def test_the_files_are_one_proposal_and_the_result_shows_each(self, three: Bench) -> None:
        called = await three.call("edit", edits("a.txt", "b.txt", "c.txt"))
        assert called.proposal is not None
        assert called.proposal.title == "Edit 3 files (+3 −3): a.txt, b.txt, c.txt"
        assert texts(three) == ["a bar\n", "b bar\n", "c bar\n"]
        shown = "\n\n".join(
            f"Changed {x}.txt (+1 −1):\n--- a/{x}.txt\n+++ b/{x}.txt\n@@ -1 +1 @@\n-{x} foo\n+{x} bar"
            for x in "abc"
        )
        assert called.text == f"Changed 3 files (+3 −3).\n\n{shown}"
        assert called.result.details is not None
        uris = [each["uri"] for each in called.result.details["changes"]]
        assert uris == [(three.root / f"{name}.txt").as_uri() for name in "abc"]

    async def test_an_edit_without_a_path_is_of_the_calls_file(self, three: Bench) -> None:
        items = [one("b.txt"), {"oldText": "foo", "newText": "bar"}]
        called = await three.call("edit", {"path": "a.txt", "edits": items})
        assert not called.is_error
        assert texts(three) == ["a bar\n", "b bar\n", "c foo\n"]

    async def test_one_file_is_one_file_however_it_is_spelled(self, bench: Bench) -> None:
        bench.put("a.txt", "one\ntwo\n")
        (bench.root / "link.txt").symlink_to("a.txt")
        items = [one("./a.txt", "one", "1"), one("link.txt", "two", "2")]
        called = await bench.call("edit", {"path": "a.txt", "edits": items})
        assert called.proposal is not None
        assert called.proposal.title == "Edit a.txt (+2 −2)"
        assert bench.bytes("a.txt") == b"1\n2\n"
        overlapping = [one("a.txt", "1\n2", "3"), one("link.txt", "2", "4")]
        assert "edits[0] and edits[1] overlap" in await bench.error("edit", path="a.txt", edits=overlapping)

    async def test_if_an_edit_fits_nowhere_nothing_is_proposed_and_each_file_is_told(
        self, three: Bench
    ) -> None:
        items = [one("a.txt"), one("b.txt", "zzz"), one("nowhere.txt"), one("c.txt", "bar", "baz")]
        text = await three.error("edit", path="a.txt", edits=items)
        assert text.startswith(
            "Nothing was changed in any of the 4 files, since the edits of 3 of them can't be made:\n- b.txt: "
        )
        assert "- b.txt: edits[1].oldText is not in the file" in text
        assert "- File not found: nowhere.txt." in text
        assert "- c.txt: edits[3].oldText is not in the file" in text
        assert text.endswith("The edits of a.txt are fine. Correct the others and send the whole call again.")
        assert texts(three) == ["a foo\n", "b foo\n", "c foo\n"]

    async def test_a_denied_file_denies_the_whole_and_is_named(self, three: Bench) -> None:
        three.put(".env", "KEY=foo\n")
        assert ".env is denied by the rule" in await three.error(
            "edit", **edits("a.txt", ".env", "missing.txt")
        )
        assert texts(three)[0] == "a foo\n"

    async def test_paths_that_can_not_be_used_are_told(self, three: Bench) -> None:
        text = await three.error("edit", **edits("a.txt", "b\0.txt"))
        assert text.startswith("Nothing was changed in any of the 2 files")
        assert texts(three)[0] == "a foo\n"

    async def test_more_files_than_anybody_looks_at_are_refused(self, bench: Bench) -> None:
        names = [f"{number}.txt" for number in range(51)]
        for name in names:
            bench.put(name, "foo\n")
        assert "at most 50 files" in await bench.error("edit", **edits(*names))
        text = await bench.ok("edit", **edits(*names[:50]))
        assert text.count("+bar") == 50

    async def test_many_long_changes_share_the_room_of_a_result(self, bench: Bench) -> None:
        names = [f"{number}.txt" for number in range(40)]
        for name in names:
            bench.put(name, "foo\n" * 500)
        items = [one(name, "foo\n" * 500, "some other line\n" * 500) for name in names]
        text = await bench.ok("edit", path="0.txt", edits=items)
        assert len(text) < 40_000
        assert text.count("more lines of this diff are not shown") == 40

    async def test_the_same_changes_in_another_order_are_the_same_proposal(self, three: Bench) -> None:
        proposals = [
            await three.tools["edit"].bind(edits(*names)).propose(AbortController().signal)
            for names in (("a.txt", "b.txt"), ("b.txt", "a.txt"), ("a.txt", "c.txt"))
        ]
        first, second, third = [each.digest for each in proposals if each is not None]
        assert first == second
        assert first != third

    async def test_the_model_needs_no_second_look_at_what_it_knew_as_a_whole(self, three: Bench) -> None:
        for name in "abc":
            await three.ok("read", path=f"{name}.txt")
        await three.ok("edit", **edits("a.txt", "b.txt"))
        await three.ok("write", path="b.txt", content="new\n")
        assert three.bytes("b.txt") == b"new\n"


class TestArguments:
    @pytest.mark.parametrize(
        "arguments",
        [
            {"edits": [one("a.txt"), one("b.txt")]},
            {"files": [one("a.txt"), one("b.txt")]},
            {
                "files": [
                    {"path": name, "edits": [{"oldText": "foo", "newText": "bar"}]}
                    for name in ("a.txt", "b.txt")
                ]
            },
            {
                "edits": [
                    {"file_path": name, "old_string": "foo", "new_string": "bar"}
                    for name in ("a.txt", "b.txt")
                ]
            },
        ],
        ids=["no path of the call", "files", "a list for each file", "other names"],
    )
    async def test_other_shapes_are_put_right(self, three: Bench, arguments: dict[str, Json]) -> None:
        called = await three.call("edit", arguments)
        assert not called.is_error, called.text
        assert texts(three) == ["a bar\n", "b bar\n", "c foo\n"]
        bound = three.tools["edit"].bind(arguments)
        assert bound.arguments == edits("a.txt", "b.txt")

    async def test_an_edit_of_no_file_is_refused(self, three: Bench) -> None:
        items = [one("a.txt"), {"oldText": "foo", "newText": "bar"}]
        assert "- path: required, but missing" in await three.error("edit", edits=items)

    async def test_the_schema_grows_by_one_field_that_may_be_left_out(self, bench: Bench) -> None:
        item = bench.tools["edit"].parameters["properties"]["edits"]["items"]
        assert list(item["properties"]) == ["path", "oldText", "newText"]
        assert item["required"] == ["oldText", "newText"]


class TestExecution:
    async def test_before_anything_is_written_a_changed_base_of_any_file_is_a_new_question_about_all(
        self, three: Bench
    ) -> None:
        def answer(proposal: Proposal) -> Proposal:
            three.put("b.txt", "b foo(2)\n")
            return proposal

        with pytest.raises(ProposalSuperseded) as raised:
            await three.call("edit", edits("a.txt", "b.txt", "c.txt"), answer=answer)
        assert texts(three) == ["a foo\n", "b foo(2)\n", "c foo\n"]
        new = raised.value.proposal
        assert isinstance(new, ChangeProposal)
        assert [change.new_text for change in new.changes] == ["a bar\n", "b bar(2)\n", "c bar\n"]
        bound = three.tools["edit"].bind(edits("a.txt", "b.txt", "c.txt"))
        await bound.execute(ToolContext("1", AbortController().signal, lambda _text: None, new))
        assert texts(three) == ["a bar\n", "b bar(2)\n", "c bar\n"]

    async def test_a_change_elsewhere_in_one_of_the_files_is_kept(self, bench: Bench) -> None:
        for name in ("a.txt", "b.txt"):
            bench.put(name, TEXT)

        def answer(proposal: Proposal) -> Proposal:
            bench.put("b.txt", "first\n" + TEXT)
            return proposal

        items = [one(name, "line 10\n", "ten\n") for name in ("a.txt", "b.txt")]
        called = await bench.call("edit", {"path": "a.txt", "edits": items}, answer=answer)
        assert not called.is_error
        wanted = TEXT.replace("line 10\n", "ten\n")
        assert [bench.bytes(name).decode() for name in ("a.txt", "b.txt")] == [wanted, "first\n" + wanted]

    @pytest.mark.parametrize(
        ("happens", "said"),
        [
            (lambda path: path.write_text("gone\n"), "b.txt: edits[1].oldText is not in the file"),
            (lambda path: path.unlink(), "b.txt is gone"),
            (lambda path: path.chmod(0o444), "b.txt is read-only"),
        ],
        ids=["matches no more", "gone", "read-only"],
    )
    async def test_what_can_be_seen_beforehand_keeps_all_files_as_they_are(
        self, three: Bench, happens: Callable[[Path], None], said: str
    ) -> None:
        def answer(proposal: Proposal) -> Proposal:
            happens(three.root / "b.txt")
            return proposal

        called = await three.call("edit", edits("a.txt", "b.txt", "c.txt"), answer=answer)
        assert called.is_error
        assert called.text.startswith(
            "Nothing was changed in any of the 3 files, since the edits of 1 of them can't be made:"
        )
        assert said in called.text
        assert [three.bytes(name) for name in ("a.txt", "c.txt")] == [b"a foo\n", b"c foo\n"]
        assert three.images == []

    async def test_after_the_first_file_a_failure_ends_the_call_and_each_file_is_told(
        self, disturbed: Bench
    ) -> None:
        def locked() -> None:
            raise FileAccessError("b.txt is locked. Nothing was changed.")

        before(disturbed, "b.txt", locked)
        called = await disturbed.call("edit", edits("a.txt", "b.txt", "c.txt"))
        assert called.is_error
        assert called.text.startswith(
            "Only 1 of 3 files changed as approved (+1 −1). The others:\n"
            "- b.txt is locked. Nothing was changed.\n"
            "- c.txt was not tried after that; it is unchanged.\n"
            "Read these files, and make their edits in a new call.\n\n"
            "Changed a.txt (+1 −1):\n"
        )
        assert texts(disturbed) == ["a bar\n", "b foo\n", "c foo\n"]
        assert called.result.details is not None
        assert len(called.result.details["changes"]) == 1

    async def test_a_disk_that_is_full_at_the_second_file_leaves_the_first_whole_and_the_rest_as_they_were(
        self, three: Bench
    ) -> None:
        three.put("b.txt", "b foo\n" + "long line\n" * 10_000)
        before = three.bytes("b.txt")
        with no_room(50_000):
            called = await three.call("edit", edits("a.txt", "b.txt", "c.txt"))
        assert called.is_error
        assert called.text.startswith("Only 1 of 3 files changed as approved (+1 −1). The others:\n- b.txt")
        assert [three.bytes(f"{name}.txt") for name in "abc"] == [b"a bar\n", before, b"c foo\n"]
        assert sorted(path.name for path in three.root.iterdir()) == ["a.txt", "b.txt", "c.txt"]

    async def test_a_failure_at_the_first_file_is_one_of_the_whole(self, disturbed: Bench) -> None:
        before(disturbed, "a.txt", (disturbed.root / "a.txt").unlink)
        called = await disturbed.call("edit", edits("a.txt", "b.txt"))
        assert called.text.startswith("a.txt is gone")
        assert called.text.endswith("The other file was not tried after that: unchanged.")
        assert disturbed.bytes("b.txt") == b"b foo\n"

    async def test_an_edit_that_would_be_another_one_is_not_made_after_the_first_file_was_written(
        self, disturbed: Bench
    ) -> None:
        before(disturbed, "b.txt", lambda: disturbed.put("b.txt", "b foo(2)\n") and None)
        called = await disturbed.call("edit", edits("a.txt", "b.txt", "c.txt"))
        assert called.is_error
        assert (
            "- b.txt was changed by somebody else meanwhile, so that the edit would do something else than what "
            "was approved. It was left as it is." in called.text
        )
        assert texts(disturbed) == ["a bar\n", "b foo(2)\n", "c foo\n"]

    async def test_one_that_would_be_another_at_the_first_file_is_a_new_question_about_all(
        self, disturbed: Bench
    ) -> None:
        before(disturbed, "a.txt", lambda: disturbed.put("a.txt", "a foo(2)\n") and None)
        with pytest.raises(ProposalSuperseded) as raised:
            await disturbed.call("edit", edits("a.txt", "b.txt"))
        assert raised.value.proposal.title == "Edit 2 files (+2 −2): a.txt, b.txt"
        assert texts(disturbed)[:2] == ["a foo(2)\n", "b foo\n"]

    async def test_an_abort_between_two_files_leaves_the_rest_and_says_so(self, disturbed: Bench) -> None:
        controller = AbortController()
        before(disturbed, "a.txt", controller.abort)
        called = await disturbed.call("edit", edits("a.txt", "b.txt", "c.txt"), signal=controller.signal)
        assert called.is_error
        assert "- b.txt is unchanged: Operation aborted.\n- c.txt was not tried" in called.text
        assert texts(disturbed) == ["a bar\n", "b foo\n", "c foo\n"]

    async def test_an_abort_before_the_first_file_changes_nothing(self, three: Bench) -> None:
        controller = AbortController()

        def answer(proposal: Proposal) -> Proposal:
            controller.abort()
            return proposal

        called = await three.call("edit", edits("a.txt", "b.txt"), signal=controller.signal, answer=answer)
        assert called.text == "Operation aborted"
        assert texts(three) == ["a foo\n", "b foo\n", "c foo\n"]

    async def test_a_file_that_became_a_link_is_not_followed(self, three: Bench, tmp_path: Path) -> None:
        outside = tmp_path / "outside.txt"
        outside.write_text("b foo\n")

        def answer(proposal: Proposal) -> Proposal:
            (three.root / "b.txt").unlink()
            (three.root / "b.txt").symlink_to(outside)
            return proposal

        called = await three.call("edit", edits("a.txt", "b.txt"), answer=answer)
        assert called.is_error
        assert outside.read_text() == "b foo\n"
        assert three.bytes("a.txt") == b"a foo\n"


class TestRewritten:
    async def test_the_users_version_of_one_file_is_written_and_told_of_that_file_only(
        self, three: Bench
    ) -> None:
        def answer(proposal: Proposal) -> Proposal:
            assert isinstance(proposal, ChangeProposal)
            return proposal.rewritten({str(three.root / "b.txt"): "b mine\n"})

        called = await three.call("edit", edits("a.txt", "b.txt", "c.txt"), answer=answer)
        assert texts(three) == ["a bar\n", "b mine\n", "c bar\n"]
        assert called.text.count("The user changed your text before accepting it") == 1
        assert "-b bar\n+b mine" in called.text

    async def test_a_file_that_the_user_did_not_want_stays_and_the_model_is_told(self, three: Bench) -> None:
        def answer(proposal: Proposal) -> Proposal:
            assert isinstance(proposal, ChangeProposal)
            return proposal.rewritten({}, [str(three.root / "b.txt"), str(three.root / "c.txt")])

        called = await three.call("edit", edits("a.txt", "b.txt", "c.txt"), answer=answer)
        assert not called.is_error
        assert called.text.startswith(
            "Changed 1 file (+1 −1).\n"
            "The user did not want the change of b.txt: it was left as it is.\n"
            "The user did not want the change of c.txt: it was left as it is.\n\nChanged a.txt (+1 −1):\n"
        )
        assert texts(three) == ["a bar\n", "b foo\n", "c foo\n"]

    async def test_the_users_version_is_merged_and_the_other_files_are_computed_anew(
        self, bench: Bench
    ) -> None:
        for name in ("a.txt", "b.txt"):
            bench.put(name, TEXT)

        def answer(proposal: Proposal) -> Proposal:
            assert isinstance(proposal, ChangeProposal)
            mine = proposal.rewritten({str(bench.root / "a.txt"): TEXT.replace("line 10\n", "zehn\n")})
            for name in ("a.txt", "b.txt"):
                bench.put(name, TEXT + "more\n")
            return mine

        items = [one(name, "line 10\n", "ten\n") for name in ("a.txt", "b.txt")]
        called = await bench.call("edit", {"path": "a.txt", "edits": items}, answer=answer)
        assert not called.is_error
        now = [bench.bytes(name).decode() for name in ("a.txt", "b.txt")]
        assert now == [TEXT.replace("line 10\n", word) + "more\n" for word in ("zehn\n", "ten\n")]
        assert called.text.count("The user changed your text") == 1

    async def test_a_question_that_is_put_anew_keeps_what_the_user_has_made_of_it(self, three: Bench) -> None:
        def answer(proposal: Proposal) -> Proposal:
            assert isinstance(proposal, ChangeProposal)
            mine = proposal.rewritten({str(three.root / "a.txt"): "a mine\n"}, [str(three.root / "c.txt")])
            three.put("b.txt", "b foo(2)\n")
            return mine

        with pytest.raises(ProposalSuperseded) as raised:
            await three.call("edit", edits("a.txt", "b.txt", "c.txt"), answer=answer)
        new = raised.value.proposal
        assert isinstance(new, ChangeProposal)
        assert [change.new_text for change in new.changes] == ["a mine\n", "b bar(2)\n"]
        bound = three.tools["edit"].bind(edits("a.txt", "b.txt", "c.txt"))
        result = await bound.execute(ToolContext("1", AbortController().signal, lambda _text: None, new))
        assert texts(three) == ["a mine\n", "b bar(2)\n", "c foo\n"]
        assert result.text.count("The user changed your text") == 1
        assert "did not want the change of c.txt" in result.text


NAMES = ("a.txt", "dir/b.txt", "c.txt")
LINES = st.lists(st.sampled_from(["x", "y", "foo", "  foo", "é", "𝕒"]), min_size=1, max_size=8)


@st.composite
def texts_and_edits(draw: st.DrawFn) -> tuple[list[bytes], list[tuple[int, str, str]]]:
    """Texts of three files with lines that are told apart by their numbers, and edits of such lines, in any order."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    files = [[f"{word}{number}" for number, word in enumerate(draw(LINES))] for _ in NAMES]
    places = [(file, line) for file, lines in enumerate(files) for line in range(len(lines))]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=8, unique=True))
    made = [
        (file, files[file][line], draw(st.sampled_from(["new", "ü\nz", ""])) + "!") for file, line in chosen
    ]
    return [(end.join(lines) + end).encode() for lines in files], made


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=texts_and_edits())
async def test_any_edits_of_several_files_leave_what_the_edits_of_each_file_alone_leave(
    bench: Bench, drawn: tuple[list[bytes], list[tuple[int, str, str]]]
) -> None:
    before, made = drawn

    def put() -> None:
        for name, data in zip(NAMES, before, strict=True):
            bench.put(name, data)

    def left() -> list[bytes]:
        return [bench.bytes(name) for name in NAMES]

    put()
    for number, name in enumerate(NAMES):
        items = [{"oldText": old, "newText": new} for file, old, new in made if file == number]
        if items:
            await bench.ok("edit", path=name, edits=items)
    alone = left()
    put()
    items = [one(NAMES[file], old, new) for file, old, new in made]
    await bench.ok("edit", path=NAMES[made[0][0]], edits=items)
    assert left() == alone
