internal import LinkspanCore

/// Text as a part of a URL.
package enum URLText {
  /// A value in a path's segment or a query, percent-encoded.
  package static func encoded(_ text: String) -> String {
    ASCII.percentEncoded(text.utf8) {
      ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0)
    }
  }
}
