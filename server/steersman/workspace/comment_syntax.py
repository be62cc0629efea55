"""How comments are written, by language id: those that LSP lists, and others that editors use."""

import functools
import re
from dataclasses import dataclass, replace
from typing import Final

Block = tuple[str, str]
"""What opens and closes a comment that may span lines."""

_OWN_LINE = r"(?:\A\ufeff?|(?<=[\r\n]))[ \t]*"
_BOUNDED = {
    "#": r"(?<![^\s;,(){}\[\]\ufeff])#",  # not `$#`, nor the fragment of a URL
    "//": r"(?<!:)//",
    "%": r"(?<!\\)%",
    '"': rf'{_OWN_LINE}"',
    "REM": rf"{_OWN_LINE}(?i:rem)\b",
    "::": rf"{_OWN_LINE}::",
    "..": rf"{_OWN_LINE}\.\.(?=\s)",
    "-#": rf"{_OWN_LINE}-#",
    "/": rf"{_OWN_LINE}/(?![/*])",
}
"""Line comment openings whose characters mean something else in other places."""
_STRINGS = {
    '"': r'"(?:\\.|[^"\\\r\n])*"',
    "'": r"'(?:\\.|[^'\\\r\n])*'",
    "`": r"`(?:\\.|[^`\\])*`",
    '"""': r'"""(?s:.*?)(?:"""|\Z)',
    "'''": r"'''(?s:.*?)(?:'''|\Z)",
}
_CHARACTER = r"'(?:\\.|[^'\\\r\n])'"
"""A character literal, in languages where `'` quotes no strings: it may contain a double quote."""


@dataclass(frozen=True, slots=True)
class CommentSyntax:
    """How one language writes comments. Where several could begin, the longest opening wins."""

    line: tuple[str, ...] = ()
    block: tuple[Block, ...] = ()
    strings: tuple[str, ...] = ()
    """The language's quotes, as keys of `_STRINGS`: there are no comments in strings."""
    braces: bool = False
    """`{/* */}` is a comment: JSX."""
    tags: bool = False
    """A line comment ends before a closing tag: it is in markup."""
    nests: bool = False
    """Block comments nest."""

    @property
    def opening(self) -> "re.Pattern[str]":
        """What opens a line comment."""
        return _opening(self.line)

    @property
    def token(self) -> "re.Pattern[str]":
        """Each match is a line comment (group `line`), a whole block comment (group `block`), or a string."""
        return _token(self)


@functools.cache
def _opening(line: tuple[str, ...]) -> "re.Pattern[str]":
    """Matches nothing if there are no line comments."""
    ways = [_BOUNDED.get(mark, re.escape(mark)) for mark in sorted(line, key=len, reverse=True)]
    return re.compile("|".join(ways) or r"(?!)")


@functools.cache
def _token(syntax: CommentSyntax) -> "re.Pattern[str]":
    blocks = sorted(syntax.block, key=lambda block: len(block[0]), reverse=True)
    ways: list[str] = []
    if blocks:
        ways.append(f"(?P<block>{'|'.join(_block(syntax, *each) for each in blocks)})")
    else:
        ways.append("(?P<block>(?!))")
    ways += [_STRINGS[quote] for quote in sorted(syntax.strings, key=len, reverse=True)]
    if syntax.strings and "'" not in syntax.strings:
        ways.append(_CHARACTER)
    rest = r"(?:(?!</)[^\r\n])*" if syntax.tags else r"[^\r\n]*"
    ways.append(rf"(?P<line>(?:{syntax.opening.pattern}){rest})")
    return re.compile("|".join(ways))


def _block(syntax: CommentSyntax, opens: str, closes: str) -> str:
    """If the language's strings are known, an unclosed comment extends to the end of the text. Otherwise its opening
    may have been anything, such as a glob."""
    if syntax.strings:
        return rf"{re.escape(opens)}(?s:.*?)(?:{re.escape(closes)}|\Z)"
    begins = r"(?<![\w*])/\*" if opens == "/*" else re.escape(opens)
    return rf"{begins}(?s:.*?){re.escape(closes)}"


_STARRED: Block = ("/*", "*/")
_MARKUP: Block = ("<!--", "-->")
_ML: Block = ("(*", "*)")

