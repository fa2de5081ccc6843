internal import AppSiteAssociation
internal import AssociationCheck
internal import LinkspanCore

/// What the writer of a rule that cannot match may have meant.
struct RuleMending {
  private let variables: SubstitutionVariables

  init(of file: AssociationFile) {
    variables = SubstitutionVariables(file.appLinks?.substitutionVariables ?? [:])
  }

  /// A rule as a device compares it, and what is wrong with the one that was written, as words that go on after "the rule".
  struct Form {
    var settings: RuleSettings
    var reason: String

    /// Whether a path may match the rule that was written, although hardly any does (P11).
    var isRare: Bool { reason == RuleMending.wholeURL || reason == RuleMending.queryInPath }
  }

  /// - Parameter settings: With its defaults merged in.
  func forms(of settings: RuleSettings) -> [Form] {
    var forms: [Form] = []
    for (path, reason) in paths(settings) where path != settings.path {
      var mended = settings
      mended.path = path
      if let written = settings.path, written.hasPrefix(path + "?") {
        mended.query = Self.items(written.dropFirst(path.count + 1)) ?? mended.query
      }
      forms.append(Form(settings: rest(mended).settings, reason: reason))
    }
    let (mended, reason) = rest(settings)
    if let reason { forms.append(Form(settings: mended, reason: reason)) }
    return forms
  }

  /// The form of a rule that was meant for more than a path, and that no page's path matches therefore: a whole URL, or a
  /// path with a query (P11).
  func misplaced(_ settings: RuleSettings) -> Form? {
    guard let path = settings.path else { return nil }
    return forms(of: settings).first { form in
      form.reason == Self.wholeURL
        || form.reason == Self.queryInPath && AssociationRule.query(in: path) != nil
    }
  }

  private static let wholeURL = "is a whole URL, and a path is expected"
  private static let queryInPath = "has a query in its path, where '?' stands for one letter"

  // MARK: - Path

  private func paths(_ settings: RuleSettings) -> [(String, String)] {
    guard let path = settings.path else { return [] }
    var forms: [(String, String)] = []
    let url = LinkURL(path)
    if ["http", "https"].contains(url.scheme) {
      forms.append((url.text(of: url.path), Self.wholeURL))
    }
    let trimmed = String(path.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    forms.append((trimmed, "begins or ends with a blank, which no path does"))
    if !trimmed.hasPrefix("/"), let slash = trimmed.firstIndex(of: "/"), trimmed[..<slash].contains(".") {
      forms.append((String(trimmed[slash...]), "begins with a host, and a path is expected"))
    }
    if let mark = trimmed.firstIndex(of: "?"), trimmed[mark...].contains("=") {
      forms.append((String(trimmed[..<mark]), Self.queryInPath))
    }
    if let mark = trimmed.firstIndex(of: "#") {
      forms.append((String(trimmed[..<mark]), "has a fragment in its path"))
    }
    if let foreign = ForeignPattern(trimmed) { forms.append((foreign.meant, Self.reason(foreign.kind))) }
    return forms + texts(trimmed, settings)
  }

  private static func reason(_ kind: ForeignPattern.Kind) -> String {
    switch kind {
    case .placeholder: "has a router's placeholder; patterns have only '*', '?' and '$(name)'"
    case .expression: "is a regular expression; patterns have only '*', '?' and '$(name)'"
    case .backslash: "has '\\', and paths have '/'"
    }
  }

  /// The items of a query that was written into a path.
  private static func items(_ query: Substring) -> QueryPattern? {
    var node: [(String, JSON)] = []
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { node.append((String(parts[0]), .string(String(parts[1])))) }
    }
    let text = JSON.object([("?", .object(node))]).text
    return node.isEmpty ? nil : JSONParser.parse(Array(text.utf8)).root.flatMap { RuleSettings($0).query }
  }

  // MARK: - Any text

  /// A pattern in the letters that a device compares.
  private func texts(_ pattern: String, _ settings: RuleSettings) -> [(String, String)] {
    var forms: [(String, String)] = []
    let known = replaced(pattern)
    if let known { forms.append(known) }
    let text = known?.0 ?? pattern
    if settings.percentEncoded ?? true {
      let encoded = ASCII.percentEncoded(text.utf8) { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
      forms.append((encoded, "has letters that URLs have percent-encoded"))
    } else {
      let decoded = String(decoding: PercentEncoding.decode(Array(text.utf8)), as: UTF8.self)
      forms.append((decoded, "is percent-encoded, and 'percentEncoded' is false"))
    }
    return forms
  }

  /// The pattern with a wildcard for each variable without values.
  private func replaced(_ pattern: String) -> (String, String)? {
    var text = pattern
    var reason: String?
    for problem in PatternCompiler(variables: variables).problems(in: pattern) {
      switch problem {
      case .undefinedVariable(let name) where meant(name) != nil:
        text = text.replacing("$(\(name))", with: "$(\(meant(name) ?? name))")
        reason = "uses the variable '\(name)', whose name is in other letters"
      case .undefinedVariable(let name), .invalidVariableName(let name):
        text = text.replacing("$(\(name))", with: "*")
        reason = "uses the variable '\(name)', which the file does not define"
      case .emptyVariable(let name):
        text = text.replacing("$(\(name))", with: "*")
        reason = "uses the variable '\(name)', which has no values"
      case .unterminatedVariable:
        guard let start = text.firstRange(of: "$(") else { continue }
        text = text[..<start.lowerBound] + "*"
        reason = "has '$(' without ')'"
      }
    }
    return reason.map { (text, $0) }
  }

  /// The variable that differs from a name in upper and lower case only: names are always case-sensitive (S2).
  private func meant(_ name: String) -> String? {
    let names = variables.values.keys.map { $0.text } + PredefinedVariables.names
    return names.filter { ASCII.lowercased($0) == ASCII.lowercased(name) }.min()
  }

  // MARK: - Query and fragment

  /// The rule with query and fragment mended; no reason where they are as they should be.
  private func rest(_ settings: RuleSettings) -> (settings: RuleSettings, reason: String?) {
    var mended = settings
    var reason: String?
    func mend(_ text: String, _ delimiter: Character?) -> String {
      if let delimiter, text.first == delimiter {
        reason = "has '\(delimiter)' at the beginning of a pattern, which stands before the component"
        return String(text.dropFirst())
      }
      guard let form = texts(text, settings).first(where: { $0.0 != text }) else { return text }
      reason = form.1
      return form.0
    }
    mended.fragment = settings.fragment.map { mend($0, "#") }
    switch settings.query {
    case .whole(let pattern): mended.query = .whole(mend(pattern, "?"))
    case .items(let items):
      mended.query = .items(
        items.map { item in
          var item = item
          item.name = mend(item.name, "?")
          item.pattern = mend(item.pattern, nil)
          return item
        })
    case .ignored, nil: break
    }
    return (mended, reason)
  }
}
