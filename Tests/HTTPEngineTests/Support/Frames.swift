/// HTTP/2 frames made and read by hand, from our own reading of RFC 9113 and RFC 7541: the server's library is not
/// asked, and nothing keeps a test from writing what no client should.
enum Frames {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// What a client begins with when it has nothing to set.
  static let start = preface + settings()

  /// Frames for the first so many streams a client may open.
  static func streams(_ count: Int, _ frames: (UInt32) -> [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<UInt32(count) { bytes += frames(index * 2 + 1) }
    return bytes
  }

  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let push: UInt8 = 5
    static let ping: UInt8 = 6
    static let goaway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  enum Flag {
    static let endStream: UInt8 = 1
    static let ack: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let padded: UInt8 = 8
  }

  /// RFC 9113, 7.
  enum Code {
    static let none: UInt32 = 0
    static let `protocol`: UInt32 = 1
    static let `internal`: UInt32 = 2
    static let flowControl: UInt32 = 3
    static let streamClosed: UInt32 = 5
    static let frameSize: UInt32 = 6
    static let refusedStream: UInt32 = 7
    static let cancel: UInt32 = 8
    static let compression: UInt32 = 9
    static let calm: UInt32 = 11
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// RFC 9113, 4.1.
  static func frame(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    number(UInt32(payload.count)).dropFirst() + [kind, flags] + number(stream) + payload
  }

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> [UInt8] {
    frame(
      Kind.settings,
      entries.flatMap {
        [UInt8(truncatingIfNeeded: $0.0 >> 8), UInt8(truncatingIfNeeded: $0.0)] + number($0.1)
      })
  }

  /// RFC 7541, 5.1.
  private static func integer(_ value: Int, prefixBits: Int, first: UInt8) -> [UInt8] {
    let most = 1 << prefixBits - 1
    guard value >= most else { return [first | UInt8(value)] }
    var (bytes, rest) = ([first | UInt8(most)], value - most)
    while rest >= 128 {
      bytes.append(UInt8(rest % 128) | 128)
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }

  private static func string(_ text: [UInt8]) -> [UInt8] {
    integer(text.count, prefixBits: 7, first: 0) + text
  }

  /// A literal field, without indexing and without Huffman coding (RFC 7541, 6.2.2).
  static func field(_ name: String, _ value: String) -> [UInt8] { field(name, Array(value.utf8)) }

  static func field(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [0] + string(Array(name.utf8)) + string(value)
  }

  /// A literal field that enters the table (RFC 7541, 6.2.1).
  static func indexed(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [0x40] + string(Array(name.utf8)) + string(value)
  }

  static func fields(_ list: [(String, String)]) -> [UInt8] { list.flatMap { field($0.0, $0.1) } }

  /// What every request has.
  static func request(
    _ method: String = "GET", _ path: String = "/", authority: String? = "a", more: [(String, String)] = []
  ) -> [(String, String)] {
    [(":method", method), (":scheme", "http"), (":path", path)]
      + (authority.map { [(":authority", $0)] } ?? []) + more
  }

  static func headers(_ stream: UInt32, _ block: [UInt8], end: Bool = true, endHeaders: Bool = true)
    -> [UInt8]
  {
    let flags = (end ? Flag.endStream : 0) | (endHeaders ? Flag.endHeaders : 0)
    return frame(Kind.headers, flags: flags, stream: stream, block)
  }

  static func get(_ stream: UInt32, _ path: String = "/") -> [UInt8] {
    headers(stream, fields(request("GET", path)))
  }

  static func post(_ stream: UInt32, _ more: [(String, String)] = []) -> [UInt8] {
    headers(stream, fields(request("POST", "/", more: more)), end: false)
  }

  static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = false) -> [UInt8] {
    frame(Kind.data, flags: end ? Flag.endStream : 0, stream: stream, bytes)
  }

  static func reset(_ stream: UInt32, _ code: UInt32 = Code.cancel) -> [UInt8] {
    frame(Kind.reset, stream: stream, number(code))
  }

  static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
    frame(Kind.windowUpdate, stream: stream, number(increment))
  }

  static func ping(ack: Bool = false) -> [UInt8] {
    frame(Kind.ping, flags: ack ? Flag.ack : 0, Array(repeating: 7, count: 8))
  }

  struct Frame: Equatable {
    var kind: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    var endsStream: Bool { (kind == Kind.data || kind == Kind.headers) && flags & Flag.endStream != 0 }

    /// The 32 bits at an offset.
    func number(at offset: Int) -> UInt32 {
      payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The status of an answer: the first field after perhaps a change of the table's size.
    var status: Int? {
      var rest = payload[...]
      while let first = rest.first, first & 0xE0 == 0x20 { rest.removeFirst() }
      guard let first = rest.popFirst() else { return nil }
      // The static table's :status entries (RFC 7541, appendix A).
      let known: [UInt8: Int] = [8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500]
      if first & 0x80 != 0 { return known[first & 0x7F] }
      guard first & 0x3F == 8 || first & 0x0F == 8, let length = rest.popFirst() else { return nil }
      let text = rest.prefix(Int(length & 0x7F))
      if length & 0x80 == 0 { return Int(String(decoding: text, as: UTF8.self)) }
      // Huffman codes of digits: 0 to 2 in five bits, 3 to 9 in six (RFC 7541, appendix B).
      var bits: ArraySlice<UInt8> = text.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }[...]
      func take(_ count: Int) -> Int {
        defer { bits = bits.dropFirst(count) }
        return bits.prefix(count).reduce(0) { $0 << 1 | Int($1) }
      }
      return (0..<3).reduce(0) { number, _ in
        let five = take(5)
        let digit: Int = five <= 2 ? five : (five << 1 | take(1)) - 0x19 + 3
        return number * 10 + digit
      }
    }
  }

  /// Takes the whole frames off the front of some bytes.
  static func take(_ bytes: inout [UInt8]) -> [Frame] {
    var (frames, rest): ([Frame], ArraySlice<UInt8>) = ([], bytes[...])
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = head[..<3].reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 9 + count else { break }
      let stream = head[5...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      frames.append(
        Frame(kind: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(count))))
      rest = rest.dropFirst(9 + count)
    }
    bytes = Array(rest)
    return frames
  }
}

