"""The WebAssembly runtime 'wasmtime' as the module's host: files, terminal, network."""
import contextlib
import errno
import json
import os
import re
import select
import socket
import ssl
import stat
import sys
import threading
import time
from pathlib import Path

import wasmtime

from .answer import AnswerReader, Malformed

# The numbers of `Host.Question`.
QUESTIONS = [
    "read", "kind", "names", "resolved", "write", "environment", "columns", "fetch", "keep_copy", "addresses", "input_bytes",
    "entry", "fill", "access"]
# One byte more than the module takes of a file: it refuses a longer one, and what never ends is not read on.
READ_LIMIT_BYTES = (64 << 20) + 1
# How long a named pipe may have no program at its other end, as the program has it.
OTHER_END_WAIT_S = 2
# The numbers of `Host.Reply`.
SILENT_PIPE, DEVICE = 3, 4
# What can be read once: standard input and a shell's <(…), by name; or why it cannot be read.
read_once: "dict[bytes, bytes | Refusal]" = {}


class Ended(Exception):
    """The module ends its run with a status."""


class Refusal(Exception):
    """What the host refuses, with the reason as the system words it, or the number of one that the module words."""

    def __init__(self, reason: str, kind: int = 1):
        super().__init__(reason)
        self.kind = kind


def refusing(work):
    try:
        return work()
    except OSError as error:
        raise Refusal(error.strerror or str(error)) from None


def waiting(descriptor: int, work, is_writing: bool = False):
    """Does the work when the descriptor is ready, where another program has made it non-blocking."""
    while True:
        try:
            return work()
        except BlockingIOError:
            select.select([] if is_writing else [descriptor], [descriptor] if is_writing else [], [])


def first_bytes(descriptor: int) -> bytes:
    """Of a named pipe; refuses one that no program opens for writing in time."""
    end = time.monotonic() + OTHER_END_WAIT_S
    while True:
        try:
            piece = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return b""  # There is a writer.
        if piece:
            return piece
        if time.monotonic() > end:
            raise Refusal("", SILENT_PIPE)
        time.sleep(0.005)


def is_endless(descriptor: int, mode: int) -> bool:
    """Whether it is a device that may never end; somebody may type, and the null device ends at once."""
    if stat.S_ISBLK(mode):
        return True
    if os.name != "posix" or not stat.S_ISCHR(mode) or os.isatty(descriptor):
        return False
    return os.fstat(descriptor).st_rdev != os.stat(os.devnull).st_rdev


