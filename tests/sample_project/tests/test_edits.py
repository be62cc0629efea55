"""What becomes of the files."""

from steersman.testing import Edit, after, call, script, tape, turn


def test_a_docstring_is_added(shop):
    result = shop.run(
        "Add a docstring.", script("turns/add_docstring.yaml"), answers=[Edit("shop/tax.py").accept()]
    )
    assert '"""The price with tax."""' in result.tree["shop/tax.py"]
    assert result.asked == [Edit("shop/tax.py")]
    assert '+    """The price with tax."""\n' in result.diff


def test_a_recorded_conversation_is_replayed(shop):
    result = shop.run("The rate is 19.", tape("tapes/rate.jsonl"), answers="accept")
    assert result.text == "The rate is 19 now."
    assert list(result.changed) == ["shop/tax.py"]


def test_an_abort_keeps_what_was_done(shop):
    change = call("edit", path="shop/tax.py", edits=[{"oldText": "RATE = 7", "newText": "RATE = 19"}])
    result = shop.run(
        "The rate is 19.",
        [turn(change), turn("Now the ", hang=True)],
        mode="auto-edit",
        during=[after("message_update", nth=2).abort()],
    )
    assert result.stop_reason == "aborted"
    assert list(result.changed) == ["shop/tax.py"]
    again = shop.run("And now?", ["It is 19."])
    assert again.changed == {}
