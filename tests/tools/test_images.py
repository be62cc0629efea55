"""Images by their bytes: kind, size, bounds."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.tools.images import (
    MAX_IMAGE_BYTES,
    ImageError,
    described,
    image_of,
    image_of_base64,
    image_size,
    image_type,
)
from support.images import gif, jpeg, png, webp

KINDS = [
    (png, "image/png"),
    (gif, "image/gif"),
    (jpeg, "image/jpeg"),
    (webp, "image/webp"),
    (lambda w=4, h=3: webp(w, h, b"VP8L"), "image/webp"),
    (lambda w=4, h=3: webp(w, h, b"VP8 "), "image/webp"),
]


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_kind_and_size_are_read_from_the_header(make, kind):
    data = make(640, 480)
    assert (image_type(data), image_size(data)) == (kind, (640, 480))
    image = image_of(data)
    assert (base64.b64decode(image.data), image.mime_type) == (data, kind)
    assert described(image, "shot") == f"shot ({kind}, 640 × 480, {len(data):,} bytes)"
    assert image_of_base64(image.data) == image


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_an_image_that_is_cut_in_its_header_is_none(make, kind):
    data = make()
    for length in range(12, len(data)):
        if image_size(data[:length]) is None:
            with pytest.raises(ImageError, match="cut off or damaged"):
                image_of(data[:length])
    assert image_size(data[:14]) is None or kind == "image/gif"


def test_what_an_api_would_refuse_is_an_error_that_says_what_to_do():
    for data, what in [
        (png(8001, 2), "8001 × 2 pixels; at most 8000"),
        (png() + b"\0" * MAX_IMAGE_BYTES, "Make a smaller copy"),
        (b"<svg/>", "png, jpeg, gif, webp"),
        (png(0, 5), "damaged"),
    ]:
        with pytest.raises(ImageError, match=what):
            image_of(data)
    for text in ("no base64!", "ä", "A" * 8_000_000):
        with pytest.raises(ImageError):
            image_of_base64(text)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(KINDS).map(lambda kind: kind[0]()), st.data())
def test_no_bytes_make_it_fail(data, draw):
    """Whatever is cut off or changed: a size or none."""
    head = data[: draw.draw(st.integers(0, len(data)))]
    mixed = head + draw.draw(st.binary(max_size=60))
    size = image_size(mixed) if image_type(mixed) else None
    assert size is None or min(size) > 0