def named(path: bytes) -> int:
    """Opens a file; a pipe without a writer is not waited for."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))


def refuse_closed(descriptor: int) -> None:
    """Python leaves a stream out that was closed when it began; its number is by now that of another file."""
    if (sys.stdin, sys.stdout, sys.stderr)[descriptor] is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def bounded(descriptor: int, beginning: bytes = b"") -> bytes:
    pieces, size = [beginning], len(beginning)
    while size < READ_LIMIT_BYTES:
        piece = waiting(descriptor, lambda: os.read(descriptor, min(1 << 16, READ_LIMIT_BYTES - size)))
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def read(path: bytes) -> bytes:
    def content() -> bytes:
        if path == b"-":
            refuse_closed(0)
            return bounded(0)
        descriptor = named(path)
        try:
            mode = os.fstat(descriptor).st_mode
            if is_endless(descriptor, mode):
                raise Refusal("", DEVICE)
            # What the writer of a pipe without a name wrote is still there when it has ended, and then the end.
            awaits = stat.S_ISFIFO(mode) and os.path.exists(os.path.realpath(path))
            return bounded(descriptor, first_bytes(descriptor) if awaits else b"")
        finally:
            os.close(descriptor)
    if path != b"-" and kind(path) != b"special":
        return refusing(content)
    if path not in read_once:
        try:
            read_once[path] = refusing(content)
        except Refusal as refusal:
            read_once[path] = refusal
    found = read_once[path]
    if isinstance(found, Refusal):
        raise found
    return found


def found(path: bytes, look) -> "os.stat_result | None":
    """What has a path, if anything."""
    def there():
        try:
            return look(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
    return refusing(there)


def kind(path: bytes) -> bytes:
    status = found(path, os.stat)
    if status is None:
        return b"missing"
    return b"folder" if stat.S_ISDIR(status.st_mode) else b"file" if stat.S_ISREG(status.st_mode) else b"special"


def entry(path: bytes) -> bytes:
    """The same of the place itself: a symbolic link is not followed."""
    status = found(path, os.lstat)
    if status is not None and stat.S_ISLNK(status.st_mode):
        return b"link"
    return b"disk" if status is not None and stat.S_ISBLK(status.st_mode) else kind(path)


def names(path: bytes) -> bytes:
    return refusing(lambda: b"\0".join(os.listdir(path)))


def resolved(path: bytes):
    return os.path.realpath(path) if os.path.exists(path) else None


def make(path: bytes, content: bytes, model: "os.stat_result | None") -> None:
    """Makes a file that is not there yet, whatever the umask says with the mode of another, and its owner and group where the
    system allows that, or else readable by all; on the disk afterwards, or gone."""
    mode = 0o644 if model is None else model.st_mode & 0o777
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode if model is None else 0o600)) as file:
        try:
            if model is not None and os.name == "posix":
                # Only root may give a file away.
                for owner in ((-1, model.st_gid), (model.st_uid, -1)):
                    with contextlib.suppress(OSError):
                        os.chown(path, *owner)
            os.chmod(path, mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            os.unlink(path)
            raise


def write(question: bytes) -> bytes:
    path, _, content = question.partition(b"\0")

    def place() -> bytes:
        draft = path + b".linkspan-%d" % os.getpid()
        make(draft, content, found(path, os.stat))
        try:
            os.replace(draft, path)
        except OSError:
            os.unlink(draft)
            raise
        return b""
    return refusing(place)


def open_for_writing(path: bytes) -> int:
    """Opens what is there; refuses a named pipe that no program opens for reading in time."""
    end = time.monotonic() + OTHER_END_WAIT_S
    while True:
        try:
            return os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(os.stat(path).st_mode):
                raise
        if time.monotonic() > end:
            raise Refusal("", SILENT_PIPE)
        time.sleep(0.005)


def fill(question: bytes) -> bytes:
    """Writes into what is there, such as a pipe."""
    path, _, content = question.partition(b"\0")

    def written_into() -> bytes:
        descriptor = open_for_writing(path)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISREG(mode) or stat.S_ISBLK(mode):
                raise Refusal("it was replaced while it was opened")
            write_whole(descriptor, content)
        finally:
            os.close(descriptor)
        return b""
    return refusing(written_into)


def access(path: bytes) -> bytes:
    def ask() -> bytes:
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return b""
    return refusing(ask)


def keep_copy(path: bytes) -> bytes:
    def copy() -> bytes:
        number = 1
        while True:
            name = path + (b".orig" if number == 1 else b".orig.%d" % number)
            try:
                make(name, Path(os.fsdecode(path)).read_bytes(), os.stat(path))
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


def failure(name: str, reason: str = "", **more) -> bytes:
    return json.dumps({"failure": name, "reason": reason, **more}).encode() + b"\n"


# A resolver's word that a name has no address; every other code is its silence.
no_address = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


def addresses(question: bytes) -> bytes:
    """All addresses of a name; the module decides which may be asked."""
    try:
        found = socket.getaddrinfo(json.loads(question)["host"], None, type=socket.SOCK_STREAM)
    except OSError as error:
        if error.errno in no_address:
            return failure("unresolvable")
        return failure("lookup", error.strerror or str(error))
    return json.dumps({"addresses": list(dict.fromkeys(entry[4][0] for entry in found))}).encode() + b"\n"


def fetch(question: bytes) -> bytes:
    """Asks one question at the first of the addresses that takes the connection."""
    asked = json.loads(question)
    last = failure("unreachable", "there is no address to connect to")
    for place in asked["addresses"]:
        address, port = place["address"], place["port"]
        try:
            plain = socket.create_connection((address, port), timeout=asked["timeout_s"])
        except TimeoutError:
            last = failure("timeout")
        except OSError as error:
            where = f"connecting to {f'[{address}]' if ':' in address else address}:{port}"
            last = failure("unreachable", f"{where}: {error.strerror or error}")
        else:
            with plain:
                return ask_over(plain, asked)
    return last


class Exchange:
    """A question over a connection and its answer."""

    def __init__(self, plain: socket.socket):
        self.socket = plain
        self.reader = AnswerReader(self.more)
        self.certificate: dict[str, str] = {}
        self.is_late = False

    def hang_up(self) -> None:
        self.is_late = True
        try:
            # Below TLS: another thread is reading from it.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)
        except OSError:
            pass

    def more(self) -> bytes:
        try:
            return self.socket.recv(65536)
        except ssl.SSLEOFError as error:
            # Python 3.11 takes a reset for the end. After one the socket has no peer; where the peer has just closed, it may have
            # lost it by now, too, but then OpenSSL says so.
            try:
                if error.reason != "UNEXPECTED_EOF_WHILE_READING":
                    self.socket.getpeername()
            except OSError:
                raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)) from None
            raise EOFError from None

    def secure(self, asked: dict, name: str) -> None:
        context = ssl.create_default_context(cadata=asked.get("ca"))
        if asked.get("believes_anyone"):
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.socket = context.wrap_socket(
            self.socket, server_hostname=name, do_handshake_on_connect=False, suppress_ragged_eofs=False)
        self.socket.do_handshake()
        # Now: after the answer of a server that closes, there is none.
        self.certificate = {"certificate": self.socket.getpeercert(binary_form=True).hex()}

    def answer(self, asked: dict) -> bytes:
        scheme, authority, target = re.fullmatch(r"(\w+)://([^/?]*)(.*)", asked["url"], re.S).groups()
        if scheme == "https":
            try:
                self.secure(asked, re.sub(r":\d*$", "", authority).strip("[]"))
            except ConnectionError as error:
                return failure("handshake", error.strerror or str(error))
            except ssl.SSLEOFError:
                # As the program's library words it.
                return failure("handshake", "The TLS connection was non-properly terminated")
        fields = [("Host", authority), *(field for field in asked["fields"] if field[0].lower() != "host")]
        lines = [f"{asked['method']} {target or '/'} HTTP/1.1", *(f"{name}: {value}" for name, value in fields), "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        status, found, body = self.reader.answer(asked["method"], asked["limit_bytes"])
        return json.dumps({"status": status, "fields": found, **self.certificate}).encode() + b"\n" + body


def ask_over(plain: socket.socket, asked: dict) -> bytes:
    """Asks over a connection, follows no redirect, and reads no more than the limit, within the time."""
    exchange = Exchange(plain)
    # The socket's own limit is one for each read, of which a slow answer may need many.
    timer = threading.Timer(asked["timeout_s"], exchange.hang_up)
    timer.daemon = True
    timer.start()
    try:
        found = exchange.answer(asked)
    except TimeoutError:
        exchange.is_late = True
    except ssl.SSLCertVerificationError as error:
        kinds = {10: "expired", 62: "name", 18: "untrusted", 19: "untrusted", 20: "untrusted", 21: "untrusted"}
        found = failure(kinds.get(error.verify_code, "certificate"), error.verify_message)
    except ssl.SSLError as error:
        found = failure("handshake", error.reason or str(error))
    except Malformed as error:
        found = failure(error.failure, str(error), **exchange.certificate)
    except OSError as error:
        why = error.strerror or str(error)
        found = failure("unreachable", f"the connection broke before the answer was whole: {why}", **exchange.certificate)
    finally:
        timer.cancel()
        if exchange.socket is not plain:
            exchange.socket.close()
    if exchange.is_late:
        received = {"received_bytes": exchange.reader.received_bytes} if exchange.reader.received_bytes else {}
        return failure("unfinished" if received else "timeout", **received, **exchange.certificate)
    return found


def input_bytes(manner: bytes):
    """What a client of the language server has sent; no bytes are the end. Where the system cannot say whether there is
    something, only a waiting question reads."""
    if manner == b"poll":
        try:
            if not select.select([0], [], [], 0)[0]:
                return None
        except (OSError, ValueError):
            return None
    if sys.stdin is None:
        return b""
    return refusing(lambda: os.read(0, 1 << 16))


def cached() -> wasmtime.Config:
    """To compile the module takes seconds, so what was compiled is kept in the user's cache, where there is one."""
    config = wasmtime.Config()
    try:
        config.cache = True
    except wasmtime.WasmtimeError:
        pass
    return config


