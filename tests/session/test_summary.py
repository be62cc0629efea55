"""What a model is shown of the conversation that it is to summarise, and the lists of files that it doesn't write."""

from steersman.agent.messages import AssistantMessage, Image, Text, ToolCall, ToolResultMessage, UserMessage
from steersman.session.summary import MAX_FILES, MOST_PIECES, Files, files_in, request_text, with_summary


def talk(*calls, outcome="ok", text="found"):
    made = [ToolCall(f"c{i}", name, arguments) for i, (name, arguments) in enumerate(calls)]
    results = [ToolResultMessage(call.id, call.name, (Text(text),), outcome) for call in made]
    return [
        UserMessage("u", (Text("do it"),)),
        AssistantMessage("a", (Text("sure"), *made), "m", "stop"),
        *results,
    ]


class TestFiles:
    def test_what_was_changed_is_not_listed_as_read_only_and_the_last_comes_last(self):
        messages = talk(
            ("read", '{"path": "a.py"}'),
            ("read", '{"path": "b.py"}'),
            ("edit", '{"path": "a.py"}'),
            ("move", '{"from": "c.py", "to": "d.py"}'),
            ("bash", '{"command": "cat e.py"}'),
        )
        assert files_in(messages, Files()) == Files(("b.py",), ("a.py", "c.py", "d.py"))

    def test_they_carry_on_with_what_is_known_from_before(self):
        messages = talk(("read", '{"path": "a.py"}'), ("write", '{"path": "n.py"}'))
        before = Files(("a.py", "z.py"), ("m.py",))
        assert files_in(messages, before) == Files(("z.py", "a.py"), ("m.py", "n.py"))

    def test_calls_that_failed_or_can_not_be_read_do_not_count(self):
        assert files_in(talk(("edit", '{"path": "a.py"}'), outcome="denied"), Files()) == Files()
        assert files_in(talk(("edit", "{not json"), ("read", '{"path": 7}')), Files()) == Files()

    def test_they_are_bounded_and_the_last_stay(self):
        messages = talk(*[("read", f'{{"path": "{n}.py"}}') for n in range(MAX_FILES + 5)])
        files = files_in(messages, Files())
        assert len(files.read) == MAX_FILES
        assert files.read[-1] == f"{MAX_FILES + 4}.py"


class TestTheRecord:
    def test_it_shows_who_said_what_which_calls_were_made_and_what_came_of_them(self):
        (text,) = request_text(
            talk(("read", '{"path": "a.py"}'), outcome="failed"),
            limit=10_000,
            before=None,
            instructions="keep names",
        )
        assert text == (
            '<record>\n[user]\ndo it\n\n[assistant]\nsure\n[calls read] {"path": "a.py"}\n\n'
            "[result of read, failed]\nfound\n</record>\n\nThe user asks of this summary: keep names"
        )

    def test_long_items_are_cut_in_the_middle_and_a_long_record_comes_in_pieces(self):
        messages = [
            message for _ in range(40) for message in talk(("read", "{}"), text="h" + "x" * 9000 + "t")
        ]
        pieces = request_text(messages, limit=4000, before=None, instructions=None)
        assert len(pieces) > 1
        assert all(len(piece) < 4500 for piece in pieces)
        assert "hxxx" in pieces[0]
        assert "xxxt" in pieces[0]
        assert "".join(pieces).count("[user]") == 40, "nothing is left out as a whole"

    def test_of_a_very_long_record_less_is_shown_of_each_message_and_none_is_left_out(self):
        messages = [
            UserMessage(f"u{number}", (Text(f"wish {number} " + "x" * 2000),)) for number in range(100)
        ]
        pieces = request_text(messages, limit=8000, before=None, instructions=None)
        assert len(pieces) <= MOST_PIECES
        assert all(f"wish {number} " in "".join(pieces) for number in range(100))

    def test_an_image_is_named(self):
        (text,) = request_text(
            [UserMessage("u", (Text("see"), Image("AAAA", "image/png")))],
            limit=9000,
            before=None,
            instructions=None,
        )
        assert "see\n(an image)" in text
        assert "AAAA" not in text

    def test_a_summary_of_what_came_before_stands_first(self):
        assert with_summary("OLD", "new").startswith("<summary-so-far>\nOLD\n")
        assert with_summary(None, "new") == "new"
