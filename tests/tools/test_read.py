"""read: text as it is, in pages that can be continued, images, and errors for anything else."""

import base64
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController
from steersman.agent.messages import Image
from steersman.agent.tool import ProposalSuperseded, ToolContext
from steersman.tools.paging import MAX_BYTES, MAX_LINE, count_lines, page_of
from steersman.tools.proposals import AccessProposal
from steersman.workspace.guard import Guard
from steersman.workspace.rules import PathRules
from support.images import gif, jpeg, png, webp
from support.workspace import Bench, make_bench


async def test_a_small_file_is_given_as_it_is(bench: Bench) -> None:
    bench.put("a.py", "\tdef f():\n\n    pass\n")
    assert await bench.ok("read", path="a.py") == "\tdef f():\n\n    pass\n"


async def test_the_model_sees_neither_order_mark_nor_carriage_returns(bench: Bench) -> None:
    bench.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert await bench.ok("read", path="a.txt") == "one\ntwo\n"


async def test_an_empty_file_says_so(bench: Bench) -> None:
    bench.put("a.txt")
    assert await bench.ok("read", path="a.txt") == "[The file is empty]"


async def test_a_long_file_comes_in_pages_and_the_hint_works(bench: Bench) -> None:
    bench.put("a.txt", "".join(f"line {number}\n" for number in range(1, 4501)))
    offset, lines = 1, list[str]()
    while True:
        text = await bench.ok("read", path="a.txt", offset=offset)
        body, _, note = text.rpartition("\n[")
        lines += body.splitlines()
        following = re.search(r"Use offset=(\d+) to continue", note)
        if following is None:
            break
        offset = int(following[1])
    assert lines == [f"line {number}" for number in range(1, 4501)]
    assert note == "Lines 4001-4500 of 4500: the end of the file]"


async def test_a_page_is_bounded_in_bytes_too(bench: Bench) -> None:
    bench.put("a.txt", ("ä" * 500 + "\n") * 200)
    text = await bench.ok("read", path="a.txt")
    assert len(text.encode()) < MAX_BYTES + 200
    assert "[Lines 1-51 of 200. Use offset=52 to continue]" in text


async def test_offset_and_limit_choose_lines(bench: Bench) -> None:
    bench.put("a.txt", "1\n2\n3\n4\n5")
    assert await bench.ok("read", path="a.txt", offset=2, limit=2) == (
        "2\n3\n[Lines 2-3 of 5. Use offset=4 to continue]"
    )
    assert await bench.ok("read", path="a.txt", offset=5) == "5\n\n[Lines 5-5 of 5: the end of the file]"
    assert (await bench.ok("read", path="a.txt", offset=0)).startswith("1\n2\n")


async def test_an_offset_beyond_the_end_is_an_error(bench: Bench) -> None:
    bench.put("a.txt", "1\n2\n")
    assert await bench.error("read", path="a.txt", offset=3) == (
        "offset 3 is beyond the end of a.txt, which has 2 lines."
    )


async def test_a_very_long_line_is_cut_and_the_rest_can_be_had(bench: Bench) -> None:
    line = "".join(chr(97 + number % 26) for number in range(10_000))
    bench.put("a.json", f"short\n{line}\nafter\n")
    text = await bench.ok("read", path="a.json")
    assert text.startswith(f"short\n{line[:MAX_LINE]}…\nafter\n")
    command = re.search(r"bash: (sed .*)\]", text)
    assert command is not None
    rest = await bench.ok("bash", command=command[1])
    assert rest.strip() == line[MAX_LINE:]


async def test_a_binary_file_is_a_short_error(bench: Bench) -> None:
    bench.put("x.bin", b"\0\1\2" * 100_000)
    text = await bench.error("read", path="x.bin")
    assert text.startswith("x.bin: This is a binary file")
    assert len(text) < 200


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (png(), "image/png"),
        (jpeg(), "image/jpeg"),
        (gif(), "image/gif"),
        (webp(), "image/webp"),
    ],
)
async def test_an_image_is_shown_whatever_its_name(bench: Bench, data: bytes, mime_type: str) -> None:
    bench.put("picture", data)
    called = await bench.call("read", path="picture")
    assert called.result.content[1] == Image(base64.b64encode(data).decode(), mime_type)
    assert called.text.startswith(f"picture ({mime_type}, 4 × 3, ")


async def test_an_image_that_is_too_large_is_an_error(bench: Bench) -> None:
    bench.put("big.png", png() + b"\0" * 4_000_000)
    assert "smaller copy" in await bench.error("read", path="big.png")
    bench.put("wide.png", png(9000, 1))
    assert "9000 × 1 pixels" in await bench.error("read", path="wide.png")
    bench.put("cut.png", png()[:14])
    assert (await bench.error("read", path="cut.png")).startswith("cut.png is an image that is cut")


