extension RouteTable {
  /// The route whose template a URL comes closest to, and the first thing that keeps it out.
  func closest(to url: String, from kind: LinkSource.Kind?) -> (route: String, why: String)? {
    let parts = Parts(url, isWeb: kind.map { $0 != .customScheme })
    var best: (score: Int, row: Row, why: String)?
    for row in rows where row.sources.contains(kind ?? (parts.isWeb ? .universalLink : .customScheme)) {
      let (score, why) = parts.compare(row.pattern)
      if score > best?.score ?? -1 { best = (score, row, why) }
    }
    return best.map { ($0.row.name, "closest is '\($0.row.name)' (\($0.row.pattern.text)): \($0.why)") }
  }

  private struct Parts {
    var segments: [Substring]
    var query: [(name: Substring, value: Substring)]
    var isWeb: Bool

    init(_ url: String, isWeb: Bool?) {
      let lower = url.prefix(6).lowercased()
      self.isWeb = isWeb ?? (lower.hasPrefix("https:") || lower.hasPrefix("http:"))
      var rest = url[(url.firstIndex(of: ":").map(url.index(after:)) ?? url.startIndex)...]
      if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
      query = []
      if let mark = rest.firstIndex(of: "?") {
        query = rest[rest.index(after: mark)...].split(separator: "&").map { item in
          let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        rest = rest[..<mark]
      }
      while rest.last == "/" { rest.removeLast() }
      if self.isWeb {
        // As browsers and devices do, also behind one slash or none.
        rest = rest.drop { $0 == "/" || $0 == "\\" }
        rest = rest[(rest.firstIndex { $0 == "/" || $0 == "\\" } ?? rest.endIndex)...]
      } else if rest.hasPrefix("//") {
        rest = rest.dropFirst(2)
        // A user is no part of the first segment.
        if let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") {
          rest = rest[rest.index(after: at)...]
        }
      }
      if rest.hasPrefix("/") { rest.removeFirst() }
      segments = rest.isEmpty ? [] : rest.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// - Returns: How much fits, in points, and the first thing that does not.
    func compare(_ pattern: RoutePattern) -> (score: Int, why: String) {
      var score = 0
      for (index, segment) in pattern.segments.enumerated() {
        guard index < segments.count else {
          return (
            score, "the path has \(count(segments.count, "segment")), the route \(pattern.segments.count)"
          )
        }
        let text = segments[index]
        switch segment {
        case .literal(let literal):
          guard text == literal[...] else {
            return (score, "segment \(index + 1) is '\(text)' instead of '\(literal)'")
          }
          score += 4
        case .parameters(let parameters):
          guard Self.matches(parameters, text) else {
            let names = parameters.map { "'\($0.name)'" }.joined(separator: " and ")
            return (
              score + 1,
              "segment \(index + 1), '\(text)', does not satisfy the "
                + "parameter\(parameters.count == 1 ? "" : "s") \(names)"
            )
          }
          score += 3
        }
      }
      if pattern.rest == .none, segments.count > pattern.segments.count {
        return (
          score, "the path has \(count(segments.count, "segment")), the route \(pattern.segments.count)"
        )
      }
      for item in pattern.query where item.condition.isRequired {
        let values = query.filter { $0.name == item.name[...] }.map(\.value)
        guard !values.isEmpty else { return (score + 1, "the query item '\(item.name)' is missing") }
        if values.contains(where: { !Self.holds(item.condition, $0) }) {
          return (score + 1, "the value of the query item '\(item.name)' does not satisfy the route")
        }
      }
      return (score + 1, "the fragment does not satisfy the route")
    }

    private func count(_ number: Int, _ noun: String) -> String {
      "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func matches(_ parameters: [RoutePattern.Parameter], _ text: Substring) -> Bool {
      Array(text.utf8).withUnsafeBufferPointer { RoutePattern.split(parameters, $0, 0..<$0.count) != nil }
    }

    private static func holds(_ condition: RoutePattern.Condition, _ text: Substring) -> Bool {
      Array(text.utf8).withUnsafeBufferPointer { condition.holds($0, 0..<$0.count) }
    }
  }
}
