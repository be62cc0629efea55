"""A customer's basket."""

from shop.articles import PRICES
from shop.shipping import shipping_cost


class Basket:
    def __init__(self) -> None:
        self._items: dict[str, int] = {}

    def add(self, article: str, quantity: int = 1) -> None:
        """Puts articles into the basket, to those that are in it."""
        if article not in PRICES:
            raise KeyError(f"unknown article: {article}")
        self._items[article] = quantity

    @property
    def goods(self) -> int:
        """The price of all articles."""
        return sum(PRICES[article] * quantity for article, quantity in self._items.items())

    @property
    def total(self) -> int:
        """Goods and shipping."""
        return self.goods + shipping_cost(self.goods)
