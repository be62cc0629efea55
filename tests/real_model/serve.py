"""llama.cpp's own server on a free port of 127.0.0.1, with answers that don't change. Usage: serve.py MODEL.gguf TOKENS

Prints its base URL as one line of JSON once it answers, and ends with its standard input. It runs in the environment
that setup.sh makes, not in the project's.
"""

import json
import os
import socket
import sys

import xllamacpp


def free_port() -> int:
    """Somebody may take it before the server does: then that one says so and ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main(model: str, window: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostname, params.port = "127.0.0.1", free_port()
    params.n_ctx, params.n_parallel, params.n_gpu_layers = window, 1, 0
    params.sampling.temp, params.sampling.seed = 0.0, 1
    params.use_jinja = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
    alias = "smollm2"
    params.model_alias = alias if isinstance(params.model_alias, str) else {alias}
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps({"url": f"{server.listening_address}/v1", "model": alias}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # its threads don't end by themselves


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
