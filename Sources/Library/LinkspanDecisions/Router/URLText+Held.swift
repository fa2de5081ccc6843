extension URLText {
  /// What a path, a query and a fragment cannot hold as it is (URL standard; the query is that of http and https).
  private static let outsidePath = outside("\"<>^`{}")
  private static let outsideQuery = outside("\"<>'")
  private static let outsideFragment = outside("\"<>`")
  private static let outsideAny = outsidePath.union(outsideQuery)

  private static let worthALook = outsideAny.union(ByteSet("%".utf8))

  /// Whether the text is as a device holds it, with the digits of its escapes in capitals: as nearly every link is.
  static func isWritten(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let set = worthALook
    for index in bytes.indices where set.contains(bytes[index]) {
      guard bytes[index] == UInt8(ascii: "%"), !isSmallEscape(bytes, index) else { return false }
    }
    return true
  }

  private static func outside(_ characters: String) -> ByteSet {
    ByteSet(0...0x20).union(ByteSet(0x7F...0xFF)).union(ByteSet(characters.utf8))
  }

  /// The URL that a device holds of a text that somebody wrote: what a path, a query or a fragment cannot hold becomes escapes
  /// with capital digits. Escapes stay as they are written, and so does the authority.
  static func held(_ url: String) -> String {
    guard url.utf8.contains(where: outsideAny.contains) else { return url }
    let bytes = Array(url.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    var set = ByteSet()
    var slashes = 0
    for byte in bytes {
      switch byte {
      // The path begins with the third slash of 'https://host/path'.
      case UInt8(ascii: "/") where slashes < 3:
        slashes += 1
        if slashes == 3 { set = outsidePath }
      case UInt8(ascii: "?") where set == outsidePath || slashes < 3:
        slashes = 3
        set = outsideQuery
      case UInt8(ascii: "#") where set != outsideFragment:
        slashes = 3
        set = outsideFragment
      default: break
      }
      if set.contains(byte) { result += escape(byte) } else { result.append(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
