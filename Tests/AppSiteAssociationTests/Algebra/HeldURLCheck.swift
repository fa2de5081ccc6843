import LinkspanCore

/// Which URLs a device can hold, read off RFC 3986 once more and apart from the language in the algebra: the characters of
/// its appendix A, two digits behind each percent sign, and no segment of dots, which resolving takes away.
enum HeldURLCheck {
  private static let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
  /// Brackets are for addresses in RFC 3986; in the other parts the URL standard leaves them alone.
  private static let marks = "!$&'()*+,;=:@/?[]"

  static func isHeld(_ url: String) -> Bool {
    let parts = url.dropFirst("https://example.com".count).split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy(isPlain), let first = parts.first else { return false }
    let sides = first.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.allSatisfy(isPlain), let path = sides.first else { return false }
    // The URL standard encodes it in queries of http and https.
    if sides.count == 2, sides[1].contains("'") { return false }
    return path.split(separator: "/").allSatisfy { segment in
      let text = segment.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(
        separator: ".")
      return text != "." && text != ".."
    }
  }

  private static func isPlain(_ text: Substring) -> Bool {
    for (place, piece) in text.split(separator: "%", omittingEmptySubsequences: false).enumerated() {
      guard piece.allSatisfy({ (unreserved + marks).contains($0) }) else { return false }
      if place > 0 {
        guard piece.count >= 2, piece.prefix(2).allSatisfy({ "0123456789abcdefABCDEF".contains($0) }) else {
          return false
        }
      }
    }
    return true
  }
}