_HASH: Final = CommentSyntax(("#",), strings=('"', "'"))
_C: Final = CommentSyntax(("//",), (_STARRED,), ('"',))
_NESTED_C: Final = replace(_C, nests=True)
_SCRIPT: Final = CommentSyntax(("//",), (_STARRED,), ('"', "'", "`"))
_JSX: Final = replace(_SCRIPT, braces=True)
_PYTHON: Final = CommentSyntax(("#",), strings=('"""', "'''", '"', "'"))
_TEXT: Final = CommentSyntax(block=(_MARKUP,))
_PAGE: Final = CommentSyntax(("//",), (_MARKUP, _STARRED), tags=True)
"""Markup that contains scripts and styles."""
_COMPONENT: Final = replace(_PAGE, braces=True)


def _template(*blocks: Block) -> CommentSyntax:
    """A page with comments that are not served."""
    return replace(_PAGE, block=(*_PAGE.block, *blocks))


_LISP: Final = CommentSyntax((";",), (("#|", "|#"),), ('"',), nests=True)
_SEMICOLON: Final = CommentSyntax((";", "#"), strings=('"',))
_DASHES: Final = CommentSyntax(("--",), (_STARRED,), ('"', "'"))
_HASKELL: Final = CommentSyntax(("--",), (("{-", "-}"),), ('"',), nests=True)
_PERCENT: Final = CommentSyntax(("%",))
_ML_SYNTAX: Final = CommentSyntax(block=(_ML,), strings=('"',), nests=True)

UNKNOWN: Final = CommentSyntax(("#", "//", "--", ";", "%"), (_STARRED, _MARKUP))
"""For unknown languages: every common way."""

