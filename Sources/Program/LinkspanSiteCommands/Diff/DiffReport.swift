internal import AppSiteAssociation
internal import AssociatedDomains
import AssociationCheck
internal import LinkspanCommand
internal import LinkspanCore

/// A comparison in the forms that people and programs read.
struct DiffReport {
  let comparison: FileComparison
  private let files: DiffFiles

  var isEqual: Bool { comparison.isEqual }
  var oldName: String { files.old.text.name }
  var newName: String { files.new.text.name }

  /// What `--os` named.
  private let named: ReleaseSet?

  init(_ comparison: FileComparison, _ files: DiffFiles, named: ReleaseSet?) {
    self.comparison = comparison
    self.files = files
    self.named = named
  }

  // MARK: - JSON

  var json: JSON {
    .object([
      ("type", .string("diff")), ("changes", .array(comparison.changes.map(json))),
      ("decided", .bool(comparison.undecided.isEmpty)),
      ("not_decided", .array(comparison.undecided.map(JSON.string))),
      ("truncated", .bool(comparison.isCutShort)),
      (
        "precedence",
        .array(
          comparison.precedence.map { change in
            .object([
              ("url", .string(change.url)), ("old", .string(change.old)), ("new", .string(change.new)),
              ("releases", change.releases?.json ?? .null),
            ])
          })
      ),
      (
        "services",
        .array(
          comparison.services.map { change in
            .object([
              ("service", .string(change.service.rawValue)),
              ("added", .array(change.added.map(JSON.string))),
              ("removed", .array(change.removed.map(JSON.string))),
            ])
          })
      ),
    ])
  }

  /// The releases of a change, where it does not hold for all that count without `--os`.
  func releases(of change: FileComparison.Change) -> String? { change.releases?.name ?? named?.name }

  private func json(_ change: FileComparison.Change) -> JSON {
    func side(_ side: FileComparison.Side) -> JSON {
      .object([
        ("decision", .string(side.decision.verdict.rawValue)), ("entry", .init(side.decision.entry)),
        ("rule", .init(side.decision.rule)), ("settings", side.settings?.json ?? .null),
      ])
    }
    return .object([
      ("url", .string(change.url)), ("app", .string(change.app)),
      ("os", .init(named.flatMap { _ in change.releases?.only })),
      ("releases", change.releases?.json ?? .null),
      ("old", side(change.old)), ("new", side(change.new)),
    ])
  }

  // MARK: - Text

  /// Changes of the same rules for several apps are told together.
  struct Group {
    var change: FileComparison.Change
    var apps: [String]
  }

  var groups: [Group] {
    var groups: [Group] = []
    var places: [FileComparison.Change: Int] = [:]
    for change in comparison.changes {
      var key = change
      key.app = ""
      if let place = places[key] {
        groups[place].apps.append(change.app)
      } else {
        places[key] = groups.count
        groups.append(Group(change: change, apps: [change.app]))
      }
    }
    return groups
  }

  /// Who opens a URL that two apps match, as a sentence behind it.
  func words(_ change: FileComparison.PrecedenceChange) -> String {
    let release = (change.releases?.name ?? named?.name).map { ", on \($0)" } ?? ""
    return
      "where both apps are installed, \(change.new) opens it, and before it \(change.old)\(release) [J12]"
  }

  static func words(_ verdict: Decision.Verdict) -> String {
    switch verdict {
    case .match: "opens the app"
    case .excluded: "is excluded"
    case .noMatch: "matches no rule"
    }
  }

  static func rule(_ side: FileComparison.Side) -> String {
    guard let entry = side.decision.entry else { return "no rule" }
    let place = side.decision.rule.map { "entry \(entry), rule \($0)" } ?? "entry \(entry)"
    return place + (side.settings.map { " \($0.json.text)" } ?? "")
  }

  func text(_ style: TextStyle) -> String {
    var text = ""
    for group in groups {
      let change = group.change
      let release = releases(of: change).map { ", on \($0)" } ?? ""
      text += "\(change.url)  \(group.apps.joined(separator: ", "))".onOneLine + "\(release)\n"
      for (name, side, colour) in [("old", change.old, TextStyle.Colour.red), ("new", change.new, .green)] {
        text +=
          "  \(style.paint(name, colour)): \(Self.words(side.decision.verdict)) (\(Self.rule(side).onOneLine))\n"
      }
    }
    for change in comparison.precedence { text += "\(change.url): \(words(change))".onOneLine + "\n" }
    for change in comparison.services {
      for app in change.added { text += "\(change.service.rawValue): \(app.onOneLine) is new\n" }
      for app in change.removed { text += "\(change.service.rawValue): \(app.onOneLine) is gone\n" }
    }
    for clause in comparison.undecided { text += "not decided: \(clause.onOneLine)\n" }
    return text + summary + "\n"
  }

