"""The WebAssembly runtime 'wasmtime' as the module's host: files, terminal, network."""
import http.client
import ipaddress
import json
import os
import shutil
import socket
import ssl
import sys
import time
import urllib.parse
from pathlib import Path

import wasmtime

# The numbers of `Host.Question`.
QUESTIONS = ["read", "kind", "names", "resolved", "write", "environment", "columns", "fetch", "keep_copy"]


class Refusal(Exception):
    """What the host refuses, with the reason as the system words it."""


def refusing(work):
    try:
        return work()
    except OSError as error:
        raise Refusal(error.strerror or str(error)) from None


def read(path: bytes) -> bytes:
    return refusing(lambda: sys.stdin.buffer.read() if path == b"-" else Path(os.fsdecode(path)).read_bytes())


def kind(path: bytes) -> bytes:
    def look() -> bytes:
        place = Path(os.fsdecode(path))
        try:
            mode = place.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return b"missing"
        import stat
        return b"folder" if stat.S_ISDIR(mode) else b"file" if stat.S_ISREG(mode) else b"special"
    return refusing(look)


def names(path: bytes) -> bytes:
    return refusing(lambda: b"\0".join(os.listdir(path)))


def resolved(path: bytes):
    return os.path.realpath(path) if os.path.exists(path) else None


def write(question: bytes) -> bytes:
    path, _, content = question.partition(b"\0")

    def place() -> bytes:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
        draft = path + b".linkspan-%d" % os.getpid()
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
        os.replace(draft, path)
        return b""
    return refusing(place)


def keep_copy(path: bytes) -> bytes:
    def copy() -> bytes:
        target = os.path.realpath(path)
        number = 1
        while True:
            name = target + (b".orig" if number == 1 else b".orig.%d" % number)
            try:
                with open(target, "rb") as source, open(name, "xb") as file:
                    shutil.copyfileobj(source, file)
                shutil.copymode(target, name)
                return name
            except FileExistsError:
                number += 1
    return refusing(copy)


def environment(name: bytes):
    value = os.environ.get(name.decode())
    return None if value is None else value.encode()


def columns(descriptor: bytes):
    number = int(descriptor)
    return str(os.get_terminal_size(number).columns or 80).encode() if os.isatty(number) else None


def failure(name: str, reason: str = "") -> bytes:
    return json.dumps({"failure": name, "reason": reason}).encode() + b"\n"


def fetch(question: bytes) -> bytes:
    """Asks one question, follows no redirect, and reads no more than the limit."""
    asked = json.loads(question)
    url = urllib.parse.urlsplit(asked["url"])
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.hostname, port, type=socket.SOCK_STREAM)
    except OSError:
        return failure("unresolvable")
    allowed = [entry for entry in found if asked["private"] or ipaddress.ip_address(entry[4][0].split("%")[0]).is_global]
    if not allowed:
        return failure("private", found[0][4][0])
    deadline = time.monotonic() + asked["timeout_s"]
    try:
        plain = socket.create_connection(allowed[0][4][:2], timeout=asked["timeout_s"])
        connection = http.client.HTTPConnection(url.hostname, port)
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname) if url.scheme == "https" else plain
        target = (url.path or "/") + ("?" + url.query if url.query else "")
        connection.putrequest(asked["method"], target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", url.netloc)
        for name, value in asked["fields"]:
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = b""
        while len(body) < asked["limit_bytes"]:
            if time.monotonic() > deadline:
                return failure("timeout")
            piece = response.read(min(65536, asked["limit_bytes"] - len(body)))
            if not piece:
                break
            body += piece
        head = {"status": response.status, "fields": response.getheaders()}
        return json.dumps(head).encode() + b"\n" + body
    except TimeoutError:
        return failure("timeout")
    except ssl.SSLCertVerificationError as error:
        kinds = {10: "expired", 62: "name", 18: "untrusted", 19: "untrusted", 20: "untrusted", 21: "untrusted"}
        return failure(kinds.get(error.verify_code, "certificate"), error.verify_message)
    except ssl.SSLError as error:
        return failure("handshake", error.reason or str(error))
    except http.client.HTTPException as error:
        return failure("malformed", str(error) or type(error).__name__)
    except OSError as error:
        return failure("unreachable", error.strerror or str(error))


def run(words: list[str]) -> int:
    """Runs one command; its output goes to this process's."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    module = wasmtime.Module.from_file(engine, str(Path(__file__).parent / "linkspan.wasm"))
    linker = wasmtime.Linker(engine)
    held = b""
    ended: list[int] = []

    def memory():
        return instance.exports(store)["memory"]

    def ask(number: int, place: int, count: int) -> int:
        nonlocal held
        question = bytes(memory().read(store, place, place + count))
        try:
            value = globals()[QUESTIONS[number - 1]](question)
            held = b"\2" if value is None else b"\0" + value
        except Refusal as refusal:
            held = b"\1" + str(refusal).encode()
        return len(held)

    def take(place: int) -> None:
        memory().write(store, held, place)

    def put(stream: int, place: int, count: int) -> None:
        out = sys.stdout.buffer if stream == 1 else sys.stderr.buffer
        out.write(memory().read(store, place, place + count))

    def leave(status: int) -> None:
        ended.append(status)
        raise SystemExit(status)

    i32 = wasmtime.ValType.i32()
    for name, parameters, results, function in [
        ("ask", 3, [i32], ask), ("take", 1, [], take), ("write", 3, [], put), ("exit", 1, [], leave),
    ]:
        linker.define_func("linkspan", name, wasmtime.FuncType([i32] * parameters, results), function)
    linker.define_func(
        "linkspan", "number", wasmtime.FuncType([i32, i32], [wasmtime.ValType.f64()]),
        lambda place, count: float(bytes(memory().read(store, place, place + count))))
    instance = linker.instantiate(store, module)
    exports = instance.exports(store)
    line = b"".join(os.fsencode(word) + b"\0" for word in words)
    place = exports["malloc"](store, max(1, len(line)))
    memory().write(store, line, place)
    try:
        status = exports["linkspan_run"](store, place, len(line))
    except wasmtime.Trap as trap:
        sys.stdout.flush()
        print(f"linkspan: error: the WebAssembly module stopped: {trap.message}", file=sys.stderr)
        status = 2
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status
