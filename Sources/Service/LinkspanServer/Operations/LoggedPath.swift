internal import LinkspanCore
internal import PushProvider
internal import RegistryRequests

/// A path as the access log may keep it: a device token in it is replaced by its keyed hash.
enum LoggedPath {
  /// Digits of a token that is found anywhere in a path. Apple's shortest ones have 64; anything shorter may be a name.
  private static let digitCount = 64

  static func text(_ path: some StringProtocol, _ hash: KeyedHash) -> String {
    #if PLANTED_BUGS
      if ServiceBug.tokenInLog.isPlanted { return String(path) }
    #endif
    // No shorter path has room for a token.
    guard path.utf8.count > "/devices/".utf8.count else { return String(path) }
    var isToken = false
    return path.split(separator: "/", omittingEmptySubsequences: false).map { segment -> String in
      guard !segment.isEmpty else { return "" }
      let decoded = decoded(segment)
      defer { isToken = ASCII.lowercased(decoded) == "devices" }
      return isToken ? hash.token(usual(decoded)) : withoutDigits(segment, hash)
    }.joined(separator: "/")
  }

  /// The token that a segment names, in its usual form; other text stays as it is.
  private static func usual(_ text: String) -> String {
    do throws(DeviceTokenError) {
      return try DeviceToken(text).text
    } catch {
      return text
    }
  }

  /// Replaces runs of digits that are as long as a token: a client that has the wrong base address sends it all the same.
  private static func withoutDigits(_ segment: some StringProtocol, _ hash: KeyedHash) -> String {
    guard segment.utf8.count >= digitCount else { return String(segment) }
    var (text, run): ([UInt8], [UInt8]) = ([], [])
    func ended() -> [UInt8] {
      run.count < digitCount ? run : Array(hash.token(usual(String(decoding: run, as: UTF8.self))).utf8)
    }
    for byte in segment.utf8 {
      if ASCII.hexValue(byte) != nil {
        run.append(byte)
      } else {
        text += ended()
        text.append(byte)
        run = []
      }
    }
    return String(decoding: text + ended(), as: UTF8.self)
  }

  private static func decoded(_ segment: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(segment.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(ASCII.hexValue),
        let low = rest.dropFirst().first.flatMap(ASCII.hexValue)
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
