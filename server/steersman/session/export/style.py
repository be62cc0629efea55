"""The one style sheet of the HTML page: light and dark, narrow and wide, screen and paper."""

from typing import Final

STYLE: Final = """\
:root { color-scheme: light dark;
  --bg: #fff; --fg: #1f2328; --dim: #59636e; --line: #d1d9e0; --soft: #f6f8fa; --you: #eaf3ff; --link: #0757ba;
  --add: #1a6331; --add-bg: #dafbe1; --del: #a40e26; --del-bg: #ffebe9; --hunk: #6639ba; --warn: #7d4e00;
  --bad: #b3121d; }
@media (prefers-color-scheme: dark) { :root {
  --bg: #0d1117; --fg: #e6edf3; --dim: #9198a1; --line: #30363d; --soft: #161b22; --you: #12233c; --link: #6cb0ff;
  --add: #7ee2a0; --add-bg: #12301d; --del: #ffaba3; --del-bg: #3c1a1c; --hunk: #c8a9ff; --warn: #e3b341;
  --bad: #ff8d85; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--bg); color: var(--fg);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
a { color: var(--link); }
code, .text, .diff { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .85rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem;
  font-size: .9rem; }
dl.facts dt, .dim, time { color: var(--dim); }
dl.facts dd { margin: 0; }
p.dim { margin: .3rem 0; }
main > * { margin: .75rem 0; }
nav, .others { margin: .75rem 0; font-size: .9rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem; }
article.user { background: var(--you); }
article.discarded { border-style: dashed; opacity: .8; }
article > header { display: flex; justify-content: space-between; gap: 1rem; font-size: .85rem; }
article > header b { font-weight: 600; }
article > header a { text-decoration: none; }
.said { white-space: pre-wrap; }
.prose > :first-child { margin-top: .3rem; } .prose > :last-child { margin-bottom: .2rem; }
.prose h1, .prose h2, .prose h3 { font-size: 1.1rem; margin: .9rem 0 .3rem; }
.prose code { background: var(--soft); border-radius: .25rem; padding: .1rem .25rem; }
.prose pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem;
  overflow-x: auto; white-space: pre-wrap; }
.prose pre code { background: none; padding: 0; }
.prose table { border-collapse: collapse; display: block; overflow-x: auto; }
.prose th, .prose td { border: 1px solid var(--line); padding: .2rem .6rem; }
.prose blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: .8rem; color: var(--dim); }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .8rem; }
details.thinking, article details { border-style: dotted; margin: .4rem 0; }
summary { cursor: pointer; }
summary .outcome { color: var(--dim); font-size: .85rem; }
details.bad > summary .outcome { color: var(--bad); }
.text, .diff { white-space: pre-wrap; background: var(--soft); border-radius: .4rem; padding: .5rem .7rem;
  margin: .4rem 0; max-height: 40rem; overflow: auto; }
.diff span { display: block; }
.diff .add { color: var(--add); background: var(--add-bg); }
.diff .del { color: var(--del); background: var(--del-bg); }
.diff .file { font-weight: 600; }
.diff .hunk { color: var(--hunk); }
.label { color: var(--dim); font-size: .85rem; margin-top: .4rem; }
.note, .end { color: var(--dim); font-size: .9rem; border-left: 3px solid var(--line); padding-left: .8rem; }
.note.retry, .note.notice, .note.branch { border-color: var(--warn); }
.end.bad { border-color: var(--bad); }
.end ul, .note ul { margin: .2rem 0; padding-left: 1.2rem; }
.summary { border: 2px solid var(--line); border-radius: .5rem; padding: .6rem .9rem; }
img { display: block; max-width: 100%; max-height: 30rem; margin: .4rem 0; }
.added { color: var(--add); } .removed { color: var(--del); }
@media (max-width: 36rem) { body { padding: .8rem .5rem 3rem; } dl.facts { gap: .1rem .7rem; }
  article > header { flex-wrap: wrap; gap: 0 1rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; }
  article, .summary { break-inside: auto; } .text, .diff { max-height: none; overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; } }
"""
