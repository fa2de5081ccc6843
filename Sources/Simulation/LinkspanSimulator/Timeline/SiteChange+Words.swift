internal import AppSiteAssociation
internal import LinkspanCore
import SimulatedDevices

extension SiteChange {
  /// Ours: more rules are counted, not listed, so that the words fit beside a mark.
  static let ruleLimit = 3

  /// What is different now, as the predicate of a sentence about the host: `adds /frames/*`.
  package var words: String {
    guard let new = after.documents.first else { return "removes its files" }
    if let target = new.location { return "redirects (\(new.status)) to \(target)" }
    guard new.status == 200 else { return "answers \(new.status)" }
    guard let rules = Self.rules(new) else {
      return "serves \(new.body.count.counted("byte")) that are not an association file"
    }
    guard let old = before?.documents.first(where: { $0.path == new.path }), old.status == 200,
      let former = Self.rules(old)
    else { return "publishes a file with \(rules.count) \(rules.count == 1 ? "rule" : "rules")" }
    let changes =
      rules.filter { !former.contains($0) }.map { "adds \($0)" }
      + former.filter { !rules.contains($0) }.map { "removes \($0)" }
    if changes.isEmpty { return former == rules ? "publishes the same rules" : "reorders its rules" }
    let rest = changes.count - Self.ruleLimit
    return changes.prefix(Self.ruleLimit).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more changes" : "")
  }

  /// The rules of a document, app by app; nil when it is no association file.
  private static func rules(_ document: Site.Document) -> [String]? {
    guard let file = AssociationContent(document.body).file else { return nil }
    guard let appLinks = file.appLinks else { return [] }
    return appLinks.entries.flatMap { entry -> [String] in
      if let paths = entry.paths, entry.components == nil { return paths.map(\.text) }
      let defaults = entry.defaults.over(appLinks.defaults)
      return entry.components?.map { text(of: $0.settings.over(defaults)) } ?? ["every URL"]
    }
  }

  /// As in the old form where that says it all: `NOT /pay/*`.
  private static func text(of rule: RuleSettings) -> String {
    guard let path = rule.path else { return rule.json.text }
    var plain = RuleSettings()
    plain.path = path
    if rule == plain { return path }
    plain.exclude = rule.exclude
    guard rule == plain else { return rule.json.text }
    return rule.exclude == true ? "NOT \(path)" : path
  }
}
