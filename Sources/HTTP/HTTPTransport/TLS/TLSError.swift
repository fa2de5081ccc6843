internal import CGnuTLS

/// Why TLS cannot be set up: a file or its content is at fault, and the text says which and how.
///
/// The content of a key never appears.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    case badCertificate
    /// One that no handshake signs with, whose reason says what to use.
    case unusableCertificate
    case badKey
    case keyOfAnotherCertificate
    case library
  }

  package var kind: Kind
  /// The file at fault, or nil.
  package var file: String?
  package var reason: String

  package var description: String { file.map { "\($0): \(reason)" } ?? reason }

  init(_ kind: Kind, file: String? = nil, _ reason: String) {
    self.kind = kind
    self.file = file
    self.reason = reason
  }

  /// Throws when `code`, which a function of the library returned, is an error.
  static func check(_ code: CInt, _ what: String, _ kind: Kind = .library, file: String? = nil)
    throws(TLSError)
  {
    guard code < 0 else { return }
    throw TLSError(kind, file: file, "\(what): \(text(code))")
  }

  /// The library's words, as a clause: without the full stop that ends most of them.
  static func text(_ code: CInt) -> String {
    let text = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
