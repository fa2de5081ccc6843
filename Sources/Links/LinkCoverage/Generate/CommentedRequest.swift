package import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

/// A commented configuration for `generate`, made from an association file.
package struct CommentedRequest {
  package private(set) var text = ""
  /// What the configuration does not carry: each a sentence, with a URL where one shows it.
  package private(set) var losses: [String] = []
  /// Whether no app is left, so that `generate` refuses the configuration.
  package private(set) var isEmpty = true

  private let variables: SubstitutionVariables
  /// The lists of each kind of application, made once.
  private var known: [[UInt8]: String] = [:]
  private var budget = WorkBudget(steps: WorkLimits.generation)

  /// - Parameter name: The file, for the first line.
  package init(_ file: AssociationFile, from name: String) {
    let links = file.appLinks
    variables = SubstitutionVariables(links?.substitutionVariables ?? [:])
    var apps: [String] = []
    var rules: [String: [RuleSettings]] = [:]
    for entry in links?.entries ?? [] {
      let own = Self.rules(of: entry, links)
      for app in entry.applications(on: nil) {
        if rules[app] == nil { apps.append(app) }
        rules[app, default: []] += own
      }
    }
    if links?.entries.contains(where: { $0.components == nil && $0.paths != nil }) ?? false {
      losses.append(
        "The file speaks to iOS 12 and older with 'paths'; 'linkspan generate' writes for iOS 13 and later.")
    }
    var body = ""
    for app in apps { body += application(app, rules[app] ?? []) }
    let services = Service.allCases.filter { $0 != .applinks }.map { self.services($0, file) }.joined()
    var head = "// Apps, routes and exclusions for 'linkspan generate', from \(Self.shown(name)).\n"
    head +=
      "// ':name' is one segment, a last '*' anything below. An exclusion wins over every route, whatever their order; of\n"
      + "// 'rules' the first that holds decides.\n"
    for loss in losses { head += "// \(loss)\n" }
    head += "{\n  // The host adds the entitlement lines.\n  // host: \"example.com\",\n"
    let used: [String] = rules.values.joined().flatMap { $0.patterns }
    let lists = variables.values.filter { list in
      let name = list.key.text
      return !name.isEmpty && !name.contains { "$()".contains($0) }
        && used.contains { $0.contains("$(\(name))") }
    }
    if !lists.isEmpty {
      head += "  substitutionVariables: {\n"
      for (name, values) in lists.sorted(by: { $0.key.text < $1.key.text }) {
        head += "    \(Self.quoted(name.text)): \(JSON.oneLine(JSON.array(values.map(JSON.string)).text)),\n"
      }
      head += "  },\n"
    }
    isEmpty = body.isEmpty && services.isEmpty
    text = head + services + "  apps: [\n" + body + "  ],\n}\n"
  }

  private static func rules(of entry: AppLinks.Entry, _ links: AppLinks?) -> [RuleSettings] {
    let rules =
      entry.components.map { $0.map { $0.settings } } ?? entry.paths.map { $0.map { $0.settings } } ?? [
        RuleSettings()
      ]
    return rules.map { $0.over(entry.defaults.over(links?.defaults ?? RuleSettings())).plain }
  }

  // MARK: - Texts that stay on their line

  /// A string in quotation marks; what ends a line in JSON5 is escaped too.
  private static func quoted(_ text: String) -> String { JSON.oneLine(JSON.string(text).text) }

  /// The same without the quotation marks, for comments.
  private static func shown(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }

  // MARK: - Applications

  /// Whether `generate` takes an identifier: not one that `check` calls an error. What is wrong with it is told.
  private mutating func takes(_ id: String, for what: String) -> Bool {
    do throws(ApplicationIdentifierProblem) {
      _ = try ApplicationIdentifier(id)
    } catch {
      let message = Self.shown(error.message)
      guard error.severity != .error else {
        lose("Without \(what) '\(Self.shown(id))': \(message)")
        return false
      }
      lose("'linkspan check' has a remark on the identifier '\(Self.shown(id))': \(message)")
    }
    return true
  }

  private mutating func services(_ service: Service, _ file: AssociationFile) -> String {
    var apps: [String] = []
    for app in file.apps[service] ?? [] {
      if takes(app, for: "the app of '\(service.rawValue)',"), !apps.contains(app) { apps.append(app) }
    }
    guard !apps.isEmpty else { return "" }
    return "  \(service.rawValue): \(JSON.oneLine(JSON.array(apps.map(JSON.string)).text)),\n"
  }

  private mutating func lose(_ sentence: String) {
    if !losses.contains(sentence) { losses.append(sentence) }
  }

  private mutating func application(_ app: String, _ rules: [RuleSettings]) -> String {
    guard takes(app, for: "the rules of") else { return "" }
    guard !rules.isEmpty else {
      lose("Without '\(Self.shown(app))', which has no rules and opens nothing.")
      return ""
    }
    let key = JSON.array(rules.map { $0.json }).bytes
    let lists: String
    if let earlier = known[key] {
      lists = earlier
    } else {
      let own = CommentedRules(rules, variables, &budget)
      for loss in own.losses { lose(loss) }
      lists = own.text
      known[key] = lists
    }
    return "    {\n      id: \(Self.quoted(app)),\n\(lists)    },\n"
  }
}
