internal import LinkLanguages
internal import LinkspanCore

/// A route as routers write it: `/buy/:id`, `/b/*`. A parameter is one segment that is not empty; a last `*` is anything
/// below, and the path before it too, as with `/*` in an association file. Trailing slashes do not count.
package struct Route: Hashable, Sendable {
  package enum Segment: Hashable, Sendable {
    case literal(String)
    /// What stands around a parameter in its segment, such as `@` in `/@:name`.
    case parameter(prefix: String, suffix: String)

    package var isParameter: Bool { if case .parameter = self { true } else { false } }
  }

  package let text: String
  package let segments: [Segment]
  /// Whether it ends in `*`.
  package let hasRest: Bool

  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// - Throws: What is wrong with the text, and what to write.
  package init(_ text: String) throws(Problem) {
    func problem(_ reason: String) -> Problem {
      Problem(
        description: "'\(text)' is not a route: \(reason). Write a path such as /buy/:id or /help/*.")
    }
    self.text = text
    guard text.hasPrefix("/") else { throw problem("it does not begin with '/'") }
    var parts = text.split(separator: "/").map(String.init)
    hasRest = parts.last == "*"
    if hasRest { parts.removeLast() }
    var segments: [Segment] = []
    for part in parts {
      if let bad = part.first(where: { "*?#".contains($0) }) {
        throw problem("'\(bad)' stands inside a segment")
      }
      guard let colon = part.firstIndex(of: ":") else {
        segments.append(.literal(Self.encoded(part)))
        continue
      }
      let rest = part[part.index(after: colon)...]
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      let suffix = rest.dropFirst(name.count)
      guard !name.isEmpty, !suffix.contains(":") else {
        throw problem("a segment has one parameter at most, such as ':id'")
      }
      segments.append(
        .parameter(prefix: Self.encoded(String(part[..<colon])), suffix: Self.encoded(String(suffix))))
    }
    self.segments = segments
  }

  /// As a URL carries it: what is no URL character is percent-encoded, and what is encoded stays.
  private static func encoded(_ text: String) -> String {
    ASCII.percentEncoded(Array(text.utf8)) { byte in
      (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}#".utf8.contains(byte)
    }
  }

  /// The nearest pattern of an association file: each parameter `?*`, which matches slashes too.
  ///
  /// - Parameter parameter: What stands for a parameter, by its place among the segments.
  package func pattern(_ parameter: (Int) -> String = { _ in "?*" }) -> String {
    let path = segments.enumerated().map { index, segment in
      switch segment {
      case .literal(let text): "/" + text
      case .parameter(let prefix, let suffix): "/" + prefix + parameter(index) + suffix
      }
    }.joined()
    return path + (hasRest ? "/*" : path.isEmpty ? "/" : "")
  }

  /// The paths it stands for, and how many of the elements are the path before `/*`.
  var elements: (elements: [PatternElement], parentCount: Int?) {
    func scalars(_ text: String) -> [PatternElement] { text.unicodeScalars.map { .scalar($0.value) } }
    var elements: [PatternElement] = []
    for segment in segments {
      elements += scalars("/")
      switch segment {
      case .literal(let text): elements += scalars(text)
      case .parameter(let prefix, let suffix): elements += scalars(prefix) + [.segment] + scalars(suffix)
      }
    }
    guard hasRest else { return (elements, nil) }
    return (elements + scalars("/") + [.run], elements.count)
  }
}
