internal import AppSiteAssociation
internal import HeldURLs
package import LinkspanCore

/// App Clip Codes: what a URL in one has to be, and the URL that Apple's picture of one says it has.
///
/// Whether a URL fits in the end only Apple's generator can say: it compresses the URL into 128 bits with tables that
/// are not published.
package enum ClipCode {
  /// The bits of a code for its URL.
  package static let capacityBits = 128

  /// What Apple's rules forbid about a URL, and what makes it longer than it has to be.
  ///
  /// - Source: Apple, "Creating App Clip Codes" (AC25).
  package static func findings(_ url: String, at location: Finding.Location) -> [Finding] {
    var found: [Finding] = []
    func add(_ rule: String, _ severity: Finding.Severity, _ message: String, _ help: String) {
      found.append(
        Finding(
          rule: "clip." + rule, severity: severity, at: location, message: message, help: help, source: "AC25"
        ))
    }
    let shown = url.withoutUserInformation
    // The code holds the text as it is written, so its rules are about that, and not about what a device makes of it.
    let link = LinkURL(url)
    guard ClipAddress(url) != nil, !link.host.isEmpty else {
      add("code-url", .error, "'\(shown)' is no URL.", "Write it whole, such as https://example.com/shop.")
      return found
    }
    if !url.hasPrefix("https://") {
      add(
        "code-url", .error, "'\(shown)' does not begin with 'https://'.",
        link.scheme == "https"
          ? "A code holds nothing else. Write it in lower case."
          : "A code holds no URL of the scheme '\(link.scheme)'. Use the https URL that opens the clip.")
    }
    let authority = link.bytes(of: (link.scheme.utf8.count + 3)..<link.path.lowerBound)
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    if at != nil {
      add(
        "code-url", .error, "The URL has a user name or a password.",
        "A code has only a host there, and every phone that scans it would show them. Remove them.")
    }
    // As it is written: ``LinkURL/host`` is in lower case.
    let behind = authority[(at.map { $0 + 1 } ?? authority.startIndex)...]
    let host = String(decoding: behind.prefix(link.host.utf8.count), as: UTF8.self)
    if behind.count > link.host.utf8.count {
      add(
        "code-url", .error, "The URL names a port.",
        "A code's host has letters, dots and hyphens only. Remove it.")
    }
    if let wrong = host.unicodeScalars.first(where: isForbiddenInHost) {
      let punycode = LinkURL(HeldURL(url).text).host
      let isOther = !wrong.isASCII && !punycode.unicodeScalars.contains(where: isForbiddenInHost)
      add(
        "code-host", .error, "The host has '\(wrong)'.",
        "The host in a code may contain only a to z, dots and hyphens. "
          + (isOther
            ? "Write it in Punycode: '\(punycode)'." : "Use a host without digits and capital letters."))
    }
    if link.host.hasSuffix(".") {
      add(
        "code-host", .error, "The host ends in a dot.",
        "No associated domain does, so it opens no clip. Remove it.")
    }
    if let (message, help) = excess(link) { add("code-capacity", .warning, message, help) }
    let marks = "/#?=%-._,+;:&"
    let rest = link.text(of: link.path.lowerBound..<link.byteCount)
    if let wrong = rest.unicodeScalars.first(where: { scalar in
      let isLetter = "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "0"..."9" ~= scalar
      return !isLetter && !marks.unicodeScalars.contains(scalar)
    }) {
      add(
        "code-character", .error, "The URL has '\(wrong)'.",
        "A code knows letters, digits and \(marks). Encode it, or leave it out.")
    }
    for (isSo, message, help) in tips(link) where isSo { add("code-length", .note, message, help) }
    return found
  }

  /// That a URL has too many characters, without the scheme, which a code does not hold. It is inferred that it does not
  /// fit: text takes more than two bits a character.
  private static func excess(_ link: LinkURL) -> (message: String, help: String)? {
    let characters = link.text.unicodeScalars.count - "https://".utf8.count
    guard characters * 2 > capacityBits else { return nil }
    return (
      "The URL has \(characters) characters behind 'https://', and a code \(capacityBits) bits for them.",
      "It hardly fits. Use a short host, one word as the path and decimal numbers behind 'p', such as "
        + "https://example.com/shop?p=42, and have your server look up the rest."
    )
  }

  private static func isForbiddenInHost(_ scalar: UnicodeScalar) -> Bool {
    !("a"..."z" ~= scalar || scalar == "." || scalar == "-")
  }

  private static func tips(_ link: LinkURL) -> [(Bool, String, String)] {
    let path = link.text(of: link.path)
    let words = path.split(separator: "/")
    let items = link.text(of: link.query).split(separator: "&")
    let values = items.compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
    let keys = items.map { $0.prefix { $0 != "=" } }
    return [
      (
        link.host.hasPrefix("www."), "The host begins with 'www.'.",
        "Without it the URL is shorter; 'appclip.' costs next to nothing."
      ),
      (
        path.count > 1 && path.hasSuffix("/"), "The path ends in a slash.",
        "Without it the URL is shorter."
      ),
      (
        words.count > 1, "The path has \(words.count) parts.",
        "One word of the dictionary that Apple's generator has is shortest."
      ),
      (
        values.contains { !$0.utf8.allSatisfy(ASCII.isDigit) },
        "A value in the query is not a decimal number.",
        "Decimal numbers are shortest."
      ),
      (
        keys.contains { !["p", "p1", "p2", "p3"].contains($0) },
        "A key in the query is not 'p', 'p1' or 'p2'.",
        "These keys are shortest."
      ),
    ]
  }

  /// The URL of a picture that Apple's generator made, from its `data-payload`; nil where there is none.
  package static func payload(svg bytes: [UInt8]) -> String? {
    MarkupTag.all(in: bytes).compactMap { $0.value("data-payload") }.first
  }
}
