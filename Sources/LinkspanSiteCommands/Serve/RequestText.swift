internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon

/// A commented configuration for `generate`, made from an association file.
enum RequestText {
  static func commented(from path: String) throws(CommandError) -> String {
    let source = AssociationSource(try CommandError.mapping(FileReader.read(path)), sizeLimitBytes: .max)
    guard let links = source.content.file?.appLinks else {
      throw CommandError(
        "'\(path)' has no universal links to read.", help: "'linkspan check \(path)' tells what it holds.")
    }
    guard links.entries.contains(where: { !$0.applications(on: nil).isEmpty }) else {
      throw CommandError(
        "'\(path)' names no app for universal links.",
        help: "'linkspan check \(path)' tells what it holds.")
    }
    var text = "// Apps, routes and exclusions for 'linkspan generate', from \(path).\n"
    text +=
      "// ':name' is one segment, a last '*' anything below. An exclusion wins over every route, whatever their order.\n"
    text += "{\n  // The host adds the entitlement lines.\n  // host: \"example.com\",\n  apps: [\n"
    for entry in links.entries {
      let rules =
        entry.components.map { $0.map(\.settings) } ?? entry.paths.map { $0.map(\.settings) } ?? [
          RuleSettings()
        ]
      let merged = rules.map { $0.over(entry.defaults.over(links.defaults)) }
      for app in entry.applications(on: nil) {
        text += "    {\n      id: \(quoted(app)),\n"
        text += list("routes", merged.filter { $0.exclude != true })
        text += list("exclude", merged.filter { $0.exclude == true })
        text += "    },\n"
      }
    }
    return text + "  ],\n}\n"
  }

  private static func quoted(_ text: String) -> String { JSON.string(text).text }

  private static func list(_ name: String, _ rules: [RuleSettings]) -> String {
    var text = "      \(name): [\n"
    for rule in rules {
      let (route, remarks) = route(for: rule)
      let remark = remarks.isEmpty ? "" : " // \(rule.json.text): \(remarks.joined(separator: "; "))"
      text += route.map { "        \(quoted($0)),\(remark)\n" } ?? "        //\(remark.dropFirst(3))\n"
    }
    return text + "      ],\n"
  }

  /// The nearest route, and what it does not say; no route where the path has wildcards inside a segment.
  private static func route(for rule: RuleSettings) -> (route: String?, remarks: [String]) {
    var remarks: [String] = []
    if rule.query != nil { remarks.append("a route says nothing of the query") }
    if rule.fragment != nil { remarks.append("a route says nothing of the fragment") }
    if rule.caseSensitive == false { remarks.append("a route is case-sensitive") }
    if rule.percentEncoded == false { remarks.append("a route compares URLs as written") }
    let path = rule.path ?? "*"
    if path == "*" || path == "/*" { return ("/*", remarks) }
    var segments: [String] = []
    let parts = path.split(separator: "/").map(String.init)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      if part == "*", isLast {
        segments.append("*")
      } else if part == "*" || part == "?*" {
        segments.append(":p\(index + 1)")
        remarks.append("'*' matches several segments, ':p\(index + 1)' one")
      } else if part.contains(where: { "*?".contains($0) }) || part.contains("$(") || part.contains(":") {
        return (nil, remarks + ["no route says '\(part)'"])
      } else {
        segments.append(part)
      }
    }
    let text = "/" + segments.joined(separator: "/")
    do throws(Route.Problem) { _ = try Route(text) } catch {
      return (nil, remarks + [error.description])
    }
    return (text, remarks)
  }
}
