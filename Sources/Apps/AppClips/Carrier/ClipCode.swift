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
    guard let address = ClipAddress(url) else {
      add("code-url", .error, "'\(url)' is no URL.", "Write it whole, such as https://example.com/shop.")
      return found
    }
    if !url.hasPrefix("https://") {
      add(
        "code-url", .error, "'\(url)' does not begin with 'https://'.",
        "A code holds nothing else. Write it in lower case.")
    }
    if address.port != nil {
      add(
        "code-url", .error, "The URL names a port.",
        "A code's host has letters, dots and hyphens only. Remove it.")
    }
    let authority = url.dropFirst(address.scheme.count + 3).prefix { !"/?#:".contains($0) }
    if let wrong = authority.unicodeScalars.first(where: { !("a"..."z" ~= $0 || $0 == "." || $0 == "-") }) {
      add(
        "code-host", .error, "The host has '\(wrong)'.",
        "The host in a code may contain only a to z, dots and hyphens. Use a host without digits and capital letters."
      )
    }
    let marks = "/#?=%-._,+;:&"
    if let wrong = address.rest.unicodeScalars.first(where: { scalar in
      let isLetter = "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "0"..."9" ~= scalar
      return !isLetter && !marks.unicodeScalars.contains(scalar)
    }) {
      add(
        "code-character", .error, "The URL has '\(wrong)'.",
        "A code knows letters, digits and \(marks). Encode it, or leave it out.")
    }
    for (isSo, message, help) in tips(address) where isSo { add("code-length", .note, message, help) }
    return found
  }

  private static func tips(_ address: ClipAddress) -> [(Bool, String, String)] {
    let words = address.path.split(separator: "/")
    let values = address.queryItems.compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
    let keys = address.queryItems.map { $0.prefix { $0 != "=" } }
    return [
      (
        address.host.hasPrefix("www."), "The host begins with 'www.'.",
        "Without it the URL is shorter; 'appclip.' costs next to nothing."
      ),
      (
        address.path.count > 1 && address.path.hasSuffix("/"), "The path ends in a slash.",
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
