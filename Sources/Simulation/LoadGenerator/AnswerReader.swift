internal import Glibc

/// Tells when an answer is whole.
protocol AnswerReader {
  /// Bytes the peer has to be sent for what it sent.
  var reply: [UInt8] { get set }
  /// The server closes the connection behind the answer, and said so.
  var announcesEnd: Bool { get }
  /// Of the last answer whose head is whole; nil where it cannot be read.
  var status: Int? { get }
  /// The answer under way is whole when the server ends the connection.
  var endsWithConnection: Bool { get }
  mutating func begin()
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> AnswerProgress
}

enum AnswerProgress {
  case more
  case whole
  /// Anything but 200.
  case other
}

/// Of HTTP/1.1, with a length, in chunks or up to the connection's end (RFC 9112, 6.3).
struct HTTP1Answer: AnswerReader {
  private enum Body {
    case unknown
    case bytes(missing: Int)
    case chunks(ChunkedBody)
    case untilEnd
  }

  var reply: [UInt8] = []
  private(set) var announcesEnd = false
  private(set) var status: Int?
  private var head: [UInt8] = []
  private var body = Body.unknown

  /// Ours: heads are smaller.
  private static let headLimit = 1 << 16

  var endsWithConnection: Bool {
    if case .untilEnd = body { true } else { false }
  }

  mutating func begin() {
    head.removeAll(keepingCapacity: true)
    status = nil
    body = .unknown
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> AnswerProgress {
    if case .unknown = body {} else { return take(body: bytes) }
    // The usual case, a head in one piece, is read where it lies.
    if head.isEmpty {
      guard let end = Self.headEnd(bytes) else {
        head += bytes
        return .more
      }
      return take(bytes, head: end)
    }
    head += bytes
    let joined = head
    return joined.withUnsafeBytes { joined in
      guard let end = Self.headEnd(joined) else { return joined.count > Self.headLimit ? .other : .more }
      return take(joined, head: end)
    }
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer, head end: Int) -> AnswerProgress {
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    // "HTTP/1.1 200"
    guard head.count > 12, (9..<12).allSatisfy({ (0x30...0x39).contains(head[$0]) }) else { return .other }
    status = Self.number(UnsafeRawBufferPointer(rebasing: head[9..<12]))
    guard status == 200 else { return .other }
    announcesEnd = Self.value(of: "connection:", in: head).map(Self.isClose) ?? false
    if let encoding = Self.value(of: "transfer-encoding:", in: head) {
      // The last of the codings, and "identity" is no longer one.
      guard encoding.contains(where: { $0 | 0x20 == UInt8(ascii: "k") }) else { return .other }
      body = .chunks(ChunkedBody())
    } else if let length = Self.value(of: "content-length:", in: head) {
      body = .bytes(missing: Self.number(length))
    } else {
      body = .untilEnd
    }
    return take(body: UnsafeRawBufferPointer(rebasing: bytes[end...]))
  }

  private mutating func take(body bytes: UnsafeRawBufferPointer) -> AnswerProgress {
    switch body {
    case .unknown, .untilEnd: return .more
    case .bytes(let missing):
      body = .bytes(missing: missing - bytes.count)
      return missing > bytes.count ? .more : .whole
    case .chunks(var chunks):
      let progress = chunks.receive(bytes)
      body = .chunks(chunks)
      return progress
    }
  }

  private static func headEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var start = 0
    while let found = memchr(base + start, 0x0D, bytes.count - start) {
      let end = UnsafeRawPointer(found) - base + 4
      guard end <= bytes.count else { return nil }
      if bytes[end - 3] == 0x0A, bytes[end - 2] == 0x0D, bytes[end - 1] == 0x0A { return end }
      start = end - 3
    }
    return nil
  }

  /// The bytes behind a field's name, with the space before them and the end of the line.
  private static func value(
    of name: StaticString, in head: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let length = name.utf8CodeUnitCount
    var line = 0
    while line < head.count {
      guard let end = memchr(head.baseAddress! + line, 0x0A, head.count - line) else { return nil }
      let next = UnsafeRawPointer(end) - head.baseAddress! + 1
      if next - line > length, (0..<length).allSatisfy({ head[line + $0] | 0x20 == name.utf8Start[$0] }) {
        return UnsafeRawBufferPointer(rebasing: head[(line + length)..<next])
      }
      line = next
    }
    return nil
  }

