"""What a message takes at most, and what a log does where the system has its own limits."""

import base64
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from steersman.agent.messages import Image
from steersman.session.attach_pointed import MAX_SELECTION
from steersman.session.attachments import MAX_IMAGES
from steersman.session.errors import LogError, Refused
from steersman.session.jsonlines import encode
from steersman.session.log import SessionLog
from steersman.session.log_reading import read_records
from steersman.session.pointing import GivenImage, Pointed, Selection
from support.images import png
from support.scripted_model import answer

TINY = base64.b64encode(png()).decode()


def record(seq: int, text: str = "x") -> bytes:
    return encode({"seq": seq, "type": "notice", "data": {"message": text}})


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes beyond `size` fail with a real system error, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_log_whose_record_fits_in_part_goes_on_with_the_next_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = SessionLog.create(path)
    log.append(record(1))
    whole = path.read_bytes()
    with file_size_limit(len(whole) + 100):
        with pytest.raises(LogError, match="File too large"):
            log.append(record(2, "x" * 500))
        assert path.read_bytes() == whole
        log.append(record(2, "short"))
    await log.sync()
    await log.close()
    assert [each["data"]["message"] for each in read_records(path)] == ["x", "short"]


async def test_what_was_not_synced_before_a_log_was_closed_is_an_error_and_no_silence(tmp_path: Path) -> None:
    log = SessionLog.create(tmp_path / "log.jsonl")
    log.append(record(1))
    await log.close()
    with pytest.raises(LogError, match="can't be synced"):
        await log.sync()


async def test_a_log_that_somebody_has_taken_away_is_discarded_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = SessionLog.create(path)
    path.unlink()
    log.discard()
    SessionLog.create(path).discard()
    assert not path.exists()


def test_a_long_log_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    SessionLog.write_whole(path, (record(seq, "x" * 100_000) for seq in range(1, 31)))
    assert [each["seq"] for each in read_records(path)] == list(range(1, 31))


def shown(h) -> str:
    return "".join(getattr(block, "text", "") for block in h.model.requests[0].messages[0].content)


async def test_a_long_selection_is_cut_and_said_to_be(harness):
    h = harness(answer("done"))
    path = h.put("a.txt", "x")
    chosen = Selection(path.as_uri(), 0, 1, "y" * MAX_SELECTION + "z")
    await h.run("look", pointed=Pointed(selections=(chosen,)))
    assert "y" * MAX_SELECTION in shown(h)
    assert "z" not in shown(h).split("y" * MAX_SELECTION)[1].split("(cut)")[0]
    assert "(cut)" in shown(h)


async def test_an_image_that_is_mentioned_beyond_the_most_that_a_message_takes_is_said_to_be_left_out(
    harness,
):
    h = harness(answer("done"))
    names = [f"{number:02}.png" for number in range(MAX_IMAGES + 1)]
    for name in names:
        (h.root / name).write_bytes(png())
    await h.run("look at " + " ".join(f"@{name}" for name in names))
    images = [block for block in h.model.requests[0].messages[0].content if isinstance(block, Image)]
    assert len(images) == MAX_IMAGES
    (notice,) = [data["message"] for data in h.of("notice") if "not attached" in data["message"]]
    assert notice == f"{names[-1]} is not attached: a message takes at most 20 images of together 20 MB."


async def test_an_image_that_is_sent_along_is_refused_where_those_that_are_mentioned_leave_no_room(harness):
    """It was put there on purpose: the text goes back to whoever sent it."""
    h = harness()
    (h.root / "a.png").write_bytes(png())
    given = tuple(GivenImage(TINY, "image/png") for _ in range(MAX_IMAGES))
    with pytest.raises(Refused) as caught:
        await h.run("look at @a.png", pointed=Pointed(images=given))
    assert (caught.value.code, h.model.requests) == ("tooLarge", [])
