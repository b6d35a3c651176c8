"""Serves the small model of the test as an OpenAI-compatible service on a free port of this machine.

Usage: serve.py FOLDER, where FOLDER holds the packages. Prints the port once it answers, ends with stdin.
"""
import pathlib
import socket
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
from xllamacpp import CommonParams, Server  # noqa: E402

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]

params = CommonParams()
params.model.path = str(next(folder.rglob("*.gguf")))
params.n_ctx = 4096
params.n_parallel = 1
# With two threads on busy cores they wait for each other.
params.cpuparams.n_threads = 1
params.port = port
server = Server(params)
print(port, flush=True)
sys.stdin.read()
