internal import AppSiteAssociation
internal import AssetLinks
internal import AssociatedDomains
internal import AssociationCheck
internal import LinkspanCore

/// What may stand at a place of an association file or a statement list, with a sentence about each.
enum KeyGuide {
  struct Entry {
    var name: String
    var summary: String
    /// Numbers of the specification.
    var sources: [String] = []
    /// What is written behind the name and a colon; nil where a person has to say.
    var snippet: String?
  }

  private enum Place {
    case root, service, appLinks, details, entry, component, defaults, variables, query
    case statements, statement, target, extensions, oneExtension, dynamic
    case elsewhere
  }

  /// The keys of the object that a way leads to; empty where they are free, or none are known.
  static func keys(at path: [CursorPlace.Step], isStatements: Bool) -> [Entry] {
    switch place(of: path, isStatements) {
    case .root: AssociationKey.services.map(entry)
    case .service: AssociationKey.service.map(entry)
    case .appLinks: AssociationKey.appLinks.map(entry)
    case .entry: AssociationKey.entry.map(entry)
    case .component: AssociationKey.component.map(entry)
    case .defaults: AssociationKey.component.filter { isSetting($0) }.map(entry)
    case .statement: StatementKey.statement.map(entry)
    case .target: StatementKey.target.map(entry)
    case .extensions: Relation.known.map { Entry(name: $0, summary: "A relation of the statement.") }
    case .oneExtension:
      [
        Entry(
          name: StatementKey.dynamicComponents,
          summary: "Rules for Android 15 and later, like Apple's components.")
      ]
    case .dynamic:
      AssociationKey.component.filter { StatementKey.dynamicComponentKeys.contains($0.name) }.map(entry)
    case .details, .variables, .query, .statements, .elsewhere: []
    }
  }

  /// What a key of the object means; nil for a free or unknown one.
  static func entry(_ name: String, at path: [CursorPlace.Step], isStatements: Bool) -> Entry? {
    let known = keys(at: path, isStatements: isStatements)
    // A setting that is none in "defaults" is a component key all the same.
    let all = place(of: path, isStatements) == .defaults ? AssociationKey.component.map(entry) : known
    return all.first { $0.name == name }
  }

  /// The values that a key takes, as they are written; strings with their marks.
  static func values(of key: String, at path: [CursorPlace.Step], isStatements: Bool, in root: JSONNode?)
    -> [Entry]
  {
    switch (place(of: path, isStatements), key) {
    case (.component, "exclude"), (.component, "caseSensitive"), (.component, "percentEncoded"),
      (.defaults, "caseSensitive"), (.defaults, "percentEncoded"), (.dynamic, "exclude"):
      return ["true", "false"].map { Entry(name: $0, summary: "") }
    case (.entry, "appID"), (.entry, "appIDs"), (.service, "apps"):
      return applications(in: root).map { Entry(name: quoted($0), summary: "Named elsewhere in this file.") }
    case (.statement, "relation"):
      return Relation.known.map { Entry(name: quoted($0), summary: "") }
    case (.target, "namespace"):
      return [
        Entry(name: quoted("android_app"), summary: "An app."),
        Entry(name: quoted("web"), summary: "A website."),
      ]
    default: return []
    }
  }

  /// Whether a pattern stands there, in which variables may be used.
  static func isPattern(_ key: String?, at path: [CursorPlace.Step]) -> Bool {
    switch place(of: path, false) {
    case .component, .defaults: key == "/" || key == "#" || key == "?"
    case .query: true
    case .entry: key == "paths"
    default: false
    }
  }

  /// Substitution variables that a pattern may use: the predefined ones and those of the file.
  static func variables(in root: JSONNode?) -> [Entry] {
    let own = (root?["applinks"]?["substitutionVariables"]?.object ?? []).map { member in
      let values = (member.value.array ?? []).compactMap { $0.string }
      return Entry(
        name: member.name,
        summary: "Defined in this file: " + values.prefix(8).joined(separator: ", ")
          + (values.count > 8 ? ", …" : "") + ".", sources: ["S4"])
    }
    let predefined = predefinedVariables.filter { entry in !own.contains { $0.name == entry.name } }
    return own + predefined
  }

  private static let predefinedVariables = [
    Entry(name: "lang", summary: "Any ISO 639 language code, such as 'de'.", sources: ["S4"]),
    Entry(name: "region", summary: "Any ISO 3166 region code, such as 'DE'.", sources: ["S4"]),
    Entry(name: "alpha", summary: "One letter, a to z or A to Z.", sources: ["S4"]),
    Entry(name: "upper", summary: "One upper-case letter, A to Z.", sources: ["S4"]),
    Entry(name: "lower", summary: "One lower-case letter, a to z.", sources: ["S4"]),
    Entry(name: "alnum", summary: "One letter or digit.", sources: ["S4"]),
    Entry(name: "digit", summary: "One digit, 0 to 9.", sources: ["S4"]),
    Entry(name: "xdigit", summary: "One hexadecimal digit.", sources: ["S4"]),
  ]

  // MARK: - Places

  private static func place(of path: [CursorPlace.Step], _ isStatements: Bool) -> Place {
    path.reduce(isStatements ? .statements : .root) { place, step in
      switch (place, step) {
      case (.root, .key("applinks")): .appLinks
      case (.root, .key(let name)) where Service(rawValue: name) != nil: .service
      case (.appLinks, .key("details")): .details
      case (.appLinks, .key("defaults")), (.entry, .key("defaults")): .defaults
      case (.appLinks, .key("substitutionVariables")): .variables
      // An index, or in the obsolete form an application identifier.
      case (.details, _): .entry
      // Elements of lists are told from the entry itself by their index.
      case (.entry, .key("components")): .entry
      case (.entry, .index): .component
      case (.component, .key("?")), (.defaults, .key("?")): .query
      case (.statements, .index): .statement
      case (.statement, .key("target")): .target
      case (.statement, .key("relation_extensions")): .extensions
      case (.extensions, .key): .oneExtension
      case (.oneExtension, .key(StatementKey.dynamicComponents)): .oneExtension
      case (.oneExtension, .index): .dynamic
      default: .elsewhere
      }
    }
  }

  private static func isSetting(_ key: AssociationKey) -> Bool {
    if case .flag = key.value { key.name != "exclude" } else { false }
  }

  private static func entry(_ key: AssociationKey) -> Entry {
    let snippet: String? =
      switch key.value {
      case .applications, .paths, .components, .entries: "[]"
      case .service: "{\"apps\": []}"
      case .appLinks: "{\"details\": []}"
      case .defaults, .variables: "{}"
      case .pattern, .application, .remark: "\"\""
      case .flag: "true"
      case .query: nil
      }
    return Entry(name: key.name, summary: key.summary, sources: key.sources, snippet: snippet)
  }

  private static func entry(_ key: StatementKey) -> Entry {
    let snippet: String? =
      switch key.value {
      case .relations: "[\"\(Relation.handleAllURLs)\"]"
      case .target, .extensions: "{}"
      case .fingerprints: "[]"
      case .url, .packageName, .site: "\"\""
      case .namespace: "\"android_app\""
      }
    return Entry(name: key.name, summary: key.summary, sources: ["D3"], snippet: snippet)
  }

  private static func applications(in root: JSONNode?) -> [String] {
    guard let root, let file = AssociationFile(root) else { return [] }
    return file.allApplications.filter { $0.contains(".") }.sorted()
  }

  private static func quoted(_ text: String) -> String { JSON.string(text).text }
}
