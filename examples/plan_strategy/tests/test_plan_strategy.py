"""What the strategy does, with a model whose answers are written down."""

from plan_strategy import read_steps

from steersman.testing import Budget, call, turn

PLAN = "1. Set RATE to 19 in shop/tax.py\n2. Say so in README.md"


def change(path, old, new):
    return call("edit", path=path, edits=[{"oldText": old, "newText": new}])


def report(step, ok=True, note=""):
    return call("report_step", step=step, ok=ok, note=note)


def customs(result):
    return [data["content"][0]["text"] for data in result.data("message_end") if data.get("kind") == "plan"]


def names(request):
    return set(request.tools)


def test_it_plans_with_tools_that_only_read_and_then_carries_the_plan_out(agent):
    result = agent.run(
        "The tax rate is 19 now.",
        [
            turn(call("read", path="shop/tax.py")),
            PLAN,
            turn(call("read", path="README.md"), change("shop/tax.py", "7", "19"), report(1)),
            turn(change("README.md", "7", "19"), report(2)),
            "Both say 19 now.",
        ],
        mode="auto-edit",
    )
    assert result.changed == {"shop/tax.py": "RATE = 19\n", "README.md": "The rate is 19.\n"}
    assert (result.stop_reason, result.text) == ("complete", "Both say 19 now.")
    assert [names(request) >= {"edit", "bash", "report_step"} for request in result.requests] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert customs(result)[-1] == (
        "Plan, 2 of 2 done:\n1. [x] Set RATE to 19 in shop/tax.py\n2. [x] Say so in README.md"
    )


def test_the_model_sees_the_newest_plan_and_no_older_one(agent):
    result = agent.run(
        "The tax rate is 19 now.",
        [PLAN, turn(report(1)), turn(report(2)), "Done."],
    )
    seen = [
        [message["text"] for message in request.messages if message["text"].startswith("Plan")]
        for request in result.requests
    ]
    assert [len(plans) for plans in seen] == [0, 1, 1, 1]
    assert [plans[0].splitlines()[0] for plans in seen[1:]] == [
        "Plan, 0 of 2 done:",
        "Plan, 1 of 2 done:",
        "Plan, 2 of 2 done:",
    ]


def test_a_step_that_fails_leads_to_a_new_plan(agent):
    result = agent.run(
        "The tax rate is 19 now.",
        [
            PLAN,
            turn(report(1, ok=False, note="there is no such file")),
            "1. Set it in shop/tax.py",
            turn(change("shop/tax.py", "7", "19"), report(1)),
            "Done.",
        ],
        mode="auto-edit",
    )
    assert result.changed == {"shop/tax.py": "RATE = 19\n"}
    assert not names(result.requests[2]) & {"edit", "bash", "report_step"}
    assert customs(result)[-1] == "Plan, 1 of 1 done:\n1. [x] Set it in shop/tax.py"


def test_a_step_of_the_second_plan_that_fails_stops_the_run(agent):
    failed = turn(report(1, ok=False, note="no way"))
    result = agent.run("Do it.", [PLAN, failed, PLAN, failed])
    assert result.notices == [
        "Stopped by plan: step 1 of the second plan failed: Set RATE to 19 in shop/tax.py (no way)"
    ]
    assert result.changed == {}


def test_a_model_that_writes_no_plan_is_asked_twice_and_then_the_run_stops(agent):
    result = agent.run("Do it.", ["Gladly.", "Sure.", "Yes."])
    assert result.notices == ["Stopped by plan: the model wrote no plan."]


def test_a_run_that_goes_on_goes_on_with_its_plan(agent):
    agent.run("The tax rate is 19 now.", [PLAN, turn(report(1))], budget=Budget(turns=2))
    result = agent.run(None, [turn(report(2)), "Done."])
    assert customs(result)[-1].startswith("Plan, 2 of 2 done")


def test_the_policy_still_has_the_last_word(agent):
    result = agent.run(
        "The tax rate is 19 now.",
        [
            PLAN,
            turn(change("shop/tax.py", "7", "19")),
            turn(report(1, ok=False)),
            "1. Nothing",
            turn(report(1)),
            ".",
        ],
        mode="read-only",
    )
    assert result.changed == {}


def test_numbered_lines_are_steps():
    assert [step.text for step in read_steps("Here:\n 1. a\n2) b\n- no\n\n7. [x] c")] == ["a", "b", "c"]
