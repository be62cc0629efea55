"""What is for sale, and what it costs."""

PRICES = {
    "kettle": 3200,
    "teapot": 1800,
    "mug": 600,
}
