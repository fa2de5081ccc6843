internal import LinkspanCore

/// What to do about a PEM file of which nothing could be read.
package enum PEMHelp {
  /// - Parameter bytes: Of a file without a usable certificate.
  package static func certificate(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    guard text.contains(begin) else { return "A PEM file begins a certificate with \(begin)." }
    guard text.contains(end) else {
      return "It begins a certificate and has no line \(end), so it is cut off. Copy the whole file."
    }
    return "What is between \(begin) and \(end) is not a certificate, or not all of one. Copy the file again."
  }

  /// - Parameter bytes: Of a file without a usable key; nothing of it is in the answer.
  package static func key(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    // Without its rest nothing can be said of one under a passphrase either.
    let begins = text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----")
    guard !begins || text.contains("-----END ") else {
      return "It begins a key and has no line with -----END, so it is cut off. Copy the whole file."
    }
    let begin = "-----BEGIN PRIVATE KEY-----"
    return "A PEM file begins a key with \(begin); one under a passphrase cannot be served with."
  }
}
