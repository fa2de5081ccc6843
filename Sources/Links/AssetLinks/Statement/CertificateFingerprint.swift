internal import LinkspanCore

/// The SHA-256 digest of the certificate an Android app is signed with, as 32 bytes in upper-case hex with
/// colons between them (D4).
package struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Lengths of digests that people paste here instead.
  private static let otherDigests = [16: "MD5", 20: "SHA-1", 48: "SHA-384", 64: "SHA-512"]

  package init(_ text: String) throws(StatementFault) {
    func refuse(_ message: String, _ help: String) -> StatementFault {
      StatementFault(.fingerprint, message, help: help)
    }
    let example = "Expected 32 bytes in upper-case hex with colons, such as '14:6D:E9:…'."
    guard !text.isEmpty else { throw refuse("the fingerprint is empty", example) }
    if text.contains(where: { $0 == " " || $0.isNewline }) {
      throw refuse("the fingerprint '\(text)' contains white space", "It is compared as written. \(example)")
    }
    let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
    let isHex = text.utf8.allSatisfy { ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":") }
    guard isHex else {
      let isBase64 = text.utf8.count == 44 && text.hasSuffix("=")
      throw refuse(
        "the fingerprint '\(text)' is not in hex",
        isBase64 ? "This looks like the digest in Base64; write it in hex. \(example)" : example)
    }
    guard bytes.allSatisfy({ $0.utf8.count == 2 }) else {
      throw refuse(
        "the fingerprint '\(text)' does not consist of digit pairs separated by colons",
        text.utf8.count == 64 ? "Put a colon after every two digits. \(example)" : example)
    }
    guard bytes.count == 32 else {
      let digest = Self.otherDigests[bytes.count].map { ": it looks like \($0)" } ?? ""
      throw refuse(
        "the fingerprint has \(bytes.count.counted("byte")), not 32\(digest)",
        "Use the SHA-256 fingerprint; with Play App Signing, take it from the Play Console (D10). \(example)")
    }
    guard text == text.uppercased() else {
      throw refuse(
        "the fingerprint '\(text)' has lower-case letters",
        "Google's compatibility suite rejects it. Write '\(text.uppercased())'.")
    }
    description = text
  }
}
