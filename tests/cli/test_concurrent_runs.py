"""Several processes at work in one folder."""

from support.command_line import CommandLine, calls

EDITS, RUNS = 12, 3


def test_edits_of_one_file_by_several_processes_at_once_are_all_there(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "ws"
    home.mkdir()
    workspace.mkdir()
    line = CommandLine(home, workspace)
    lines = [f"old {number}." for number in range(EDITS * RUNS)]
    (workspace / "a.txt").write_text("\n".join(lines) + "\n")
    processes = []
    for run in range(RUNS):
        own = range(run * EDITS, (run + 1) * EDITS)
        turns = [
            calls(("edit", {"path": "a.txt", "edits": [{"oldText": f"old {n}.", "newText": f"new {n}."}]}))
            for n in own
        ]
        tape = line.tape(*turns, {"text": "done"})
        named = home / f"model-{run}.jsonl"
        (home / tape.removeprefix("tape:")).rename(named)
        arguments = ("--mode", "full-auto", "--trust", "--model", f"tape:{named}")
        processes.append(line.start("run", *arguments, "go"))
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()
    assert (workspace / "a.txt").read_text() == "\n".join(lines).replace("old", "new") + "\n"
    assert [path.name for path in workspace.iterdir()] == ["a.txt"]