async def test_a_near_miss_and_a_directory_say_what_to_do(bench: Bench) -> None:
    bench.put("src/math.ts")
    assert await bench.error("read", path="src/maths.ts") == (
        "File not found: src/maths.ts. Did you mean src/math.ts?"
    )
    assert "Use ls" in await bench.error("read", path="src")


async def test_the_editors_text_is_read_and_named(editor: Bench) -> None:
    editor.workspace.buffers[editor.put("a.txt", "saved\n")] = "typed\r\n"
    assert await editor.ok("read", path="a.txt") == (
        "typed\n[This is the editor's text, which is not saved yet]"
    )


async def test_a_guessed_encoding_is_told(bench: Bench) -> None:
    bench.put("a.txt", "Stra\xdfe und \xc4rger\n".encode("latin-1"))
    assert "only ASCII can be added" in await bench.ok("read", path="a.txt")


async def test_secrets_are_denied_by_name_and_through_links(tmp_path: Path, guard: Guard) -> None:
    bench = make_bench(tmp_path, guard, rules=PathRules.of(deny=["private/"]))
    (bench.put(".env", "KEY=hunter2").parent / "notes.txt").symlink_to(".env")
    bench.put("private/x.txt", "hunter2")
    for path in (".env", "notes.txt", "private/x.txt", "private/../.env"):
        text = await bench.error("read", path=path)
        assert "denied by the rule" in text
        assert "hunter2" not in text


class TestOutside:
    async def test_it_is_asked_first(self, bench: Bench, tmp_path: Path) -> None:
        (tmp_path / "out.txt").write_text("outside\n")
        called = await bench.call("read", path="../out.txt")
        assert isinstance(called.proposal, AccessProposal)
        assert called.proposal.title == f"Read {tmp_path}/out.txt (outside the workspace)"
        assert called.text == "outside\n"

    async def test_a_link_that_was_turned_outside_after_the_question_is_asked_again(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        (tmp_path / "out.txt").write_text("outside\n")
        bench.put("a.txt", "inside\n")
        link = bench.root / "link"
        link.symlink_to("a.txt")
        signal = AbortController().signal
        bound = bench.tools["read"].bind({"path": "link"})
        assert await bound.propose(signal) is None
        link.unlink()
        link.symlink_to(tmp_path / "out.txt")
        with pytest.raises(ProposalSuperseded):
            await bound.execute(ToolContext("1", signal, lambda _text: None))

    async def test_our_own_files_of_long_outputs_are_read_unasked(self, bench: Bench, tmp_path: Path) -> None:
        called = await bench.call("bash", command="seq 1 50000")
        path = re.search(r"All of it is in (\S+)\]", called.text)
        assert path is not None
        read = await bench.call("read", path=path[1], limit=2)
        assert (read.proposal, read.text.splitlines()[:2]) == (None, ["1", "2"])


lines = st.lists(st.text(alphabet="ab äé😀\t\x0c\u2028", max_size=20), max_size=60)


@settings(max_examples=100, deadline=None)
@given(
    lines=lines,
    final=st.booleans(),
    limit=st.integers(1, 30),
    max_bytes=st.integers(1, 200),
)
def test_pages_reassemble_the_text(lines: list[str], final: bool, limit: int, max_bytes: int) -> None:
    text = "\n".join(lines) + ("\n" if final and lines else "")
    offset, pages = 1, list[str]()
    while True:
        page = page_of(text, offset, limit, max_bytes=max_bytes)
        assert page.text.count("\n") <= limit
        assert page.total == count_lines(text)
        pages.append(page.text)
        if page.next_offset is None:
            break
        assert page.next_offset > offset
        offset = page.next_offset
    assert "".join(pages) == text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=lines, limit=st.integers(1, 20))
async def test_pages_of_a_file_reassemble_it(bench: Bench, lines: list[str], limit: int) -> None:
    text = "".join(f"{line}\n" for line in lines)
    bench.put("a.txt", text)
    offset, parts = 1, list[str]()
    while True:
        result = (await bench.call("read", path="a.txt", offset=offset, limit=limit)).result
        assert result.details is not None
        first, last = result.details["firstLine"], result.details["lastLine"]
        count = last - first + 1
        parts += result.text.split("\n")[:count]
        if last == result.details["totalLines"]:
            break
        offset = last + 1
    assert "".join(f"{part}\n" for part in parts) == text


async def test_after_an_abort_nothing_is_read(bench: Bench) -> None:
    bench.put("a.txt", "x")
    controller = AbortController()
    controller.abort()
    called = await bench.call("read", path="a.txt", signal=controller.signal)
    assert (called.is_error, called.text) == (True, "Operation aborted")
