#!/usr/bin/env python3
"""A short session with clangd: opens a file, prints what it publishes, corrects the
line that has a fix, prints again, and leaves.

usage: lsp.py SERVER FILE
"""

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

TIMEOUT_SECONDS = 600  # The preamble is LibTorch's headers: 20 s on a free core.


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.log = []
        self.count = 0
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.read_log, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while True:
            length = 0
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                if line.strip() == b"":
                    break
            self.messages.put(json.loads(out.read(length)))

    def read_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))

    def send(self, method, params, request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.count += 1
            message["id"] = self.count
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        return self.count

    def wait(self, wanted):
        while True:
            try:
                message = self.messages.get(timeout=TIMEOUT_SECONDS)
            except queue.Empty:
                message = None
            if message is None:
                sys.exit("lsp.py: no answer\n" + "".join(self.log[-40:]))
            if wanted(message):
                return message

    def request(self, method, params):
        number = self.send(method, params, True)
        return self.wait(lambda m: m.get("id") == number and "method" not in m)

    def diagnostics(self, uri, version):
        return self.wait(lambda m: m.get("method") ==
                         "textDocument/publishDiagnostics" and
                         m["params"]["uri"] == uri and
                         m["params"].get("version") == version)["params"]


SEVERITY = {1: "error", 2: "warning", 3: "information", 4: "hint"}


def show(title, published):
    print(f"{title}:")
    for d in published["diagnostics"]:
        start = d["range"]["start"]
        print(f"{start['line'] + 1}:{start['character'] + 1} "
              f"{SEVERITY[d['severity']]} {d.get('code', '')}: {d['message']}")


def main():
    path = pathlib.Path(sys.argv[2]).resolve()
    uri = path.as_uri()
    text = path.read_text(encoding="utf-8")
    (path.parent / ".clangd").write_text(
        "Diagnostics:\n  ClangTidy:\n    Add: torch-*\n    FastCheckFilter: None\n")
    (path.parent / "compile_commands.json").write_text(json.dumps([{
        "directory": str(path.parent), "file": str(path),
        "arguments": ["clang++", "-std=c++17",
                      "-I/usr/include/torch/csrc/api/include", "-c", str(path)]}]))
    os.chdir(path.parent)
    server = Server([sys.argv[1], "--background-index=false", "--log=error"])
    # An extension of clangd's: fixes come with the diagnostics.
    capabilities = {"textDocument": {"publishDiagnostics":
                                     {"codeActionsInline": True}}}
    server.request("initialize", {"processId": os.getpid(), "rootUri": None,
                                  "capabilities": capabilities})
    server.send("initialized", {})
    server.send("textDocument/didOpen", {"textDocument": {
        "uri": uri, "languageId": "cpp", "version": 1, "text": text}})
    published = server.diagnostics(uri, 1)
    show("opened", published)
    fixed = text
    for diagnostic in published["diagnostics"]:
        if "no_grad" in json.dumps(diagnostic.get("codeActions", [])):
            fixed = text.replace("torch::NoGradGuard();",
                                 "torch::NoGradGuard no_grad;")
            print("fix: torch::NoGradGuard no_grad")
            break
    server.send("textDocument/didChange", {
        "textDocument": {"uri": uri, "version": 2},
        "contentChanges": [{"text": fixed}]})
    show("edited", server.diagnostics(uri, 2))
    server.request("shutdown", None)
    server.send("exit", None)
    print("closed with status", server.process.wait(TIMEOUT_SECONDS))


if __name__ == "__main__":
    main()
