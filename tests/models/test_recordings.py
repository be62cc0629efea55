"""Recorded responses of many providers, read in place: each must parse to what is expected of it."""

import hashlib
import importlib.util
import os
import re
import warnings
from pathlib import Path

import orjson
import pytest

from steersman.agent.model import BlockEnd, BlockStart
from steersman.models.answer_body import AnswerBody
from steersman.models.debug import PARSERS, parse_recording
from steersman.models.failure_body import read_error_body
from steersman.models.failures import classify
from steersman.models.sse import SseParser
from support.sse import cut_at, merged

CORPORA = os.environ.get("STEERSMAN_CORPORA")
pytestmark = pytest.mark.skipif(
    not CORPORA, reason="recorded responses are not in this repository; STEERSMAN_CORPORA names their folder"
)
EXPLAINED = {"think-tags", "two-message-starts"}
"""Policies of the manifest under which a parse may differ from the expected one."""
SPLICED = "anthropic__ai__spliced-message-start.sse"
"""Two answers in one stream: told as a failure."""
CUT_SHORT = "openai__codecompanion-nvim__openai-responses-compaction-cancelled-streaming.sse"
"""Its reader left it in the middle."""
EVERY_CUT_BYTES = 8192
BLOCK = re.compile(rb".*?(?:\r?\n\r?\n|\Z)", re.DOTALL)
"""An event of a stream, and the empty line after it."""
LINE_START = re.compile(rb"^(?:[a-z]+:)?", re.MULTILINE)


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
    STREAMS = [each for api in PARSERS for each in corpus.load(api=api)] if corpus else []
    ERRORS = list(corpus.load(kind="http-error")) if corpus else []


def events_of(api, pieces):
    body = AnswerBody(PARSERS[api]())
    events = [event for piece in pieces for event in body.feed(piece)]
    return merged([*events, *body.close(), *body.parser.finish()])


@pytest.mark.parametrize("recording", STREAMS, ids=lambda each: each[0]["file"])
def test_a_recording_parses_to_what_is_expected_however_it_is_cut(recording):
    meta, body, expected = recording
    api = meta["api"]
    parsed = parse_recording(api, [body])
    policies = {policy.partition(":")[0] for policy in meta.get("policy", ())}
    assert not corpus.compare(parsed, expected, meta) or policies & EXPLAINED
    assert (parsed["model"], parsed["id"]) == (expected["model"], expected["id"])
    usable = not parsed["error"] and meta["file"] not in (SPLICED, CUT_SHORT)
    assert bool(parsed["stop_reason"]) == usable
    whole = events_of(api, [body])
    cuts = ["wire", "random"] + (["bytes"] if len(body) <= EVERY_CUT_BYTES else [])
    for how in cuts:
        assert events_of(api, corpus.split(body, how, meta)) == whole, how
    for place in range(1, len(body), max(1, len(body) // 8)):
        assert events_of(api, cut_at(body, place)) == whole, place


def test_the_signatures_of_recorded_thinking_are_whole():
    signed = 0
    for meta, body, expected in STREAMS:
        if meta["api"] != "anthropic" or meta["file"] == SPLICED:
            continue
        ends = [event for event in events_of("anthropic", [body]) if isinstance(event, BlockEnd)]
        told = [(event.redacted, fingerprint(event.signature)) for event in ends if event.signature]
        known = [
            (each["type"] == "redacted_thinking", each.get("data") or each["signature"])
            for each in expected["reasoning_blocks"]
        ]
        assert told == [pair for pair in known if pair[1]], meta["file"]
        signed += len(told)
    assert signed > 10


def test_the_encrypted_reasoning_that_was_recorded_is_whole_and_has_its_id():
    signed = 0
    for meta, body, expected in STREAMS:
        if meta["api"] != "openai-responses":
            continue
        ends = [event for event in events_of(meta["api"], [body]) if isinstance(event, BlockEnd)]
        kept = [orjson.loads(event.signature) for event in ends if event.signature]
        told = [fingerprint(each["encrypted_content"]) for each in kept]
        known = [each for each in expected["reasoning_blocks"] if each["encrypted"]]
        assert told == [each["encrypted"] for each in known], meta["file"]
        # Where the id of an item changes in the stream, none is kept.
        assert all(each.get("id") in (None, block["id"]) for each, block in zip(kept, known, strict=True))
        signed += len(told)
    assert signed > 7


def test_the_thought_signatures_that_were_recorded_are_whole_and_in_their_places():
    signed = {"text": 0, "call": 0}
    for meta, body, expected in STREAMS:
        if meta["api"] != "gemini":
            continue
        events = events_of("gemini", [body])
        kinds = {event.index: event.kind for event in events if isinstance(event, BlockStart)}
        ends = [event for event in events if isinstance(event, BlockEnd)]
        of_calls = [event.signature for event in ends if kinds[event.index] == "toolCall"]
        assert [told and fingerprint(told) for told in of_calls] == [
            each.get("signature") for each in expected["tool_calls"]
        ], meta["file"]
        of_texts = [
            fingerprint(event.signature) for event in ends if event.signature not in (None, *of_calls)
        ]
        # Those of the provider's own tools are not kept.
        known = [each["signature"] for each in expected["reasoning_blocks"] if each["type"] == "text"]
        assert of_texts == known, meta["file"]
        signed["text"] += len(of_texts)
        signed["call"] += sum(told is not None for told in of_calls)
    assert min(signed.values()) > 5


def fingerprint(signature):
    return {"len": len(signature), "sha256_16": hashlib.sha256(signature.encode()).hexdigest()[:16]}


def test_the_byte_layer_gives_the_same_events_at_every_cut():
    def sse_events(pieces):
        parser = SseParser()
        return [event for piece in pieces for event in parser.feed(piece)] + parser.close()

    for meta, body, _ in STREAMS:
        whole = sse_events([body])
        for place in range(0, len(body), max(1, len(body) // 64)):
            assert sse_events(cut_at(body, place)) == whole, (meta["file"], place)
        if len(body) > EVERY_CUT_BYTES:
            continue
        assert sse_events(corpus.split(body, "bytes")) == whole, meta["file"]
        # A cut concerns the events around it, and in the middle of a long line nothing: else this takes half a minute.
        blocks = BLOCK.findall(body)
        assert b"".join(blocks) == body
        for around in zip(blocks, blocks[1:] or [b""], strict=False):
            part = b"".join(around)
            events = sse_events([part])
            edges = {edge for match in LINE_START.finditer(part) for edge in match.span()}
            for place in {max(0, edge + off) for edge in edges for off in range(-8, 9)}:
                assert sse_events(cut_at(part, place)) == events, (meta["file"], part, place)


@pytest.mark.parametrize("recording", ERRORS, ids=lambda each: each[0]["file"])
def test_an_error_body_has_its_kind(recording):
    meta, body, expected = recording
    assert classify(meta["status"], read_error_body(orjson.loads(body))) == expected["kind"]
