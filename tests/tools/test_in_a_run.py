"""The tools as the kernel uses them: a scripted model, real files, and somebody to ask."""

from steersman.agent.hooks import Allow, Block, Hooks
from steersman.workspace.change_proposal import ChangeProposal
from support.agent_harness import AgentHarness
from support.scripted_model import answer, call
from support.workspace import Bench

EDIT = {"path": "a.py", "edits": [{"oldText": "foo", "newText": "bar"}]}


class Asked:
    """Answers each question by what the test does then."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.titles: list[str] = []

    async def __call__(self, pending, signal):
        if pending.proposal is None:
            return Allow()
        self.titles.append(pending.proposal.title)
        return self.answers.pop(0)(pending.proposal)


def yes(_proposal) -> Allow:
    return Allow()


def no(_proposal) -> Block:
    return Block("declined")


def run_of(bench: Bench, asked: Asked, *calls: call) -> AgentHarness:
    responses = [*(answer("", one) for one in calls), answer("done")]
    return AgentHarness(*responses, tools=list(bench.tools.values()), hooks=Hooks(before_tool_call=asked))


async def test_a_slip_in_a_path_is_mended_and_the_file_changed(bench: Bench) -> None:
    bench.put("src/math.ts", "export const a = 1;\n")
    harness = run_of(
        bench,
        Asked(yes, yes),
        call("read", {"path": "src/maths.ts"}),
        call("read", {"path": "src/math.ts"}),
        call("edit", {"path": "src/math.ts", "oldText": "a = 1", "newText": "a = 2"}),
        call("bash", {"command": "cat src/math.ts"}),
    )
    await harness.prompt()
    harness.verify()
    assert harness.outcomes == ["failed", "ok", "ok", "ok"]
    assert harness.texts[0] == "File not found: src/maths.ts. Did you mean src/math.ts?"
    assert harness.texts[3] == "export const a = 2;\n"


async def test_a_declined_edit_changes_nothing(bench: Bench) -> None:
    bench.put("a.py", "foo\n")
    harness = run_of(bench, Asked(no), call("edit", EDIT))
    await harness.prompt()
    harness.verify()
    assert harness.outcomes == ["denied"]
    assert bench.bytes("a.py") == b"foo\n"
    assert bench.images == []


async def test_a_proposal_whose_hunks_changed_is_asked_about_again(bench: Bench) -> None:
    path = bench.put("a.py", "foo(1)\n")

    def yes_but_late(proposal: ChangeProposal) -> Allow:
        path.write_text("foo(2)\n")
        return Allow(proposal)

    asked = Asked(yes_but_late, yes)
    harness = run_of(bench, asked, call("edit", EDIT))
    await harness.prompt()
    harness.verify()
    assert asked.titles == ["Edit a.py (+1 −1)"] * 2
    assert harness.outcomes == ["ok"]
    assert path.read_text() == "bar(2)\n"


async def test_the_second_edit_of_a_batch_is_proposed_on_what_the_first_left(bench: Bench) -> None:
    path = bench.put("a.py", "one\n")
    edits = [
        call("edit", {"path": "a.py", "oldText": old, "newText": new})
        for old, new in (("one", "two"), ("two", "three"))
    ]
    harness = AgentHarness(answer("", *edits), answer("done"), tools=list(bench.tools.values()))
    await harness.prompt()
    harness.verify()
    assert harness.outcomes == ["ok", "ok"]
    assert path.read_text() == "three\n"


async def test_bad_arguments_and_denied_paths_are_answered_and_the_run_goes_on(bench: Bench) -> None:
    bench.put(".env", "KEY=hunter2\n")
    batch = [call("read", {}), call("read", {"path": ".env"}), call("ls")]
    harness = AgentHarness(answer("", *batch), answer("done"), tools=list(bench.tools.values()))
    await harness.prompt()
    harness.verify()
    assert harness.outcomes == ["badArguments", "denied", "ok"]
    assert "hunter2" not in harness.everything
