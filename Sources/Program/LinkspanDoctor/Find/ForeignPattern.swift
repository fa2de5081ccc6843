/// Patterns as routers and regular expressions have them, where an association file has only '*', '?' and '$(name)' (P1).
enum ForeignPattern {
  /// What the writer may have meant, and what is wrong, as words that go on after "the rule".
  static func forms(of path: String) -> [(String, String)] {
    var forms: [(String, String)] = []
    let routed = path.split(separator: "/", omittingEmptySubsequences: false).map { segment(String($0)) }
      .joined(separator: "/")
    if routed != path {
      forms.append((routed, "has a router's placeholder; patterns have only '*', '?' and '$(name)'"))
    }
    let plain = withoutExpressions(path)
    if plain != path {
      forms.append((plain, "is a regular expression; patterns have only '*', '?' and '$(name)'"))
    }
    if path.contains("\\") {
      forms.append((path.replacing("\\", with: "/"), "has '\\', and paths have '/'"))
    }
    return forms
  }

  /// One part of a path, with `*` for `:id`, `{id}`, `<id>`, `[id]` and `${id}`.
  private static func segment(_ text: String) -> String {
    if text.hasPrefix(":"), text.count > 1 { return "*" }
    var rest = text
    for (start, end) in [("${", "}"), ("{", "}"), ("<", ">"), ("[", "]")] {
      while let first = rest.firstRange(of: start),
        let last = rest[first.upperBound...].firstRange(of: end), first.upperBound < last.lowerBound
      {
        rest = rest[..<first.lowerBound] + "*" + rest[last.upperBound...]
      }
    }
    return rest
  }

  /// With `*` for the commonest expressions.
  private static func withoutExpressions(_ path: String) -> String {
    var text = path
    for group in [
      "([^/]+)", "(.*)", "(.+)", "(\\d+)", "(\\w+)", "[^/]+", "[0-9]+", "[a-z]+", "\\d+", "\\w+", ".*", ".+",
    ] {
      text = text.replacing(group, with: "*")
    }
    if text.hasPrefix("^") { text.removeFirst() }
    if text.hasSuffix("$") { text.removeLast() }
    return text.replacing("\\/", with: "/").replacing("\\.", with: ".")
  }
}
