/// Bytes as text that needs no escaping in a URL, without padding (RFC 4648, section 5; RFC 7515, 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values = Base64.table(of: alphabet)

  package static func text(of bytes: [UInt8]) -> String { Base64.text(of: bytes, alphabet, isPadded: false) }

  /// - Returns: nil for other characters, a length that no bytes have, and bits that no byte takes up.
  package static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? { Base64.bytes(of: text, values) }
}
