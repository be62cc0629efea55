"""Every wire API becomes one stream of model events (agent/model.py), and never raises."""