/// A client of HTTP/2 over a socket that sends what it is told to and reads frames.
final class RawHTTP2 {
  let connection: RawConnection
  private var unread: [UInt8] = []
  private var frames: [Frames.Frame] = []

  /// Connects and sends the preface and SETTINGS.
  init(port: UInt16, settings: [(UInt16, UInt32)] = []) throws {
    connection = try RawConnection(port: port)
    connection.send(Frames.preface + Frames.settings(settings))
  }

  func send(_ bytes: [UInt8]) { connection.send(bytes) }

  /// The next frame that is wanted, those before it being dropped; nil when the server closes first.
  func read(_ isWanted: (Frames.Frame) -> Bool) throws -> Frames.Frame? {
    while true {
      while !frames.isEmpty {
        let frame = frames.removeFirst()
        if isWanted(frame) { return frame }
      }
      let bytes = try connection.receive()
      if bytes.isEmpty { return nil }
      unread += bytes
      frames = Frames.take(&unread)
    }
  }

  func goaway() throws -> UInt32? { try read { $0.kind == Frames.Kind.goaway }?.number(at: 4) }

  func reset(_ stream: UInt32) throws -> UInt32? {
    try read { $0.kind == Frames.Kind.reset && $0.stream == stream }?.number(at: 0)
  }

  func status(_ stream: UInt32) throws -> Int? {
    try read { $0.kind == Frames.Kind.headers && $0.stream == stream }?.status
  }

  /// Everything until the server closes.
  func readToEnd() throws { _ = try read { _ in false } }
}