  var summary: String {
    if comparison.isEqual {
      let releases = (named ?? .standard).name
      return "Equal meaning: every URL that a device can hold is decided as before on \(releases)."
    }
    var parts: [String] = []
    let count = groups.count
    if count > 0 {
      parts.append(
        "\(count)\(comparison.isCutShort ? " or more" : "") "
          + (count == 1 && !comparison.isCutShort ? "group of URLs changed" : "groups of URLs changed"))
    }
    if !comparison.precedence.isEmpty {
      parts.append(
        "\(comparison.precedence.count.counted("pair")) of apps "
          + (comparison.precedence.count == 1 ? "has" : "have") + " another order")
    }
    if !comparison.services.isEmpty {
      parts.append(parts.isEmpty ? "Other services changed" : "other services changed")
    }
    if !comparison.undecided.isEmpty {
      parts.append("\(comparison.undecided.count) not decided within the bound on the work")
    }
    return parts.joined(separator: "; ") + "."
  }

  // MARK: - Markdown

  /// For the comment on a pull request.
  var markdown: String {
    var text = "### Universal links: \(Markdown.code(files.new.text.name))\n\n\(summary)\n"
    if !groups.isEmpty {
      text += "\n| URL | app | before | after |\n| --- | --- | --- | --- |\n"
      for group in groups {
        let change = group.change
        func cell(_ side: FileComparison.Side) -> String {
          "\(Self.words(side.decision.verdict)): \(Markdown.code(Self.rule(side)))"
        }
        let apps = group.apps.map(Markdown.code).joined(separator: ", ")
        let release = releases(of: change).map { ", \($0)" } ?? ""
        text +=
          "| \(Markdown.code(change.url)) | \(apps)\(release) | \(cell(change.old)) | \(cell(change.new)) |\n"
      }
    }
    for change in comparison.precedence {
      text += "\n- \(Markdown.code("\(change.url): \(words(change))"))"
    }
    for change in comparison.services {
      for app in change.added { text += "\n- `\(change.service.rawValue)`: \(Markdown.code(app)) is new" }
      for app in change.removed { text += "\n- `\(change.service.rawValue)`: \(Markdown.code(app)) is gone" }
    }
    for clause in comparison.undecided { text += "\n- Not decided: \(Markdown.code(clause))" }
    return text.hasSuffix("\n") ? text : text + "\n"
  }

  // MARK: - GitHub

  /// Each change at the rule of the new file that decides, else at the top of the file.
  var gitHubAnnotations: String {
    var findings = groups.map { group in
      let change = group.change
      let release = releases(of: change).map { " on \($0)" } ?? ""
      return Finding(
        rule: "diff.changed", severity: .warning, at: location(change.new),
        message:
          "for \(group.apps.joined(separator: ", "))\(release), \(change.url) "
          + "\(Self.words(change.new.decision.verdict)), and before it \(Self.words(change.old.decision.verdict))",
        help: "Before: \(Self.rule(change.old)). After: \(Self.rule(change.new)).")
    }
    findings += comparison.precedence.map {
      Finding(
        rule: "diff.precedence", severity: .warning, at: .init(file: files.new.text.name),
        message: "\($0.url): \(words($0))")
    }
    findings += comparison.undecided.map {
      Finding(
        rule: "diff.not-decided", severity: .warning, at: .init(file: files.new.text.name),
        message: "not decided: \($0)")
    }
    let report = CheckReport(
      tool: (name: "linkspan", version: Program.version), files: [files.new.text.name], findings: findings,
      notChecked: [], rules: [])
    return report.gitHubAnnotations + "::notice title=linkspan diff::\(summary)\n"
  }

  private func location(_ side: FileComparison.Side) -> Finding.Location {
    let details = files.new.source.content.document.root?["applinks"]?["details"]
    guard let entry = side.decision.entry else { return .init(file: files.new.text.name) }
    var node = details?.array.flatMap { $0.indices.contains(entry) ? $0[entry] : nil }
    if let rule = side.decision.rule {
      let rules = (node?["components"] ?? node?["paths"])?.array
      node = rules.flatMap { $0.indices.contains(rule) ? $0[rule] : nil } ?? node
    }
    return node.map { Finding.Location(files.new.text, $0.range) } ?? .init(file: files.new.text.name)
  }
}
