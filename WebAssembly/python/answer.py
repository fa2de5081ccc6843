"""Reads one HTTP/1.1 answer: strict and bounded as `HTTP1ResponseParser` of the program, with its words, which 'http.client' has
not. `answer.mjs` is the same for Node."""
import re

# Those of the program: `HTTPLimits`, `SiteFetcher`, `HTTP1ResponseParser` and `ChunkedBody`.
FIELD_LIMIT = 100
HEADER_LIMIT_BYTES = 65_536
INTERIM_LIMIT = 8
STATUS_LINE_LIMIT_BYTES = 1_024
SIZE_LINE_LIMIT_BYTES = 256
EXTENSIONS_LIMIT_BYTES = 1_024

TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
STATUS_LINE = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})( [^\0-\x08\x0a-\x1f\x7f]*)?")
SIZE_LINE = re.compile(rb"([0-9A-Fa-f]+)(;[^\0-\x08\x0a-\x1f\x7f]*)?")
CONTROL = re.compile(rb"[\0-\x08\x0a-\x1f\x7f]")


class Malformed(Exception):
    """The answer breaks HTTP, or is longer than a number can say."""

    def __init__(self, reason: str, failure: str = "malformed"):
        super().__init__(reason)
        self.failure = failure


class Words:
    """What is wrong with a line or a section of them."""

    def __init__(self, line: str, section: "str | None" = None, too_many: "str | None" = None):
        self.too_long = section or f"a {line} line is too long"
        self.bare = f"a {line} line does not end in CRLF"
        self.too_many = too_many or self.too_long
        self.invalid = f"a {line} field is not valid"


HEADER = Words(
    "header", f"the header section is larger than {HEADER_LIMIT_BYTES} bytes", f"there are more than {FIELD_LIMIT} header fields")
TRAILER = Words("trailer", "the trailer section is too large")
SIZE = Words("chunk size")
STATUS = Words("status")
STATUS.too_long, STATUS.bare = "the status line is too long", "the status line does not end in CRLF"
DATA_END = Words("")
DATA_END.too_long = DATA_END.bare = "a chunk's data does not end in CRLF"


class AnswerReader:
    """An answer to one question.

    `more` returns the bytes that come next, and none at the end; it raises EOFError where the end may be that of somebody on the
    way."""

    def __init__(self, more):
        self.more = more
        self.held = b""
        self.received_bytes = 0

    def fill(self) -> bool:
        """Whether there was more."""
        piece = self.more()
        self.received_bytes += len(piece)
        self.held += piece
        return bool(piece)

    def filled(self) -> None:
        """Gets more of an answer that is not whole."""
        try:
            if self.fill():
                return
        except EOFError:
            pass
        raise Malformed(
            "the connection closed in the middle of the answer" if self.received_bytes else "the connection closed without an answer")

    def line(self, limit_bytes: int, words: Words) -> bytes:
        """The next line without its end."""
        searched = 0
        while True:
            end = self.held.find(b"\n", searched)
            if (len(self.held) if end < 0 else end) > limit_bytes:
                raise Malformed(words.too_long)
            if end >= 0:
                line, self.held = self.held[:end], self.held[end + 1:]
                if not line.endswith(b"\r"):
                    raise Malformed(words.bare)
                return line[:-1]
            searched = len(self.held)
            self.filled()

    def section(self, words: Words) -> list[tuple[str, str]]:
        """The fields up to an empty line."""
        fields: list[tuple[str, str]] = []
        left = HEADER_LIMIT_BYTES
        while True:
            line = self.line(max(1, left - 1), words)
            if not line:
                return fields
            left -= len(line) + 2
            if len(fields) == FIELD_LIMIT:
                raise Malformed(words.too_many)
            name, colon, value = line.partition(b":")
            value = value.strip(b"\t ")
            if not colon or not TOKEN.fullmatch(name) or CONTROL.search(value):
                raise Malformed(words.invalid)
            fields.append((name.decode(), value.decode(errors="replace")))

    def answer(self, method: str, limit_bytes: int) -> tuple[int, list[tuple[str, str]], bytes]:
        """Status, fields and body, of which no more than the limit."""
        for interim in range(INTERIM_LIMIT + 1):
            found = STATUS_LINE.fullmatch(self.line(STATUS_LINE_LIMIT_BYTES, STATUS))
            if not found:
                raise Malformed("the answer does not begin with 'HTTP/1.1' and a status")
            status = int(found[1])
            fields = self.section(HEADER)
            if status == 101:
                raise Malformed("the answer changes to another protocol")
            if status >= 200:
                break
        else:
            raise Malformed("too many interim answers")
        end = framing(fields)
        if method == "HEAD" or status in (204, 304):
            return status, fields, b""
        return status, fields, self.chunks(limit_bytes) if end == "chunked" else self.body(end, limit_bytes)

    def taken(self, count: int) -> bytes:
        piece, self.held = self.held[:count], self.held[count:]
        return piece

    def body(self, length: "int | None", limit_bytes: int) -> bytes:
        wanted = limit_bytes if length is None else min(length, limit_bytes)
        body = bytearray()
        while True:
            body += self.taken(wanted - len(body))
            if len(body) == wanted:
                return bytes(body)
            if length is not None:
                self.filled()
                continue
            try:
                if not self.fill():
                    return bytes(body)
            except EOFError:
                raise Malformed("the connection closed in the middle of the answer") from None

    def chunks(self, limit_bytes: int) -> bytes:
        body = bytearray()
        extension_bytes = 0
        while True:
            found = SIZE_LINE.fullmatch(self.line(SIZE_LINE_LIMIT_BYTES, SIZE))
            if not found:
                raise Malformed("a chunk size is not valid")
            left = int(found[1], 16)
            if left >> 63:
                raise Malformed("", "large")
            extension_bytes += len(found[2] or b"")
            if extension_bytes > EXTENSIONS_LIMIT_BYTES:
                raise Malformed("chunk extensions are too long")
            if left == 0:
                self.section(TRAILER)
                return bytes(body)
            while True:
                piece = self.taken(left)
                body += piece
                left -= len(piece)
                if len(body) >= limit_bytes:
                    return bytes(body[:limit_bytes])
                if left == 0:
                    break
                self.filled()
            if self.line(1, DATA_END):
                raise Malformed(DATA_END.bare)


def framing(fields: list[tuple[str, str]]) -> "str | int | None":
    """How the body ends: after some bytes, after a chunk of none, or (None) with the connection."""
    def values(name: str) -> list[str]:
        return [value for other, value in fields if other.lower() == name]

    lengths, codings = values("content-length"), values("transfer-encoding")
    if codings:
        if lengths:
            raise Malformed("Content-Length and Transfer-Encoding exclude each other")
        names = [name for name in (part.strip("\t ") for part in ",".join(codings).split(",")) if name]
        if len(names) != 1 or not re.fullmatch("(?ai:chunked)", names[0]):
            raise Malformed("the transfer coding is not chunked")
        return "chunked"
    if len(lengths) > 1:
        raise Malformed("there is more than one Content-Length field")
    if lengths and not re.fullmatch("[0-9]+", lengths[0]):
        raise Malformed("Content-Length is not a number")
    if not lengths:
        return None
    digits = lengths[0].lstrip("0") or "0"
    # Python converts no text of thousands of digits, and no answer is as long.
    return int(digits) if len(digits) < 20 else 1 << 63
