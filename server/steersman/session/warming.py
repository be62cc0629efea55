"""Loads what the first run will need, after a server has given its first answer and while nobody waits."""

import inspect
import logging
from collections.abc import Callable

from steersman.models.warming import warm_up
from steersman.session.errors import SessionError
from steersman.session.services import Services
from steersman.tools.base import BaseTool

log = logging.getLogger(__name__)


def warm(services: Services, *, enough: Callable[[], bool] = lambda: False) -> None:
    """Takes about 0.1 s, so call it in a thread. It stops once `enough()` is true. What fails here fails again where
    somebody is told of it."""
    if enough():
        return
    settings = services.settings
    try:
        services.make_model(settings.model or "")
    except SessionError as error:
        log.debug("Not warmed up: %s", error)
        return
    if not enough() and (route := services.route(settings.model or "")) is not None:
        warm_up(route.base_url.strip())
    for tool in BaseTool.__subclasses__():
        if enough():
            return
        if not inspect.isabstract(tool):  # a family of tools has no arguments of its own
            tool.arguments.model_rebuild()
