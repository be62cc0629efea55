"""Recorded responses of many providers, read in place: each must parse to what is expected of it."""

import importlib.util
import os
import warnings
from pathlib import Path

import orjson
import pytest

from steersman.models.chat_body import ChatBody
from steersman.models.debug import parse_recording
from steersman.models.failures import classify, read_error_body
from steersman.models.sse import SseParser
from support.sse import cut_at, merged

CORPORA = os.environ.get("STEERSMAN_CORPORA")
pytestmark = pytest.mark.skipif(
    not CORPORA, reason="recorded responses are not in this repository; STEERSMAN_CORPORA names their folder"
)
EXPLAINED = {"think-tags"}
"""Policies of the manifest under which a parse may differ from the expected one."""
EVERY_CUT_BYTES = 8192


def load_corpus():
    spec = importlib.util.spec_from_file_location("corpus", Path(CORPORA or "") / "corpus.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


corpus = load_corpus() if CORPORA else None

with warnings.catch_warnings():
    # The corpus' own reader leaves closing its files to the garbage collector.
    warnings.simplefilter("ignore", ResourceWarning)
    STREAMS = list(corpus.load(api="openai-chat")) if corpus else []
    ERRORS = list(corpus.load(kind="http-error")) if corpus else []


def events_of(pieces):
    body = ChatBody()
    events = [event for piece in pieces for event in body.feed(piece)]
    return merged([*events, *body.close(), *body.parser.finish()])


@pytest.mark.parametrize("recording", STREAMS, ids=lambda each: each[0]["file"])
def test_a_recording_parses_to_what_is_expected_however_it_is_cut(recording):
    meta, body, expected = recording
    parsed = parse_recording("openai-chat", [body])
    policies = {policy.partition(":")[0] for policy in meta.get("policy", ())}
    assert not corpus.compare(parsed, expected, meta) or policies & EXPLAINED
    assert (parsed["model"], parsed["id"]) == (expected["model"], expected["id"])
    assert parsed["error"] or parsed["stop_reason"], "every recording without an error is usable"
    whole = events_of([body])
    cuts = ["wire", "random"] + (["bytes"] if len(body) <= EVERY_CUT_BYTES else [])
    for how in cuts:
        assert events_of(corpus.split(body, how, meta)) == whole, how
    for place in range(1, len(body), max(1, len(body) // 8)):
        assert events_of(cut_at(body, place)) == whole, place


def test_the_byte_layer_gives_the_same_events_at_every_cut():
    def sse_events(pieces):
        parser = SseParser()
        return [event for piece in pieces for event in parser.feed(piece)] + parser.close()

    for meta, body, _ in STREAMS:
        whole = sse_events([body])
        step = 1 if len(body) <= EVERY_CUT_BYTES else len(body) // 64
        for place in range(0, len(body), step):
            assert sse_events(cut_at(body, place)) == whole, (meta["file"], place)
        if step == 1:
            assert sse_events(corpus.split(body, "bytes")) == whole, meta["file"]


@pytest.mark.parametrize("recording", ERRORS, ids=lambda each: each[0]["file"])
def test_an_error_body_has_its_kind(recording):
    meta, body, expected = recording
    assert classify(meta["status"], read_error_body(orjson.loads(body))) == expected["kind"]
