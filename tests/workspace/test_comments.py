"""Instructions in comments: found by the comment syntax of every language, nowhere else, and removed completely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.comment_syntax import syntax_of
from steersman.workspace.comments import MAX_FOUND, MAX_TEXT, instructions, without


def said(text, language="python"):
    return [each.text for each in instructions(text, language)]


def stripped(text, language="python"):
    return without(text, instructions(text, language))


OWN_LINE = {
    "python": "# steersman: do it",
    "shellscript": "# steersman: do it",
    "sh": "#steersman: do it",
    "fish": "## steersman: do it",
    "ruby": "# steersman: do it",
    "yaml": "# steersman: do it",
    "makefile": "# steersman: do it",
    "dockerfile": "# steersman: do it",
    "elixir": "# steersman: do it",
    "r": "# steersman: do it",
    "julia": "#= steersman: do it =#",
    "nim": "#[ steersman: do it ]#",
    "powershell": "<# steersman: do it #>",
    "c": "/* steersman: do it */",
    "cpp": "// steersman: do it",
    "csharp": "/// steersman: do it",
    "java": "/** steersman: do it */",
    "go": "// steersman: do it",
    "rust": "//! steersman: do it",
    "swift": "// steersman: do it",
    "kotlin": "// steersman: do it",
    "javascript": "// steersman: do it",
    "typescriptreact": "{/* steersman: do it */}",
    "php": "# steersman: do it",
    "css": "/* steersman: do it */",
    "scss": "// steersman: do it",
    "html": "<!-- steersman: do it -->",
    "xml": "<!-- steersman: do it -->",
    "markdown": "<!-- steersman: do it -->",
    "vue": "<!-- steersman: do it -->",
    "svelte": "// steersman: do it",
    "jinja": "{# steersman: do it #}",
    "handlebars": "{{!-- steersman: do it --}}",
    "sql": "-- steersman: do it",
    "lua": "--[[ steersman: do it ]]",
    "haskell": "{- steersman: do it -}",
    "elm": "-- steersman: do it",
    "ada": "-- steersman: do it",
    "vhdl": "-- steersman: do it",
    "lisp": ";; steersman: do it",
    "clojure": "; steersman: do it",
    "emacs-lisp": ";;; steersman: do it",
    "racket": "#| steersman: do it |#",
    "ini": "; steersman: do it",
    "asm": "; steersman: do it",
    "latex": "% steersman: do it",
    "tex": "%% steersman: do it",
    "erlang": "%% steersman: do it",
    "matlab": "% steersman: do it",
    "ocaml": "(* steersman: do it *)",
    "fsharp": "// steersman: do it",
    "pascal": "{ steersman: do it }",
    "vb": "' steersman: do it",
    "bat": "REM steersman: do it",
    "fortran": "! steersman: do it",
    "vim": '" steersman: do it',
    "restructuredtext": ".. steersman: do it",
    "cobol": "*> steersman: do it",
    "forth": "\\ steersman: do it",
    "htmldjango": "{% comment %}steersman: do it{% endcomment %}",
    "erb": "<%# steersman: do it %>",
    "blade": "{{-- steersman: do it --}}",
    "jsp": "<%-- steersman: do it --%>",
    "ftl": "<#-- steersman: do it -->",
    "razor": "@* steersman: do it *@",
    "velocity": "#* steersman: do it *#",
    "pug": "//- steersman: do it",
    "haml": "-# steersman: do it",
    "slim": "/ steersman: do it",
    "mdx": "{/* steersman: do it */}",
    "astro": "{/* steersman: do it */}",
    "cmake": "#[[ steersman: do it ]]",
    "nix": "/* steersman: do it */",
    "d": "/+ steersman: do it +/",
    "wat": "(; steersman: do it ;)",
    "luau": "--[==[ steersman: do it ]==]",
    "a language of tomorrow": "// steersman: do it",
    "": "# steersman: do it",
}


@pytest.mark.parametrize("language", OWN_LINE)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_comment_in_lines_of_its_own_goes_with_its_lines(language, end):
    text = f"before{end}  {OWN_LINE[language]}{end}after{end}"
    assert said(text, language) == ["do it"]
    assert stripped(text, language) == f"before{end}after{end}"


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("python", "x = 1  # steersman: do it\ny\n", "x = 1\ny\n"),
        ("c", "f(); // steersman: do it", "f();"),
        ("c", "f(a, /* steersman: do it */ b);", "f(a, b);"),
        ("c", "f(/* steersman: do it */b);", "f(b);"),
        ("c", "/* steersman: do it */ f();\n", "f();\n"),
        ("html", "<p>don't</p> <!-- steersman: do it -->\n<b>", "<p>don't</p>\n<b>"),
        ("sql", "select 1 -- steersman: do it\n", "select 1\n"),
        ("latex", "50\\% of it % steersman: do it\n", "50\\% of it\n"),
        ("rust", "fn f<'a>(x: &'a str) {} // steersman: do it\n", "fn f<'a>(x: &'a str) {}\n"),
        ("shellscript", "echo $# ${#x} # steersman: do it\n", "echo $# ${#x}\n"),
        ("javascript", "get('https://a.b'); // steersman: do it\n", "get('https://a.b');\n"),
        ("matlab", "sprintf('%d', x) % steersman: do it\n", "sprintf('%d', x)\n"),
        ("typescriptreact", "<a>{/* steersman: do it */}</a>", "<a></a>"),
        ("swift", "/* steersman: do it */ let x = 1 /* a /* b */ c */", "let x = 1 /* a /* b */ c */"),
        ("html", "<script>f() // steersman: do it</script>", "<script>f() </script>"),
        (
            "html",
            '<input accept="image/*"><!-- steersman: do it -->\n/* */',
            '<input accept="image/*">\n/* */',
        ),
        ("handlebars", "{{#if a}}{{!-- steersman: do it --}}{{/if}}", "{{#if a}}{{/if}}"),
        ("php", "<p><!-- steersman: do it --></p>", "<p></p>"),
        ("javascript", "s.split(/`/) // steersman: do it", "s.split(/`/)"),
    ],
)
def test_a_comment_beside_code_goes_and_the_code_stays(language, text, left):
    assert said(text, language) == ["do it"]
    assert stripped(text, language) == left


@pytest.mark.parametrize(
    "comment",
    [
        "# steersman: do it",
        "# Steersman: do it",
        "# STEERSMAN: do it",
        "# @steersman: do it",
        "# steersman! do it",
        "#steersman:do it",
        "#   steersman:   do it   ",
        "# do it steersman!",
        "# do it steersman:",
        "# do it, Steersman!",
        "# do it @steersman!",
        "# steersman: do it steersman!",
        "# steersman：do it",
        "# do it steersman！",
        "#\u00a0steersman:\u00a0do it\u00a0",
        "#\u3000steersman：\u3000do it",
        "\ufeff# steersman: do it",
    ],
)
def test_the_marker_stands_at_the_start_or_at_the_end_in_any_case(comment):
    assert said(comment) == ["do it"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", 's = "# steersman: do it"'),
        ("python", "s = '# steersman: do it'"),
        ("python", '"""\n# steersman: do it\n"""'),
        ("python", '"""steersman: do it"""'),
        ("python", "x = y[a % steersman: b]"),
        ("python", "# This is what steersman: does"),
        ("python", "# steersman is an agent"),
        ("python", "# steersman:"),
        ("python", "// steersman: do it"),
        ("cpp", "// steersman::Session is a class"),
        ("cpp", "#steersman: do it"),
        ("cpp", "// steersman://a.b is a link"),
        ("javascript", "; steersman: for (;;) {}"),
        ("javascript", "`\n// steersman: do it\n`"),
        ("javascript", 'glob("src/*"); steersman: x; /* */'),
        ("c", "/* steersman: never closed"),
        ("html", "<p>steersman: do it</p>"),
        ("markdown", "steersman: do it"),
        ("json", '{"steersman": "do it"}'),
        ("toml", "a = '''\n# steersman: do it\n'''"),
        ("rust", "/* a /* b */ // steersman: do it"),
        ("rust", "/* a /* steersman: do it */ b */"),
    ],
)
def test_what_is_no_comment_or_has_no_marker_is_no_instruction(language, text):
    assert said(text, language) == []


