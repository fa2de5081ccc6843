package import LinkspanCore

/// An association file as its author wrote it, with ways to walk what the rules look at.
package struct AssociationSource: Sendable {
  package let text: SourceText
  package let content: AssociationContent
  /// Every pattern of the file: in paths, components and defaults. Many rules look at them, so they are
  /// collected once.
  private(set) var patterns: [PatternText] = []

  /// The tree as far as it could be read, also after mistakes in its syntax.
  var root: JSONNode? { content.document.root }

  /// Part of another file, whose nodes and places it keeps.
  init(_ text: SourceText, root: JSONNode) {
    self.text = text
    content = AssociationContent(json: text.bytes, document: JSONDocument(root: root, errors: []))
    patterns = collectedPatterns
  }

  package init(_ text: SourceText) {
    content = AssociationContent(text.bytes)
    // Places inside a signed file are places in what was signed.
    self.text =
      content.format == .signed ? SourceText(name: text.name, bytes: content.json) : text
    patterns = collectedPatterns
  }

  /// The bytes the author published, signature included.
  package var publishedBytes: Int { text.bytes.count }

  // MARK: - Walking

  /// An entry of `details`, in either form.
  struct Entry {
    var node: JSONNode
    var pointer: JSONPointer
    var index: Int
    /// The member's name in the obsolete object form.
    var key: JSONMember?
  }

  /// An element of `components` or `paths`.
  struct Rule {
    var entry: Entry
    var node: JSONNode
    var pointer: JSONPointer
    var index: Int
    var isPath: Bool
  }

  /// A pattern with the place it is written at.
  struct PatternText {
    /// Without `NOT `.
    var text: String
    var node: JSONNode
    var pointer: JSONPointer
    var component: URLComponent
    /// What holds for the rule it stands in.
    var settings: RuleSettings
    var isLegacyPath: Bool

    var isExclusionWithTwoBlanks: Bool { isLegacyPath && text.hasPrefix(" ") }

    /// Whether it is an attempt to exclude, right or wrong, which a rule of its own speaks about.
    var looksLikeExclusion: Bool {
      isExclusionWithTwoBlanks || ASCII.lowercased(text).hasPrefix("not ") || text.hasPrefix("NOT/")
    }
    /// The element of `components` it stands in.
    var rule: JSONNode?
    /// Whether it stands for a whole query and not for one item of it.
    var isWholeQuery = false
  }

  var appLinks: (node: JSONNode, pointer: JSONPointer)? {
    guard let node = root?["applinks"], node.object != nil else { return nil }
    return (node, JSONPointer().appending("applinks"))
  }

  var entries: [Entry] {
    guard let (appLinks, base) = appLinks else { return [] }
    let pointer = base.appending("details")
    switch appLinks["details"]?.value {
    case .array(let elements):
      return elements.enumerated().compactMap { index, node in
        node.object == nil
          ? nil : Entry(node: node, pointer: pointer.appending(index), index: index, key: nil)
      }
    case .object(let members):
      return members.enumerated().compactMap { index, member in
        member.value.object == nil
          ? nil
          : Entry(node: member.value, pointer: pointer.appending(member.name), index: index, key: member)
      }
    default: return []
    }
  }

  func components(of entry: Entry) -> [Rule] { rules(of: entry, under: "components") }

  func paths(of entry: Entry) -> [Rule] { rules(of: entry, under: "paths") }

  private func rules(of entry: Entry, under key: String) -> [Rule] {
    let pointer = entry.pointer.appending(key)
    return (entry.node[key]?.array ?? []).enumerated().map { index, node in
      Rule(entry: entry, node: node, pointer: pointer.appending(index), index: index, isPath: key == "paths")
    }
  }

  /// The apps an entry names, as iOS 13 and later read it (J6), with their places.
  func applications(of entry: Entry) -> [(text: String, node: JSONNode?)] {
    if let key = entry.key { return [(key.name, nil)] }
    let nodes = entry.node["appIDs"].map { $0.array ?? [] } ?? entry.node["appID"].map { [$0] } ?? []
    return nodes.compactMap { node in node.string.map { ($0, node) } }
  }

  /// Every object with the keys of a rule: the defaults of both levels, and components.
  var settingsNodes: [(node: JSONNode, pointer: JSONPointer)] {
    var nodes: [(JSONNode, JSONPointer)] = []
    if let (appLinks, base) = appLinks, let node = appLinks["defaults"] {
      nodes.append((node, base.appending("defaults")))
    }
    for entry in entries {
      if let node = entry.node["defaults"] { nodes.append((node, entry.pointer.appending("defaults"))) }
      nodes += components(of: entry).filter { $0.node.object != nil }.map { ($0.node, $0.pointer) }
    }
    return nodes
  }

  var domainDefaults: RuleSettings { appLinks?.node["defaults"].map(RuleSettings.init) ?? RuleSettings() }

  var variables: [String: [String]] { appLinks.flatMap { AppLinks($0.node) }?.substitutionVariables ?? [:] }

  private var collectedPatterns: [PatternText] {
    var patterns: [PatternText] = []
    let domain = domainDefaults
    if let (appLinks, base) = appLinks, let node = appLinks["defaults"] {
      collect(node, base.appending("defaults"), settings: domain, into: &patterns)
    }
    for entry in entries {
      let defaults = (entry.node["defaults"].map(RuleSettings.init) ?? RuleSettings()).over(domain)
      if let node = entry.node["defaults"] {
        collect(node, entry.pointer.appending("defaults"), settings: defaults, into: &patterns)
      }
      for path in paths(of: entry) {
        guard let text = path.node.string else { continue }
        let settings = AppLinks.Path(index: path.index, text: text).settings
        patterns.append(
          PatternText(
            text: settings.path ?? "", node: path.node, pointer: path.pointer, component: .path,
            settings: settings.over(defaults), isLegacyPath: true))
      }
      for rule in components(of: entry) where rule.node.object != nil {
        collect(
          rule.node, rule.pointer, settings: RuleSettings(rule.node).over(defaults), rule: rule.node,
          into: &patterns)
      }
    }
    return patterns
  }

  private func collect(
    _ node: JSONNode, _ pointer: JSONPointer, settings: RuleSettings, rule: JSONNode? = nil,
    into patterns: inout [PatternText]
  ) {
    for component in URLComponent.allCases {
      guard let value = node[component.rawValue] else { continue }
      let place = pointer.appending(component.rawValue)
      func add(_ node: JSONNode, _ pointer: JSONPointer, isWholeQuery: Bool = false) {
        guard let text = node.string else { return }
        patterns.append(
          PatternText(
            text: text, node: node, pointer: pointer, component: component, settings: settings,
            isLegacyPath: false, rule: rule, isWholeQuery: isWholeQuery))
      }
      add(value, place, isWholeQuery: component == .query)
      if component == .query {
        for member in value.object ?? [] { add(member.value, place.appending(member.name)) }
      }
    }
  }
}