  /// Ours: at most what memory could hold.
  private static func number(_ value: UnsafeRawBufferPointer) -> Int {
    value.reduce(0) { (0x30...0x39).contains($1) ? min(1 << 50, $0 * 10 + Int($1 - 0x30)) : $0 }
  }

  /// The one option that a server sends here, and not `keep-alive`.
  private static func isClose(_ value: UnsafeRawBufferPointer) -> Bool {
    value.contains { $0 | 0x20 == UInt8(ascii: "c") }
  }
}

/// A body in chunks (RFC 9112, 7.1), of which only the end matters.
private struct ChunkedBody {
  private enum Place {
    case size
    /// Behind the digits of a size.
    case sizeLine
    case data
    case dataEnd
    /// In the lines behind the last chunk, and how many bytes the line has.
    case trailer(Int)
  }

  private var place = Place.size
  private var left = 0

  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> AnswerProgress {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch place {
      case .size:
        if let digit = Character(UnicodeScalar(byte)).hexDigitValue {
          guard left < 1 << 40 else { return .other }
          left = left * 16 + digit
        } else {
          place = .sizeLine
          index -= 1
        }
      case .sizeLine where byte == 0x0A: place = left == 0 ? .trailer(0) : .data
      case .data:
        let step = min(left, bytes.count - index + 1)
        index += step - 1
        left -= step
        if left == 0 { place = .dataEnd }
      case .dataEnd where byte == 0x0A: place = .size
      case .trailer(let length) where byte == 0x0A:
        if length == 0 { return .whole }
        place = .trailer(0)
      case .trailer(let length) where byte != 0x0D: place = .trailer(length + 1)
      case .sizeLine, .dataEnd, .trailer: continue
      }
    }
    return .more
  }
}

/// Of HTTP/2, one stream at a time: looks at the frames' heads only (RFC 9113, 4.1).
package struct HTTP2Answer: AnswerReader {
  var reply: [UInt8] = []
  let announcesEnd = false
  /// Its status is read only as far as it is 200 or not.
  let status: Int? = nil
  let endsWithConnection = false
  private var pending: [UInt8] = []

  mutating func begin() {}

  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> AnswerProgress {
    pending += bytes
    var progress = AnswerProgress.more
    var start = 0
    while pending.count - start >= 9 {
      let length = Int(pending[start]) << 16 | Int(pending[start + 1]) << 8 | Int(pending[start + 2])
      let (kind, flags) = (pending[start + 3], pending[start + 4])
      guard pending.count - start >= 9 + length else { break }
      switch kind {
      case 0x0 where flags & 0x1 != 0: progress = .whole  // DATA, END_STREAM
      case 0x1:  // HEADERS; the static table's ":status: 200" is entry 8 (RFC 7541, A)
        if !pending[(start + 9)..<(start + 9 + length)].contains(0x88) { return .other }
        if flags & 0x1 != 0 { progress = .whole }
      case 0x3, 0x7: return .other  // RST_STREAM, GOAWAY
      case 0x4 where flags & 0x1 == 0: reply += [0, 0, 0, 4, 1, 0, 0, 0, 0]  // SETTINGS, to acknowledge
      default: break
      }
      start += 9 + length
    }
    pending = Array(pending[start...])
    return progress
  }

  /// The preface, empty settings, and the first request of a connection, without a dynamic table.
  package static func request(host: String, path: String) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
    // :method GET, :scheme https, then literals without indexing for :path (4) and :authority (1) (RFC 7541, 6.2.2).
    let block = [0x82, 0x87] + [0x04] + text(path) + [0x01] + text(host)
    precondition(block.count < 256 && path.utf8.count < 127 && host.utf8.count < 127, "a short request")
    return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
      + [0, 0, UInt8(block.count), 1, 0x5, 0, 0, 0, 1] + block
  }
}
