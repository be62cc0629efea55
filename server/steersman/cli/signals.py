"""The signals that stop a command in order."""

import signal


def stopping() -> list[signal.Signals]:
    """SIGINT, SIGTERM and SIGHUP; the last one not under nohup, which has it ignored so that the work goes on."""
    is_kept = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if is_kept else [])]