def compiler() -> wasmtime.Engine:
    """Compiles fast rather than well: in a CI every run is the first one, and short."""
    try:
        config = cached()
        config.cranelift_opt_level = "none"
        config.cranelift_flag_set("regalloc_algorithm", "single_pass")
        return wasmtime.Engine(config)
    except (AttributeError, wasmtime.WasmtimeError):
        # An older wasmtime has no such allocator, or no way to ask for it.
        return wasmtime.Engine(cached())


def write_all(descriptor: int, content: bytes) -> None:
    refuse_closed(descriptor)
    write_whole(descriptor, content)


def write_whole(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[waiting(descriptor, lambda: os.write(descriptor, rest), is_writing=True):]


def written(streams: dict[int, list[bytes]], status: int) -> int:
    """Writes what a command says; the status to end with."""
    try:
        write_all(1, b"".join(streams[1]))
    except BrokenPipeError:
        # Whoever asks for the first lines only has them.
        status = 0
    except OSError as error:
        status = 2
        streams[2].append(
            f"linkspan: error: cannot write the output: {error.strerror}.\n"
            "  The output is incomplete. Free some space, or write to another place.\n".encode())
    try:
        write_all(2, b"".join(streams[2]))
    except OSError:
        pass
    return status


def run(words: list[str]) -> int:
    """Runs one command; its output goes to this process's."""
    for word in words:
        # Python has bytes that are no UTF-8 as halves of characters.
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            shown = os.fsencode(word).decode(errors="backslashreplace")
            write_all(2, (
                f"linkspan: error: the argument '{shown}' is not UTF-8.\n"
                "  Rename the file, or name a link to it that has a name in UTF-8.\n").encode())
            return 2
    engine = compiler()
    store = wasmtime.Store(engine)
    module = wasmtime.Module.from_file(engine, str(Path(__file__).parent / "linkspan.wasm"))
    linker = wasmtime.Linker(engine)
    held = b""
    streams: dict[int, list[bytes]] = {1: [], 2: []}
    # A client waits for each answer.
    is_served = words[:1] == ["lsp"]

    def memory():
        return instance.exports(store)["memory"]

    def ask(number: int, place: int, count: int) -> int:
        nonlocal held
        question = bytes(memory().read(store, place, place + count))
        try:
            value = globals()[QUESTIONS[number - 1]](question)
            held = b"\2" if value is None else b"\0" + value
        except Refusal as refusal:
            held = bytes([refusal.kind]) + str(refusal).encode()
        return len(held)

    def take(place: int) -> None:
        memory().write(store, held, place)

    def put(stream: int, place: int, count: int) -> None:
        content = bytes(memory().read(store, place, place + count))
        if not is_served:
            streams[stream].append(content)
            return
        try:
            write_all(stream, content)
        except OSError:
            # There is no client any more.
            raise Ended(1) from None

    def leave(status: int) -> None:
        raise Ended(status)

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
    except Ended as end:
        status = end.args[0]
    except wasmtime.Trap as trap:
        streams[2].append(f"linkspan: error: the WebAssembly module stopped: {trap.message}\n".encode())
        status = 2
    return written(streams, status)
