import unittest

from shop.basket import Basket


class BasketTest(unittest.TestCase):
    def setUp(self) -> None:
        self.basket = Basket()

    def test_an_empty_basket_costs_nothing(self) -> None:
        self.assertEqual(self.basket.total, 0)

    def test_small_orders_pay_for_shipping(self) -> None:
        self.basket.add("mug")
        self.assertEqual(self.basket.total, 600 + 490)

    def test_adding_an_article_again_adds_to_it(self) -> None:
        self.basket.add("mug", 2)
        self.basket.add("mug")
        self.assertEqual(self.basket.goods, 3 * 600)

    def test_orders_of_exactly_5000_are_sent_free(self) -> None:
        self.basket.add("kettle")
        self.basket.add("teapot")
        self.assertEqual(self.basket.total, 5000)

    def test_unknown_articles_are_refused(self) -> None:
        with self.assertRaises(KeyError):
            self.basket.add("samovar")


if __name__ == "__main__":
    unittest.main()
