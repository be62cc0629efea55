"""What a mistaken or malicious model may write and ask for, and how little of it comes back."""

from pathlib import Path

import pytest

from steersman.agent.messages import Json
from steersman.agent.tool import Proposal
from steersman.tools.base import MAX_ERROR, MAX_RESULT_BYTES
from steersman.tools.edit import MAX_EDITS
from support.workspace import Bench

LONG = "z" * 100_000


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": f"http://host/{LONG}"}),
        ("read", {"path": f"{LONG}\0"}),
        ("read", {"path": "a", LONG: 1}),
        ("read", {"path": "a", **{f"field{number}": 1 for number in range(5000)}}),
        ("read", {"path": [LONG]}),
        ("edit", {"path": "a.txt", "edits": [{"wrong": 1}] * 5000}),
        ("edit", {"path": "a.txt", "edits": [{"oldText": "b", "newText": "c"}] * (MAX_EDITS + 1)}),
        (
            "edit",
            {"path": "a.txt", "edits": [{"oldText": f"{i} {LONG[:500]}", "newText": ""} for i in range(900)]},
        ),
        ("edit", {"path": "a.txt", "edits": "[" * 50_000}),
        ("find", {"pattern": "{" * 5000}),
        ("grep", {"pattern": "(" * 5000}),
        ("bash", {"command": f"true {LONG * 30}"}),
    ],
)
async def test_an_error_is_bounded_whatever_the_arguments_are(
    bench: Bench, name: str, arguments: dict[str, Json]
) -> None:
    bench.put("a.txt", "x\n" + "z" * 10_000)
    called = await bench.call(name, arguments)
    assert called.is_error
    assert 0 < len(called.text) <= MAX_ERROR + 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "a", "\ud800": 1}),
        ("read", {"path": ["\ud800"]}),
        ("read", {"path": "a", "\x1b[31mred": 1}),
        ("bash", {"command": ["echo", "\ud800"]}),
        ("edit", {"path": "a.txt", "edits": [{"oldText": "x", "newText": "\ud800"}]}),
        ("write", {"path": "b.txt", "content": "\udfff"}),
    ],
)
async def test_an_error_is_printable_text_whatever_the_arguments_are(
    bench: Bench, name: str, arguments: dict[str, Json]
) -> None:
    bench.put("a.txt", "x\n")
    called = await bench.call(name, arguments)
    assert called.is_error
    assert called.text.encode()
    assert all(line.isprintable() for line in called.text.split("\n"))
    assert bench.bytes("a.txt") == b"x\n"


async def test_edits_that_cannot_be_placed_are_explained_up_to_a_number(bench: Bench) -> None:
    bench.put("a.txt", "x\n")
    edits: list[Json] = [{"oldText": f"missing{number}", "newText": "y"} for number in range(20)]
    text = await bench.error("edit", path="a.txt", edits=edits)
    assert "edits[4].oldText" in text
    assert "edits[5].oldText" not in text
    assert "The 15 edits after these were not tried." in text


async def test_ls_fits_into_a_result_whatever_the_limit_is(bench: Bench) -> None:
    for number in range(600):
        bench.put(f"d/{number:04}{'n' * 200}")
    text = await bench.ok("ls", path="d", limit=1_000_000_000)
    assert len(text) < MAX_RESULT_BYTES + 200
    assert "249 of 600 entries are shown. Use find" in text


async def test_an_edit_tells_nothing_of_a_file_outside_that_was_not_read(
    bench: Bench, tmp_path: Path
) -> None:
    outside = tmp_path / "diary.txt"
    outside.write_text("dear diary, the password is hunter2\n")
    for old in ("dear diary, the password", "hunter2", "no such words in it"):
        text = await bench.error("edit", path=str(outside), edits=[{"oldText": old, "newText": "x"}])
        assert "hunter2" not in text
        assert text == await bench.error("edit", path=str(outside), edits=[{"oldText": "q", "newText": "x"}])
    missing = str(tmp_path / "nothing.txt")
    assert "Read it first" in await bench.error(
        "edit", path=missing, edits=[{"oldText": "q", "newText": "x"}]
    )


async def test_a_file_outside_that_was_read_with_leave_can_be_edited(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "diary.txt"
    outside.write_text("dear diary\n")
    asked: list[Proposal] = []

    def answer(proposal: Proposal) -> Proposal:
        asked.append(proposal)
        return proposal

    await bench.call("read", path=str(outside), answer=answer)
    edits: list[Json] = [{"oldText": "dear", "newText": "my"}]
    called = await bench.call("edit", path=str(outside), edits=edits, answer=answer)
    assert not called.is_error
    assert len(asked) == 2
    assert outside.read_text() == "my diary\n"


async def test_a_process_left_running_is_named_on_one_printable_line(bench: Bench) -> None:
    text = await bench.ok(
        "bash", command=r"exec -a $'evil\e[31m\n[note' sleep 5 & disown; sleep 0.1; echo $!"
    )
    pid, note = text.rstrip("\n").split("\n")
    assert note.startswith(f"[Still running: {pid} (")
    assert note.isprintable()
    await bench.call("bash", command=f"kill -9 {pid}")


async def test_control_characters_of_the_second_set_are_not_shown(bench: Bench) -> None:
    assert await bench.ok("bash", command=r"printf 'a\302\23331mb\302\205c'") == "a31mbc"


async def test_a_file_of_a_byte_order_mark_alone_is_said_to_be_empty(bench: Bench) -> None:
    bench.put("bom.txt", b"\xef\xbb\xbf")
    assert await bench.ok("read", path="bom.txt") == "[The file is empty except for its byte order mark]"


async def test_a_glob_with_a_colon_is_a_glob(bench: Bench) -> None:
    bench.put("a:b.txt", "needle\n")
    bench.put("c.py", "needle\n")
    assert await bench.ok("grep", pattern="needle", glob="a:*") == "a:b.txt:1:needle\n"
    assert "No matches" in await bench.ok("grep", pattern="needle", glob="include:py")