def test_an_instruction_goes_on_to_the_end_of_its_paragraph():
    text = "# steersman: split this\n#   function into two\n#\n# It adds.\ndef f(): ...\n"
    assert said(text) == ["split this\nfunction into two"]
    assert stripped(text) == "# It adds.\ndef f(): ...\n"


def test_a_marker_at_the_end_takes_the_paragraph_before_it():
    text = "# It adds.\n#\n# Split this\n# into two. steersman!\ndef f(): ...\n"
    assert said(text) == ["Split this\ninto two."]
    assert stripped(text) == "# It adds.\ndef f(): ...\n"


def test_a_comment_may_hold_several():
    text = "/*\n * steersman: one\n * more\n * steersman: two\n */\nint x;\n"
    found = instructions(text, "c")
    assert [each.text for each in found] == ["one\nmore", "two"]
    assert without(text, found[:1]) == "/*\n * steersman: two\n */\nint x;\n"
    assert without(text, found[1:]) == "/*\n * steersman: one\n * more\n */\nint x;\n"
    assert without(text, found) == "int x;\n"


def test_only_the_instruction_is_removed_from_a_block_comment_that_says_more():
    text = "/** steersman: rename it\n *\n * Adds.\n * @return the sum */\nint f();\n"
    assert said(text, "java") == ["rename it"]
    assert stripped(text, "java") == "/**\n * Adds.\n * @return the sum */\nint f();\n"


