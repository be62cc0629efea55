"""Workloads of the workspace: an edit in a large file, a large tree searched, a long document typed in."""

import time
from pathlib import Path

from benchmarks.bench import Bench, Figures, Workload
from benchmarks.editor import BarePygls, LanguageServer, Ours
from benchmarks.model import calls, says
from steersman.workspace.search import find_ripgrep
from support.served_process import Place

OLD, NEW = "the line that is edited", "the line that was edited"
NEEDLE = "the line that is looked for"


def edit(bench: Bench, rounds: int, size: int) -> Workload:
    line = "A line of a large file, such as a table or a log has them.\n"

    def filled() -> Place:
        place = bench.place()
        half = line * (size // 2 // len(line))
        (place.root / "large.txt").write_text(f"{half}{OLD}\n{half}")
        return place

    def agent(side: str) -> Figures:
        place = filled()
        path = place.root / "large.txt"
        due = path.stat().st_size + len(NEW) - len(OLD)
        call = calls("edit", path="large.txt", edits=[{"oldText": OLD, "newText": NEW}])

        def check() -> bool:
            return NEW in path.read_text() and path.stat().st_size == due

        return _in_ms(bench.run(side, place, call, says("done"), check=check))

    def floor() -> Figures:
        return bench.floor("edit", path=str(filled().root / "large.txt"), old=OLD, new=NEW)

    sides = {"floor": floor, **bench.each(agent)}
    return Workload("edit", f"an edit in a file of {size / 1e6:g} MB", rounds, sides)


class Tree:
    """A workspace of many small files, a hundred to a folder, and as many empty ones in one folder."""

    def __init__(self, bench: Bench, count: int) -> None:
        self._bench, self._count = bench, count
        self._place: Place | None = None

    @property
    def place(self) -> Place:
        """Made when it is first asked for."""
        if self._place is None:
            self._place = self._bench.place()
            for number in range(self._count):
                folder = self._place.root / "tree" / f"{number // 100:04d}"
                if number % 100 == 0:
                    folder.mkdir(parents=True)
                said = NEEDLE if number % (self._count // 10) == 0 else "nothing of the kind"
                (folder / f"{number:06d}.txt").write_text(f"first\n{said}\nlast\n")
            (self._place.root / "flat").mkdir()
            for number in range(self._count):
                (self._place.root / "flat" / f"{number:06d}.txt").touch()
        return self._place


def grep(bench: Bench, rounds: int, tree: Tree, count: int) -> Workload:
    def floor() -> Figures:
        program, folder = str(find_ripgrep().program), str(tree.place.root / "tree")
        return bench.floor("grep", program=program, pattern=NEEDLE, folder=folder)

    def agent(side: str) -> Figures:
        call = calls("grep", pattern=NEEDLE, path="tree")
        return _in_ms(bench.run(side, tree.place, call, says("done")))

    sides = {"floor": floor, **bench.each(agent)}
    return Workload("grep", f"grep over {count:,} files", rounds, sides)


def ls(bench: Bench, rounds: int, tree: Tree, count: int) -> Workload:
    def floor() -> Figures:
        return bench.floor("ls", folder=str(tree.place.root / "flat"))

    def agent(side: str) -> Figures:
        return _in_ms(bench.run(side, tree.place, calls("ls", path="flat"), says("done")))

    sides = {"floor": floor, **bench.each(agent)}
    return Workload("ls", f"ls of a folder of {count:,} files", rounds, sides)


def typing(bench: Bench, rounds: int, lines: int, changes: int) -> Workload:
    """Each change is one character in the middle of the document."""

    def typed(server: LanguageServer, path: Path) -> Figures:
        text = "".join(f"line {number} of a long document\n" for number in range(lines))
        path.write_text(text)
        server.ready()
        document = {"uri": path.as_uri(), "languageId": "plaintext", "version": 1, "text": text}
        server.notify("textDocument/didOpen", {"textDocument": document})
        _reached(server)
        begun = time.perf_counter()
        for number in range(changes):
            here = {"line": lines // 2, "character": number}
            change = {"range": {"start": here, "end": here}, "text": "x"}
            named = {"uri": path.as_uri(), "version": 2 + number}
            server.notify("textDocument/didChange", {"textDocument": named, "contentChanges": [change]})
        _reached(server)
        took = (time.perf_counter() - begun) * 1000 / changes
        return {"ms each": [took], "peak memory, MB": [server.cost().peak]}

    def ours() -> Figures:
        place = bench.place()
        with Ours(place, bench.model.url) as server:
            figures = typed(server, place.root / "long.txt")
            server.prompt(bench.model.prompt(calls("read", path="long.txt", offset=lines // 2), says("done")))
            server.settled()
            [result] = [event for event in server.events() if event["type"] == "tool_execution_end"]
            if "x" * changes + f"line {lines // 2} of" not in result["data"]["content"][0]["text"]:
                raise server.wrong("the document is not as it was typed")
        return figures

    def floor() -> Figures:
        place = bench.place()
        with BarePygls(place) as server:
            return typed(server, place.root / "long.txt")

    title = f"a change in an open document of {lines:,} lines"
    return Workload("typing", title, rounds, {"floor": floor, "ours": ours})


def _reached(server: LanguageServer) -> None:
    """Returns when it has handled all that it was sent: nobody knows this request, and says so."""
    server.answer(server.request("benchmarks/nothing", None))


def _in_ms(figures: Figures) -> Figures:
    return {"ms": [1000 * each for each in figures.pop("s")], **figures}
