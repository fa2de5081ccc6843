package import LinkspanCore

/// Bytes of a stream to messages, by the base protocol of the Language Server Protocol: a header with `Content-Length`,
/// an empty line, the content.
///
/// A header that cannot be understood, or announces too much, is told once; reading goes on at the next header.
///
/// - Source: Language Server Protocol 3.17, "Base Protocol".
package struct MessageFrames: Sendable {
  package enum Frame: Hashable, Sendable {
    /// The content of a message, which nobody has read yet.
    case message([UInt8])
    /// Why bytes were passed over.
    case broken(String)
  }

  /// Ours: many times the largest file that is checked, in JSON.
  package static let contentLimitBytes = 16 << 20
  /// Ours: real headers have about 30 bytes.
  package static let headerLimitBytes = 4 << 10
  private static let name = Array("content-length:".utf8)

  private var bytes: [UInt8] = []
  /// What is already read of ``bytes``.
  private var start = 0
  /// Where the search for an empty line goes on.
  private var looked = 0
  /// The size of the content that is awaited; nil before its header was read.
  private var awaited: Int?
  /// Whether bytes are passed over until the next header.
  private var isLost = false

  package init() {}

  /// - Returns: What is complete.
  package mutating func take(_ more: some Sequence<UInt8>) -> [Frame] {
    bytes.append(contentsOf: more)
    var frames: [Frame] = []
    while let frame = next() {
      if let frame = frame.value { frames.append(frame) }
    }
    if start > 1 << 16 || start == bytes.count {
      bytes.removeFirst(start)
      looked -= start
      start = 0
    }
    return frames
  }

  /// The stream has ended.
  package mutating func end() -> [Frame] {
    defer {
      bytes = []
      (start, looked, awaited) = (0, 0, nil)
    }
    if let awaited {
      return [.broken("The input ends after \(bytes.count - start) of \(awaited) bytes of a message.")]
    }
    return start < bytes.count && !isLost ? [.broken("The input ends in a header.")] : []
  }

  /// One step of reading, whose value is nil where bytes were passed over silently.
  private struct Progress {
    var value: Frame?
  }

  private mutating func next() -> Progress? {
    if let awaited {
      guard bytes.count - start >= awaited else { return nil }
      let content = Array(bytes[start..<start + awaited])
      pass(to: start + awaited)
      self.awaited = nil
      return Progress(value: .message(content))
    }
    if isLost { return found() ? Progress(value: nil) : nil }
    guard start < bytes.count else { return nil }
    let end = headerEnd()
    guard (end ?? bytes.count) - start <= Self.headerLimitBytes else {
      return lost(at: start + 1, "The header has more than \(Self.headerLimitBytes) bytes.")
    }
    guard let end else { return nil }
    let header = bytes[start..<end]
    switch Self.length(in: header) {
    case .failure(let problem): return lost(at: end, problem.message)
    case .success(let length):
      pass(to: end)
      awaited = length
      return Progress(value: nil)
    }
  }

  private mutating func pass(to place: Int) {
    start = place
    looked = place
  }

  private mutating func lost(at place: Int, _ message: String) -> Progress {
    pass(to: place)
    isLost = true
    return Progress(value: .broken(message))
  }

  /// Looks for the beginning of a header; keeps what may be the first part of one.
  private mutating func found() -> Bool {
    let last = bytes.count - Self.name.count
    var place = start
    while place <= last {
      if Self.isName(bytes[place..<place + Self.name.count]) {
        pass(to: place)
        isLost = false
        return true
      }
      place += 1
    }
    pass(to: max(start, min(place, bytes.count)))
    return false
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.elementsEqual(name) { ASCII.lowercased($0) == $1 }
  }

  /// Just behind the empty line that ends the header.
  private mutating func headerEnd() -> Int? {
    var place = max(start, looked)
    while place < bytes.count {
      defer { place += 1 }
      guard bytes[place] == 0x0A else { continue }
      let before = place > start && bytes[place - 1] == 0x0D ? place - 1 : place
      if before == start || bytes[before - 1] == 0x0A { return place + 1 }
    }
    looked = place
    return nil
  }

  private struct Problem: Error {
    var message: String
  }

  private static func length(in header: ArraySlice<UInt8>) -> Result<Int, Problem> {
    var length: Int?
    for line in header.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        return .failure(Problem(message: "A line of the header has no colon."))
      }
      guard isName(line[...colon]) else { continue }
      let digits = line[(colon + 1)...].filter { $0 != 0x20 && $0 != 0x09 }
      guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else {
        return .failure(Problem(message: "The Content-Length is not a number of bytes."))
      }
      guard let number = Int(String(decoding: digits, as: UTF8.self)), number <= contentLimitBytes else {
        return .failure(
          Problem(
            message: "The Content-Length is more than \(contentLimitBytes) bytes, the limit for a message."))
      }
      guard length == nil || length == number else {
        return .failure(Problem(message: "The header has two Content-Lengths."))
      }
      length = number
    }
    guard let length else { return .failure(Problem(message: "The header has no Content-Length.")) }
    return .success(length)
  }

  /// The bytes that carry a message.
  package static func frame(_ message: JSON) -> [UInt8] {
    let content = message.bytes
    return Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
  }
}
