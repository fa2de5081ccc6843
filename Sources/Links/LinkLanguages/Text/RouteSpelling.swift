internal import LinkspanCore

/// Routes as other routers write them, as templates of ``RouteTemplate``: `<int:id>` (Flask, Django), `[id]`, `[...all]` and
/// `[[...all]]` (Next.js, Nuxt), `*path` (Rails), `{*path}` and `**` (Spring, ASP.NET), `:id?` and
/// `:id+` (Express, Vue), and groups such as `(shop)`, which no URL has (Next.js, SvelteKit, Expo).
enum RouteSpelling {
  /// - Throws: What such a route has that no route can say.
  static func template(_ written: String) throws(Route.Problem) -> String {
    guard !written.hasSuffix(")+"), !written.contains(")+/") else {
      throw refused(written, "'+' behind an expression is any number of segments; end it with '/*' instead")
    }
    let text = try withoutGroups(written)
    // What stands in parentheses or behind a tilde is a regular expression.
    guard text.hasPrefix("/"), !text.contains(where: { "(~".contains($0) }) else { return text }
    var segments: [String] = []
    let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      let (segment, isRest) = try segment(part, of: text)
      guard !isRest || parts[(place + 1)...].allSatisfy({ $0.isEmpty }) else {
        throw refused(text, "'\(part)' is any number of segments, so only the last segment may be one")
      }
      segments.append(segment)
    }
    return "/" + segments.joined(separator: "/")
  }

  /// Without the segments in parentheses that only sort the files of an app.
  private static func withoutGroups(_ text: String) throws(Route.Problem) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    var depth = 0
    for part in parts {
      let isInside = depth > 0
      for character in part { depth += character == "(" ? 1 : character == ")" ? -1 : 0 }
      guard !isInside, part.hasPrefix("("), part.hasSuffix(")"), !part.dropLast().contains(")") else {
        kept.append(part)
        continue
      }
      guard isName(String(part.dropFirst().dropLast())) else {
        throw refused(text, "'\(part)' is an expression without a parameter; write ':name\(part)'")
      }
    }
    guard kept.count < parts.count else { return text }
    return kept.count == 1 ? "/" : kept.joined(separator: "/")
  }

  private static func refused(_ text: String, _ reason: String) -> Route.Problem {
    Route.Problem(description: "'\(text)' is not a route: \(reason).")
  }

  private static func segment(
    _ part: Substring, of text: String
  ) throws(Route.Problem) -> (text: String, isRest: Bool) {
    func inside(_ start: String, _ end: String) -> String? {
      guard part.hasPrefix(start), part.hasSuffix(end), part.count > start.count + end.count else {
        return nil
      }
      let name = String(part.dropFirst(start.count).dropLast(end.count))
      return isName(name) ? name : nil
    }
    // None, one or more segments: as a last '*' has it.
    if part == "**" || inside("[[...", "]]") != nil || inside("{*", "}") != nil || inside("{**", "}") != nil {
      return ("*", true)
    }
    if let name = inside("[...", "]") ?? inside("*", "") ?? inside("<path:", ">") ?? inside(":", "+") {
      return ("{\(name)}/*", true)
    }
    if let name = inside("[", "]") { return ("{\(name)}", false) }
    if let name = inside(":", "?") { return ("{\(name)?}", false) }
    return (try withoutConverters(part, of: text), false)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
  }

  /// `<name>` and `<converter:name>` anywhere in a segment.
  private static func withoutConverters(
    _ part: Substring, of text: String
  ) throws(Route.Problem) -> String {
    var result = ""
    var rest = part
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let words = rest[rest.index(after: open)..<close].split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.last.map({ String($0) }), isName(name) else {
        throw refused(text, "'\(rest[open...close])': a parameter is written <name> or <int:name>")
      }
      result += rest[..<open]
      if words.count == 1 || words[0] == "string" || words[0] == "str" {
        result += "{\(name)}"
      } else if let expression = expression(of: words[0]) {
        result += "{\(name):~\(expression)}"
      } else {
        throw refused(
          text,
          "'\(rest[open...close])': unknown converter '\(words[0])'; expected "
            + "float, int, slug, string, uuid, or, as a whole last segment, path")
      }
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// What Flask's and Django's converters take.
  private static func expression(of converter: Substring) -> String? {
    switch converter {
    case "int": "[0-9]+"
    case "float": "[0-9]+\\.[0-9]+"
    case "slug": "[-a-zA-Z0-9_]+"
    case "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    default: nil
    }
  }
}
