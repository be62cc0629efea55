"""What it costs to send an order."""

FREE_FROM = 5000
STANDARD = 490


def shipping_cost(goods: int) -> int:
    """Orders of FREE_FROM and more are sent free."""
    if goods == 0 or goods > FREE_FROM:
        return 0
    return STANDARD