_FAMILIES: Final[tuple[tuple[CommentSyntax, str], ...]] = (
    (
        _HASH,
        "shellscript sh bash zsh fish csh ruby perl raku yaml yml r make makefile dockerfile containerfile elixir"
        " gitignore ignore conf config cfg tcl gdscript graphql gql crystal awk sed editorconfig git-commit"
        " gitcommit git-rebase gitrebase gitconfig gitattributes dotenv env just meson ninja starlark bzl bazel nginx"
        " apache sshconfig ssh_config jq robotframework robot nushell nu requirements pip-requirements snakemake"
        " desktop tmux spec puppet",
    ),
    (_PYTHON, "python cython sage mojo toml"),
    (CommentSyntax(("#",), (("#[[", "]]"),), ('"',)), "cmake"),
    (CommentSyntax(("#",), (("#=", "=#"),), ('"""', '"'), nests=True), "julia"),
    (CommentSyntax(("#",), (("#[", "]#"),), ('"',), nests=True), "nim"),
    (CommentSyntax(("#",), (("<#", "#>"),), ('"', "'")), "powershell ps1"),
    (CommentSyntax(("#",), (("###", "###"),), ('"', "'")), "coffeescript coffee"),
    (CommentSyntax(("#", "//"), (_STARRED,), ('"',)), "terraform hcl tf thrift"),
    (CommentSyntax(("#",), (_STARRED,), ('"',)), "nix"),
    (CommentSyntax(("//", "#"), (_STARRED, _MARKUP), ('"', "'")), "php"),
    (_NESTED_C, "kotlin scala swift rust v odin ceylon chapel"),
    (CommentSyntax(("//",), (_STARRED, ("/+", "+/")), ('"',)), "d"),
    (replace(_SCRIPT, nests=True), "dart"),
    (
        _C,
        "c cpp cuda-cpp cuda objective-c objective-cpp objc objcpp csharp cs java zig proto proto3 glsl hlsl wgsl"
        " shaderlab solidity verilog systemverilog haxe processing arduino jsonc json5 json hjson prisma jsonnet dts"
        " devicetree vala gradle rescript reason apex typst",
    ),
    (
        _SCRIPT,
        "javascript js typescript ts go groovy jenkinsfile scss less sass stylus actionscript pkl cue",
    ),
    (_JSX, "javascriptreact typescriptreact javascript.jsx typescript.tsx jsx tsx"),
    (CommentSyntax(block=(_STARRED,), strings=('"', "'")), "css postcss"),
    (_TEXT, "xml svg xsl xslt xsd markdown gfm quarto rmd plist docbook mediawiki ant maven"),
    (_PAGE, "html xhtml wxml"),
    (_COMPONENT, "vue vue-html svelte astro mdx"),
    (
        _template(("{#", "#}"), ("{% comment %}", "{% endcomment %}")),
        "jinja jinja2 jinja-html django-html htmldjango django-txt twig liquid nunjucks",
    ),
    (_template(("{{!--", "--}}"), ("{{!", "}}")), "handlebars hbs html.handlebars mustache"),
    (_template(("<%#", "%>"), ("<%!--", "--%>")), "erb eruby html.erb html-eex eelixir heex"),
    (_template(("{{/*", "*/}}"), ("{{- /*", "*/ -}}")), "gohtmltmpl gotmpl helm"),
    (_template(("{{--", "--}}"), ("@*", "*@")), "blade cshtml razor aspnetcorerazor"),
    (_template(("<%--", "--%>"), ("<#--", "-->")), "jsp ftl freemarker"),
    (_DASHES, "sql mysql pgsql postgres plsql sqlite tsql snowflake bigquery"),
    (CommentSyntax(("--",), strings=('"',)), "ada vhdl eiffel"),
    (
        CommentSyntax(("--",), (("--[[", "]]"), ("--[=[", "]=]"), ("--[==[", "]==]")), ('"', "'")),
        "lua luau teal",
    ),
    (_HASKELL, "haskell haskell.lhs elm purescript agda idris idris2 dhall cabal lhaskell"),
    (CommentSyntax(("--", "#"), (_ML,), ('"',), nests=True), "applescript"),
    (CommentSyntax(("##",), (("#*", "*#"), _MARKUP)), "velocity vtl"),
    (CommentSyntax(("//", "//-"), (_MARKUP,)), "pug jade"),
    (CommentSyntax(("-#",)), "haml"),
    (CommentSyntax(("/",)), "slim"),
    (
        _LISP,
        "lisp commonlisp common-lisp scheme racket clojure clojurescript emacs-lisp elisp fennel hy janet guile"
        " query",
    ),
    (CommentSyntax((";;",), (("(;", ";)"),), ('"',), nests=True), "wat wasm"),
    (_SEMICOLON, "asm asm-x86-64 nasm masm gas ini dosini autohotkey llvm reg systemd"),
    (CommentSyntax(("#", "!")), "properties java-properties jproperties"),
    (_PERCENT, "latex tex plaintex bibtex context erlang postscript mercury lilypond"),
    (CommentSyntax(("%",), (_STARRED,)), "prolog logtalk"),
    (CommentSyntax(("%", "#"), (("%{", "%}"), ("#{", "#}")), ('"',)), "matlab octave"),
    (_ML_SYNTAX, "ocaml ocaml.interface sml coq isabelle standard-ml"),
    (CommentSyntax(("//",), (_ML,), ('"""', '"'), nests=True), "fsharp"),
    (CommentSyntax(("//",), (_ML, ("{", "}")), ("'",)), "pascal delphi objectpascal"),
    (CommentSyntax(("'", "REM"), strings=('"',)), "vb vbnet vbscript basic qb64 freebasic"),
    (CommentSyntax(("REM", "::")), "bat batch dosbatch cmd"),
    (
        CommentSyntax(("!",), strings=('"', "'")),
        "fortran fortran-modern fortran_free-form fortran_fixed-form",
    ),
    (CommentSyntax(('"', "#")), "vim viml vimscript"),
    (CommentSyntax(("..",)), "restructuredtext rst"),
    (CommentSyntax(("*>",)), "cobol"),
    (CommentSyntax(("//",), strings=('"',)), "asciidoc adoc"),
    (CommentSyntax(("\\",), (("( ", ")"),)), "forth"),
    (CommentSyntax(("NB.",)), "j"),
    (CommentSyntax(("⍝",)), "apl"),
)
_BY_ID: Final = {name: syntax for syntax, names in _FAMILIES for name in names.split()}


def syntax_of(language_id: str) -> CommentSyntax:
    """How a language writes comments; `UNKNOWN` for an unknown id."""
    return _BY_ID.get(language_id.lower(), UNKNOWN)
