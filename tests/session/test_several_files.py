"""One question about several files: how strict it is, what can be answered, what is kept and can be taken back."""

import pytest

from steersman.agent.messages import AssistantMessage, ToolCall, ToolResultMessage
from steersman.session.approvals import Answer, Question
from steersman.session.facts import describe
from steersman.session.named_paths import named_paths
from steersman.session.policy import Allowed, Ask, Grants, Need, Policy, Refuse
from steersman.session.summary import Files, files_in
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness

TEN = "".join(f"{number}\n" for number in range(10))
NAMES = ("a.txt", "b.txt", "c.txt")


def both_ends(*names: str) -> call:
    """The first and the last line of each file become words."""
    items = [
        {"path": name, "oldText": old, "newText": new}
        for name in names
        for old, new in (("0\n", "zero\n"), ("9\n", "nine\n"))
    ]
    return call("edit", {"path": names[0], "edits": items})


def texts(h: SessionHarness) -> list[str]:
    """What was made of each file: `-` for nothing, else the words that are there."""
    words = [[word for word in ("zero", "nine") if word in h.text(name)] for name in NAMES]
    return [" ".join(found) or "-" for found in words]


@pytest.fixture
def asks(harness):
    """A session whose model edits three files in one call, and says `done`."""

    def make(*replies, names=NAMES, **options) -> SessionHarness:
        person = Person(*replies)
        h = harness(answer("", both_ends(*names)), answer("done"), person=person, **options)
        for name in NAMES:
            h.put(name, TEN)
        return h

    return make


async def test_one_question_holds_all_files_and_its_yes_changes_all(asks):
    h = asks("accept")
    await h.run()
    (asked,) = h.of("approval_requested")
    assert asked["title"] == "Edit 3 files (+6 −6): a.txt, b.txt, c.txt"
    assert [change["uri"] for change in asked["changes"]] == [(h.root / name).as_uri() for name in NAMES]
    assert texts(h) == ["zero nine"] * 3
    assert [data["uri"] for data in h.of("edit_applied")] == [(h.root / name).as_uri() for name in NAMES]
    assert [(each["added"], each["removed"]) for each in h.end["files"]] == [(2, 2)] * 3
    assert h.outcomes == ["ok"]


async def test_hunks_that_are_the_same_in_two_files_have_ids_of_their_own(asks):
    h = asks("decline")
    await h.run()
    ids = [hunk["id"] for change in h.of("approval_requested")[0]["changes"] for hunk in change["hunks"]]
    assert len(set(ids)) == len(ids) == 6
    assert texts(h) == ["-"] * 3


async def test_a_no_changes_nothing_and_the_same_in_another_order_is_refused_after_two(harness):
    person = Person("decline", "decline")
    calls = [both_ends(*names) for names in (NAMES, NAMES[::-1], NAMES)]
    h = harness(*(answer("", each) for each in calls), person=person)
    for name in NAMES:
        h.put(name, TEN)
    await h.run()
    assert len(person.asked) == 2
    assert "declined twice" in h.results()[2]
    assert texts(h) == ["-"] * 3
    assert h.end["endedBy"] == "declines"


def hunks(question: Question, *wanted: tuple[int, int]) -> tuple[str, ...]:
    return tuple(question.changes[file].hunks[number]["id"] for file, number in wanted)


async def test_the_chosen_hunks_of_each_file_are_made(asks):
    async def chooses(question: Question) -> Answer:
        return Answer("accept", hunks=hunks(question, (0, 0), (1, 1), (2, 0), (2, 1)))

    h = asks(chooses)
    await h.run()
    assert texts(h) == ["zero", "nine", "zero nine"]
    assert h.results()[0].count("The user changed your text") == 2
    assert len(h.of("approval_resolved")[0]["hunks"]) == 4


