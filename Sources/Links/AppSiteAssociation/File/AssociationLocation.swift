/// Where an association file lies (F1, F2) and how large it may be (R4).
package enum AssociationLocation: String, Hashable, Sendable, CaseIterable {
  case wellKnown = "/.well-known/apple-app-site-association"
  /// Deprecated since 2019 (F3).
  case root = "/apple-app-site-association"

  /// R4: 128 KB uncompressed, documented for iOS 9.3.1 and later.
  package static let maximumFileBytes = 131_072

  /// How much of an answer is worth reading: one byte more tells that the file is too large, and files of 27 MB
  /// exist (R4).
  package static let readLimitBytes = maximumFileBytes + 1

  /// The sentence about a file that is too large to be read.
  package static func excess(of name: String, bytes: Int, limit: Int) -> String {
    let source = limit == maximumFileBytes ? " (R4)" : ""
    return "'\(name)' has \(bytes) bytes; at most \(limit) are allowed\(source), so it was not read."
  }

  package func url(host: String) -> String { "https://\(host)\(rawValue)" }
}
