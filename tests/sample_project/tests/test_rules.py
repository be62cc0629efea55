"""What the agent may change in this workspace."""

import pytest

from steersman.testing import Protected, call, turn

CHANGE_VENDOR = turn(call("edit", path="vendor/money.py", edits=[{"oldText": "EUR", "newText": "USD"}]))


@pytest.mark.parametrize("mode", ["ask", "auto-edit", "full-auto"])
def test_vendor_is_asked_about_in_every_mode(shop, mode):
    result = shop.run(
        "We sell in dollars now.",
        [CHANGE_VENDOR, "I leave vendor alone."],
        mode=mode,
        answers=[Protected("vendor/money.py").decline("vendor is not ours")],
    )
    assert result.unchanged("vendor/money.py")
    assert result.saw("vendor is not ours")


def test_own_files_need_no_question_in_auto_edit(shop):
    edit = call("edit", path="shop/tax.py", edits=[{"oldText": "RATE = 7", "newText": "RATE = 19"}])
    result = shop.run("The rate is 19.", [turn(edit), "Done."], mode="auto-edit")
    assert result.asked == []
    assert list(result.changed) == ["shop/tax.py"]
