package import LinkspanCore

/// What a `Cache-Control` field says about how long an answer lives (RFC 9111, 5.2.2); other directives are not
/// looked at.
package struct CacheControl: Hashable, Sendable {
  /// In seconds; nil when it is not said or is no number.
  package var maxAge_s: Int?
  package var isImmutable = false

  package init(_ fields: HTTPFields) {
    for value in fields.values(of: "Cache-Control") {
      for directive in value.split(separator: ",") {
        let words = ASCII.lowercased(directive).split(separator: "=", maxSplits: 1)
          .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
        switch words.first {
        case "max-age" where words.count == 2 && maxAge_s == nil: maxAge_s = Self.seconds(words[1])
        case "immutable": isImmutable = true
        default: break
        }
      }
    }
  }

  /// A number of seconds as HTTP writes it: digits only (RFC 9111, 1.2.2).
  package static func seconds(_ text: String) -> Int? {
    text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
  }

  /// `3 h 20 min`, in at most two units, for people.
  package static func words(_ seconds: Int) -> String {
    let units = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
    guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
    var words = "\(seconds / units[first].1) \(units[first].0)"
    if first + 1 < units.count {
      let rest = seconds % units[first].1 / units[first + 1].1
      if rest > 0 { words += " \(rest) \(units[first + 1].0)" }
    }
    return words
  }
}
