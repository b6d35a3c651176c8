"""A small MCP server for tests: its tools are in the file given first, and every
line it reads is added to the file given second."""

import json
import os
import sys

TOOLS, LOG = sys.argv[1], sys.argv[2]


def send(value):
    sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def result(id, text, **more):
    send({"result": {"content": [{"type": "text", "text": text}], **more}, "jsonrpc": "2.0", "id": id})


def call(id, name, arguments):
    if name == "echo":
        result(id, "Echo: " + str(arguments.get("message")))
    elif name == "env":
        result(id, " ".join(sorted(os.environ)))
    elif name == "secret":
        result(id, "before " + "ghp_" + arguments["rest"] + " after", n=1.0)
    elif name == "big":
        result(id, "x" * arguments["size"])
    elif name == "both":
        send({"jsonrpc": "2.0", "id": id, "result": {"content": []}, "error": {"code": 1, "message": "x"}})
    elif name == "wrong_id":
        send({"jsonrpc": "2.0", "id": str(id) + "?", "result": {"content": [{"type": "text", "text": "stray"}]}})
        result(id, "right")
    elif name == "noise":
        print("plain text\n{broken", flush=True)
        result(id, "after noise")
    elif name == "die":
        sys.exit(7)
    elif name == "flood":
        for _ in range(40):
            sys.stdout.write("x" * (1 << 20))
        sys.stdout.write("\n")
        result(id, "late")
    elif name == "silent":
        pass
    else:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "Unknown tool: " + name}})


for line in sys.stdin:
    with open(LOG, "a") as log:
        log.write(line)
    try:
        message = json.loads(line)
    except ValueError:
        continue
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "initialize":
        send({"jsonrpc": "2.0", "id": id, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "test", "version": "1"}, "instructions": "Be kind."}})
    elif method == "tools/list":
        with open(TOOLS) as tools:
            send({"jsonrpc": "2.0", "id": id, "result": {"tools": json.load(tools)}})
    elif method == "tools/call":
        call(id, params.get("name"), params.get("arguments") or {})
    elif method == "resources/read":
        send({"jsonrpc": "2.0", "id": id, "result": {"contents": [{"uri": params["uri"], "text": "content"}]}})
    elif method == "ping":
        send({"jsonrpc": "2.0", "id": id, "result": {}})
    elif id is not None and method:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
