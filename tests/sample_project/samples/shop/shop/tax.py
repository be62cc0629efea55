RATE = 7


def with_tax(cents: int) -> int:
    return cents + cents * RATE // 100
