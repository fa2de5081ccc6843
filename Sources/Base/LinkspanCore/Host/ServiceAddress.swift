/// Where a service is, as a person wrote it: the URL of a server or a database, which may hold a credential.
///
/// Its description never shows one: "…" stands for user and password, as in ``Swift/String/withoutUserInformation``, query
/// and fragment are left out, and of an address that cannot be parsed everything but the scheme, since nobody knows where
/// its password ends. Whoever connects asks for ``textWithCredentials``.
package struct ServiceAddress: Hashable, Sendable {
  /// For the connection itself; never for an answer, a page, a log or an error.
  package let textWithCredentials: String
  /// In lower case; empty when the text has none.
  package let scheme: String
  /// nil when the text cannot be parsed as a URL.
  let parts: Parts?

  struct Parts: Hashable {
    var userinfo: String?
    /// Host and port.
    var authority: String
    var path: String
    var query: String?
  }

  package init(_ text: String) {
    textWithCredentials = text
    guard let mark = text.firstRange(of: "://"), Self.isScheme(text[..<mark.lowerBound]) else {
      scheme = ""
      parts = nil
      return
    }
    scheme = ASCII.lowercased(text[..<mark.lowerBound])
    parts = Parts(text[mark.upperBound...])
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
    return text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
  }

  package var isParsed: Bool { parts != nil }

  /// The text without its credentials.
  package var description: String {
    guard let parts else { return scheme.isEmpty ? "…" : "\(scheme)://…" }
    return "\(scheme)://\(parts.userinfo == nil ? "" : "…@")\(parts.authority)\(parts.path)"
  }
}

extension ServiceAddress: CustomStringConvertible, CustomDebugStringConvertible {
  package var debugDescription: String { description }
}

// MARK: - Parsing

extension ServiceAddress.Parts {
  /// What follows the scheme. Stricter than RFC 3986 where programs disagree: an `@`, a blank, a bracket or a percent sign
  /// that is not escaped may belong to a password, so there is one reading or none.
  fileprivate init?(_ text: Substring) {
    guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" && $0 != "#" }),
      Self.hasWholeEscapes(text)
    else { return nil }
    let place = text.prefix { $0 != "/" && $0 != "?" }
    let rest = text[place.endIndex...]
    guard !rest.contains("@") else { return nil }
    let pieces = place.split(separator: "@", omittingEmptySubsequences: false)
    guard let authority = pieces.last, pieces.count <= 2, Self.isAuthority(authority) else { return nil }
    let path = rest.prefix { $0 != "?" }
    userinfo = pieces.count == 2 ? String(pieces[0]) : nil
    self.authority = String(authority)
    self.path = String(path)
    query = path.endIndex < rest.endIndex ? String(rest[path.endIndex...].dropFirst()) : nil
  }

  /// Every percent sign begins an escape, and none of them is a zero byte, which libpq refuses with a quotation.
  private static func hasWholeEscapes(_ text: Substring) -> Bool {
    text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { piece in
      let digits = piece.utf8.prefix(2).compactMap(ASCII.hexValue)
      return digits.count == 2 && digits != [0, 0]
    }
  }

  /// Hosts with their ports, between commas as libpq takes several; each may be empty.
  private static func isAuthority(_ text: Substring) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { item in
      var port = item.drop { $0 != ":" }
      var host = item.prefix { $0 != ":" }
      if item.hasPrefix("[") {
        guard let end = item.firstIndex(of: "]") else { return false }
        host = item[item.index(after: item.startIndex)..<end]
        port = item[item.index(after: end)...]
        guard !host.isEmpty, host.utf8.allSatisfy(isOfIPv6) else { return false }
      } else {
        guard host.utf8.allSatisfy(isOfName) else { return false }
      }
      return port.isEmpty || (port.first == ":" && port.dropFirst().utf8.allSatisfy(ASCII.isDigit))
    }
  }

  private static func isOfIPv6(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || ":.%".utf8.contains(byte)
  }

  /// Other bytes than ASCII are letters of an internationalised name.
  private static func isOfName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 || "-._~%".utf8.contains(byte)
  }
}

// MARK: - Use

extension ServiceAddress {
  /// Whether a text of somebody else, such as a library's error message, quotes a password of the address.
  package func isQuoted(in text: String) -> Bool { secrets.contains { text.contains($0) } }

  /// Each credential as it is written and as it is meant.
  private var secrets: [String] {
    var found: [Substring] = []
    if let user = parts?.userinfo, let colon = user.firstIndex(of: ":") {
      found.append(user[user.index(after: colon)...])
    }
    for item in parts?.query?.split(separator: "&") ?? [] {
      let name = ASCII.lowercased(item.prefix { $0 != "=" })
      if name.contains("pass") { found.append(item.dropFirst(name.utf8.count + 1)) }
    }
    return found.filter { !$0.isEmpty }.flatMap { [String($0), Self.unescaped($0)] }
  }

  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count > 1, let high = ASCII.hexValue(rest[rest.startIndex]),
        let low = ASCII.hexValue(rest[rest.startIndex + 1])
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(high << 4 | low)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
