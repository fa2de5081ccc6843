internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

/// The device tokens that a person names, one after the other: a file of any length is never held whole.
final class PushTokens {
  /// How many there are, where that is known before the end.
  private(set) var count: Int?
  private var listed: [DeviceToken] = []
  private var place = 0
  private var file: (reader: LineSource, name: String)?
  /// Whether there was a token so far.
  private var hasAny = false
  private var seen = SeenTokens()

  /// A class, since the reader cannot be copied.
  private final class LineSource {
    private var reader: LineReader
    private(set) var number = 0

    init(_ path: String) throws(LinkspanError) {
      reader = try LineReader(path, beforeWaiting: {})
    }

    var isReady: Bool { reader.isReady() }

    /// The token of the next line that is not blank, or nil at the end.
    func next(_ name: String) throws(LinkspanError) -> DeviceToken? {
      while let line = try nextLine() {
        number += 1
        switch line {
        case .tooLong: throw PushTokens.bad("\(name):\(number)", "the line is too long")
        case .bytes(let bytes):
          if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
          return try PushTokens.token(bytes, "\(name):\(number)")
        }
      }
      return nil
    }

    private func nextLine() throws(LinkspanError) -> LineReader.Line? {
      try reader.next()
    }
  }

  /// Checks every token beforehand, except those of standard input and of a pipe, which can be read once only.
  init(_ arguments: Arguments) throws(LinkspanError) {
    for text in arguments.all("--token") { listed.append(try Self.token(Array(text.utf8), "'\(text)'")) }
    count = listed.count
    if let path = arguments.value("--tokens") {
      let name = path == "-" ? "standard input" : path
      if path != "-", try FileReader.kind(of: path) == .file {
        let lines = try LineSource(path)
        var checked = 0
        while try lines.next(name) != nil { checked += 1 }
        count = listed.count + checked
      } else {
        count = nil
      }
      file = (try LineSource(path), name)
    }
    if count == 0 {
      if let path = arguments.value("--tokens") { throw Self.empty("'\(path)'") }
      throw arguments.usage("no device token; name one with '--token' or '--tokens'")
    }
    hasAny = !listed.isEmpty
  }

  /// Whether ``next()`` does not wait.
  var isReady: Bool { place < listed.count || file?.reader.isReady ?? true }

  /// The next token, each once, or nil at the end.
  ///
  /// - Throws: What is wrong with a line of standard input; there is nothing behind it then. Also that there was no
  ///   token at all: a list that came out empty is no success.
  func next() throws(LinkspanError) -> DeviceToken? {
    while place < listed.count {
      place += 1
      if seen.insert(listed[place - 1]) { return listed[place - 1] }
    }
    while let file {
      do throws(LinkspanError) {
        guard let token = try file.reader.next(file.name) else {
          guard hasAny else { throw Self.empty(file.name) }
          break
        }
        hasAny = true
        if seen.insert(token) { return token }
      } catch {
        self.file = nil
        throw error
      }
    }
    file = nil
    return nil
  }

  private static func token(
    _ bytes: [UInt8], _ place: @autoclosure () -> String
  ) throws(LinkspanError) -> DeviceToken {
    do throws(DeviceTokenError) { return try DeviceToken(bytes) } catch { throw bad(place(), error.message) }
  }

  private static func empty(_ name: String) -> LinkspanError {
    LinkspanError(
      "\(name) has no device token, so nothing was sent.",
      help: "Write one token a line, or name one with '--token'.")
  }

  private static func bad(_ place: String, _ reason: String) -> LinkspanError {
    LinkspanError("\(place) is not a device token: \(reason).", help: "Write it in hexadecimal digits.")
  }
}
