"""Messages to the person at the editor: `window/showMessage`."""

from enum import IntEnum

from steersman.lsp.rpc import RpcServer


class MessageType(IntEnum):
    """`MessageType` of LSP 3.17."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    LOG = 4


def tell(server: RpcServer, kind: MessageType, message: str) -> None:
    """Shows a message that says whose it is."""
    show(server, kind, f"Steersman: {message}")


def show(server: RpcServer, kind: MessageType, message: str) -> None:
    """Shows a message as it is."""
    server.notify("window/showMessage", {"type": int(kind), "message": message})


def log_message(server: RpcServer, kind: MessageType, message: str) -> None:
    """Writes to the log of this server that the editor keeps (`window/logMessage`)."""
    server.notify("window/logMessage", {"type": int(kind), "message": message})