async def test_a_file_of_which_no_hunk_is_chosen_stays_as_it_is_and_the_model_is_told(asks):
    async def chooses(question: Question) -> Answer:
        return Answer("accept", hunks=hunks(question, (0, 0), (0, 1), (2, 0)))

    h = asks(chooses)
    await h.run()
    assert texts(h) == ["zero nine", "-", "zero"]
    assert "The user did not want the change of b.txt" in h.results()[0]
    assert [each["uri"] for each in h.end["files"]] == [
        (h.root / name).as_uri() for name in ("a.txt", "c.txt")
    ]


async def test_no_hunk_at_all_is_no_answer(asks):
    h = asks(Answer("accept", hunks=()))
    await h.run()
    assert texts(h) == ["-"] * 3
    assert h.outcomes == ["denied"]


async def test_texts_of_any_of_the_files_can_be_rewritten(asks):
    async def rewrites(question: Question) -> Answer:
        return Answer("accept", edited={question.changes[1].uri: "mine\n", question.changes[2].uri: TEN})

    h = asks(rewrites)
    await h.run()
    assert texts(h)[0] == "zero nine"
    assert (h.text("b.txt"), h.text("c.txt")) == ("mine\n", TEN)
    assert "The user did not want the change of c.txt" in h.results()[0]


async def test_an_edit_that_has_become_another_is_a_new_question_about_all_files(harness):
    async def reads_slowly(question: Question) -> Answer:
        h.put("b.txt", "foo(2)\n")
        return Answer("accept")

    person = Person(reads_slowly, "accept")
    items = [{"path": name, "oldText": "foo", "newText": "bar"} for name in NAMES]
    h = harness(answer("", call("edit", {"path": "a.txt", "edits": items})), answer("done"), person=person)
    for name in NAMES:
        h.put(name, "foo\n")
    await h.run()
    first, second = h.of("approval_requested")
    assert [len(asked["changes"]) for asked in (first, second)] == [3, 3]
    assert second["supersedes"] == first["id"]
    assert [h.text(name) for name in NAMES] == ["bar\n", "bar(2)\n", "bar\n"]


async def test_a_grant_covers_later_edits_of_several_files(harness):
    back = [{"path": name, "oldText": "zero\n", "newText": "0\n"} for name in NAMES]
    calls = [both_ends(*NAMES), call("edit", {"path": "a.txt", "edits": back})]
    person = Person("acceptForRun")
    h = harness(*(answer("", each) for each in calls), answer("done"), person=person)
    for name in NAMES:
        h.put(name, TEN)
    await h.run()
    assert len(person.asked) == 1
    assert texts(h) == ["nine"] * 3


async def test_all_is_taken_back_by_one_revert(asks):
    h = asks("accept")
    await h.run()
    (message,) = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    (listed,) = (await h.manager.reverts.checkpoints(h.session.id))["checkpoints"]
    assert listed["files"] == [(h.root / name).as_uri() for name in NAMES]
    await h.manager.reverts.revert(h.session.id, message)
    await h.session.operation.task
    assert [each["outcome"] for each in h.of("revert_end")[0]["files"]] == ["restored"] * 3
    assert [h.text(name) for name in NAMES] == [TEN] * 3


async def test_what_was_written_before_a_failure_is_known_and_can_be_taken_back(asks):
    h = asks("accept")

    def somebody_deletes_the_second(event) -> None:
        if event.type == "edit_applied":
            (h.root / "b.txt").unlink(missing_ok=True)

    h.services.bus.listen(somebody_deletes_the_second)
    await h.run()
    assert h.outcomes == ["failed"]
    assert h.results()[0].startswith(
        "Only 1 of 3 files changed as approved (+2 −2). The others:\n- b.txt is gone"
    )
    assert [each["uri"] for each in h.end["files"]] == [(h.root / "a.txt").as_uri()]
    (message,) = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    await h.manager.reverts.revert(h.session.id, message)
    await h.session.operation.task
    assert h.text("a.txt") == h.text("c.txt") == TEN


# As strict as the strictest of its files