def test_comments_with_another_indent_or_after_code_are_separate():
    text = "# steersman: one\n    # other\nx = 1  # steersman: two\n# more\n"
    assert said(text) == ["one", "two"]
    assert stripped(text) == "    # other\nx = 1\n# more\n"


@pytest.mark.parametrize(
    ("language", "opens", "closes"),
    [
        *(("rust", "/*", "*/"), ("kotlin", "/*", "*/"), ("dart", "/*", "*/"), ("haskell", "{-", "-}")),
        *(("ocaml", "(*", "*)"), ("scheme", "#|", "|#"), ("julia", "#=", "=#"), ("nim", "#[", "]#")),
    ],
)
def test_a_comment_ends_where_all_nested_ones_are_closed(language, opens, closes):
    text = f"{opens} steersman: do {opens} it {closes} all {closes}\nnext\n"
    assert said(text, language) == [f"do {opens} it {closes} all"]
    assert stripped(text, language) == "next\n"


def test_a_comment_ends_at_the_first_delimiter_if_comments_do_not_nest():
    assert said("/* steersman: do /* it */ x", "c") == ["do /* it"]


def test_the_byte_order_mark_stays():
    assert stripped("\ufeff# steersman: do it\nx\n") == "\ufeffx\n"
    assert stripped("\ufeff<!-- steersman: do it -->\nx\n", "html") == "\ufeffx\n"


def test_the_lines_are_those_of_the_whole_comment():
    (found,) = instructions("\n# a\n#\n# steersman: b\n# c\n", "python")
    assert (found.first, found.last) == (1, 4)


def test_the_last_line_needs_no_end():
    assert stripped("x\n# steersman: y") == "x\n"
    assert stripped("# steersman: y") == ""


def test_language_ids_are_known_in_any_case():
    assert syntax_of("Python") is syntax_of("python")
    assert syntax_of("cpp") != syntax_of("nothing known")


def test_the_last_line_of_a_long_file_is_searched_too():
    text = "value = 'a', \"b\"  # note\n" * 50_000
    (found,) = instructions(f"{text}# steersman: do it\n", "python")
    assert (found.first, found.last) == (50_000, 50_000)
    assert without(f"{text}# steersman: do it\n", [found]) == text


def test_the_search_of_long_texts_is_bounded():
    assert len(instructions("# steersman: x\n\n" * (MAX_FOUND + 5), "python")) == MAX_FOUND
    assert instructions("# steersman: x\n" + " " * MAX_TEXT, "python") == []


PIECES = st.sampled_from(
    [
        *(
            "steersman: ",
            " steersman! ",
            "@steersman:",
            "do it",
            "a",
            "ä",
            "𝄞",
            " ",
            "\t",
            "\n",
            "\r",
            "\r\n",
        ),
        *(
            "# ",
            "#",
            "//",
            "/*",
            "*/",
            "<!--",
            "-->",
            "--",
            "--[[",
            "]]",
            ";",
            "%",
            "{-",
            "-}",
            "(*",
            "*)",
            "{",
            "}",
        ),
        *("{#", "#}", "#[", "]#", "REM ", ".. ", ":: ", '"', "'", "`", "\\", '"""'),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)
LANGUAGES = st.sampled_from([*OWN_LINE, "lua", "vue", "applescript", "properties"])


@given(TEXTS, LANGUAGES)
def test_whatever_the_text_all_spans_are_in_it_and_in_order(text, language):
    found = instructions(text, language)
    assert [each.start for each in found] == sorted(each.start for each in found)
    for each in found:
        assert each.text.strip() == each.text != ""
        assert 0 <= each.start <= each.end <= len(text)
        assert 0 <= each.first <= each.last
        spans = [*each.cut, *([each.whole] if each.whole else [])]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        left = without(text, [each])
        assert len(left) < len(text)
    if found:
        assert len(without(text, found)) < len(text)


@given(TEXTS, LANGUAGES)
def test_line_ends_make_no_difference(text, language):
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    assert said(lines, language) == said(lines.replace("\n", "\r\n"), language)
