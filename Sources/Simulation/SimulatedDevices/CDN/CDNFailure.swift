package import LinkspanCore

/// A "no" of Apple's CDN, read from its headers as a device sees them.
///
/// - Source: section 4. Any `SWCERR` and five digits is read; the text is kept.
package struct CDNFailure: Hashable, Sendable {
  /// 404, or 405 for a host it does not know.
  package var status: Int
  /// The five digits; nil when the answer names none.
  package var code: String?
  /// What follows the code, such as `Bad HTTP Response: 403 Forbidden`.
  package var text: String
  /// Read as: the device may try the host itself (inferred).
  package var triesDirect: Bool

  /// - Returns: nil for an answer with a file.
  package init?(_ response: HTTPResponse) {
    guard response.status != 200 else { return nil }
    status = response.status
    triesDirect = response.fields["Apple-Try-Direct"].map { ASCII.lowercased($0) == "true" } ?? false
    let reason = response.fields["Apple-Failure-Reason"] ?? ""
    let words = reason.split(separator: " ", maxSplits: 1).map(String.init)
    if let first = words.first, first.hasPrefix("SWCERR"), first.utf8.count == 11,
      first.utf8.dropFirst(6).allSatisfy(ASCII.isDigit)
    {
      code = String(first.dropFirst(6))
      text = words.count > 1 ? words[1] : ""
    } else {
      code = nil
      text = reason
    }
  }

  /// The status that the origin gave, when the reason tells it.
  package var originStatus: Int? {
    guard code == "00101", let line = text.split(separator: ":").last else { return nil }
    return line.split(separator: " ").first.flatMap { Int($0) }
  }

  /// The code our stand-in gives for an origin that takes no connections; nobody has published Apple's.
  static let connectionFailed = "00291"

  /// Whether the origin's trouble is of the kind that passes: 5xx, no connection, or no answer in time (R1).
  package var isTemporary: Bool {
    code?.hasPrefix("003") == true || code == Self.connectionFailed
      || originStatus.map { (500...599).contains($0) } == true
  }

  /// `404: SWCERR00101 Bad HTTP Response: 403 Forbidden`, as in the device's own log.
  package var line: String {
    let reason = [code.map { "SWCERR" + $0 }, text.isEmpty ? nil : text].compactMap { $0 }
    return reason.isEmpty ? "\(status)" : "\(status): " + reason.joined(separator: " ")
  }
}