@pytest.mark.parametrize("mode", ["ask", "auto-edit", "full-auto"])
async def test_a_protected_file_among_them_makes_it_a_question_that_names_it_and_grants_nothing(asks, mode):
    h = asks("decline", names=("a.txt", "b.txt"), mode=mode, protect=("b.txt",))
    await h.run()
    (asked,) = h.of("approval_requested")
    assert asked["kind"] == "protected"
    assert asked["reason"].startswith("b.txt is protected: ")
    assert asked["reason"].endswith(" This holds for b.txt.")
    assert asked["decisions"] == ["accept", "decline", "cancel"]


async def test_a_denied_file_among_them_denies_all_of_it_unasked(asks):
    h = asks(names=("a.txt", "b.txt"), mode="full-auto", deny=("b.txt",))
    await h.run()
    assert h.outcomes == ["denied"]
    assert "b.txt is denied by the rule" in h.results()[0]
    assert texts(h) == ["-"] * 3
    assert h.person.asked == []


async def test_a_name_that_looks_like_another_is_said_though_the_title_has_no_room_for_it(harness):
    names = ["a.txt", "b.txt", "c.txt", "p\u0430yment.txt"]
    person = Person("decline")
    h = harness(answer("", both_ends(*names)), answer("done"), person=person)
    for name in names:
        h.put(name, TEN)
    await h.run()
    assert person.titles == ["Edit 4 files (+8 −8): a.txt, b.txt, c.txt and 1 more"]
    assert "CYRILLIC SMALL LETTER A" in person.asked[0].reason


def test_the_strictest_verdict_is_that_of_all_with_every_grave_reason():
    policy, plain = Policy("ask"), Need("edit", file="a")
    protected = [Need("edit", file=name, protected=".git/") for name in ("b", "c")]
    outside = Need("edit", file="/d", outside=True)
    verdict = policy.decide_all([plain, *protected, outside])
    assert isinstance(verdict, Ask)
    assert verdict.kind == "outside"
    assert verdict.reason == (
        ".git/ is protected: it decides what runs on your machine or elsewhere. This holds for b, c. "
        "Changing a file outside the workspace. This holds for /d."
    )
    granted = Grants(edits=True)
    assert policy.decide_all([plain, plain], [granted]) == Allowed()
    assert isinstance(policy.decide_all([plain, outside], [granted]), Ask)
    assert policy.decide_all([plain, plain]) == policy.decide(plain)
    assert isinstance(Policy("read-only").decide_all([plain, plain]), Refuse)
    deleting = policy.decide_all([plain, Need("delete", file="b")])
    assert isinstance(deleting, Ask)
    assert deleting.kind == "delete"


# What is told of such a call


def test_a_call_is_described_by_its_first_file_and_the_number_of_the_others():
    items = [{"path": path, "oldText": "a", "newText": "b"} for path in ("./a.py", "b.py", "c.py")]
    assert describe("edit", {"path": "a.py", "edits": items}) == "edit a.py and 2 more files"
    assert describe("edit", {"path": "a.py", "edits": items[:2]}) == "edit a.py and 1 more file"
    assert describe("edit", {"path": "a.py", "edits": items[:1]}) == "edit a.py"
    assert describe("edit", {"path": "a.py", "edits": "nonsense"}) == "edit a.py"


def test_every_file_that_a_call_names_is_known():
    assert named_paths(
        {"path": "a", "edits": [{"path": "b"}, {"oldText": "x"}, 7, {"path": 8}], "to": "c"}
    ) == [
        "a",
        "c",
        "b",
    ]
    arguments = '{"path": "a", "edits": [{"path": "b", "oldText": "x", "newText": "y"}]}'
    made = ToolCall("call_1", "edit", arguments)
    messages = [
        AssistantMessage("msg_1", (made,), "test:m", "tool_calls"),
        ToolResultMessage("call_1", "edit", (), "ok"),
    ]
    assert files_in(messages, Files()).changed == ("a", "b")
