package import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

/// An association file as its author wrote it, with ways to walk what the rules look at.
package struct AssociationSource: Sendable {
  package let text: SourceText
  package let content: AssociationContent
  /// The defaults of both levels, and the components. Many rules look at these and at the patterns, so both
  /// are collected once.
  private(set) var ruleObjects: [RuleObject] = []
  /// Every pattern of the file: in paths, components and defaults.
  private(set) var patterns: [PatternText] = []
  /// What the tree says, also after mistakes in its syntax.
  let association: AssociationFile?
  /// Whether the file has more bytes than were to be read, so that nothing is known of its content.
  package let isTooLarge: Bool

  /// The tree as far as it could be read, also after mistakes in its syntax.
  var root: JSONNode? { content.document.root }

  /// Part of another file, whose nodes and places it keeps.
  init(_ text: SourceText, root: JSONNode) {
    self.text = text
    content = AssociationContent(json: text.bytes, document: JSONDocument(root: root, errors: []))
    isTooLarge = false
    association = content.file
    ruleObjects = collectedRuleObjects
    patterns = collectedPatterns
  }

  /// - Parameter sizeLimitBytes: A larger file is not read at all; only its size is known then. The default is what
  ///   a device takes (R4).
  package init(_ text: SourceText, sizeLimitBytes: Int = AssociationLocation.maximumFileBytes) {
    isTooLarge = text.bytes.count > sizeLimitBytes
    content =
      isTooLarge
      ? AssociationContent(unread: text.bytes, limitBytes: sizeLimitBytes) : AssociationContent(text.bytes)
    // Places inside a signed file are places in what was signed.
    self.text =
      content.format == .signed ? SourceText(name: text.name, bytes: content.json) : text
    association = content.file ?? content.document.root.flatMap(AssociationFile.init)
    ruleObjects = collectedRuleObjects
    patterns = collectedPatterns
  }

  /// The bytes the author published, signature included.
  package var publishedBytes: Int { text.bytes.count }

  // MARK: - Walking

  typealias Entry = AppLinks.Entry

  /// The elements of `details` that are objects.
  var entries: [Entry] { association?.appLinks?.entries ?? [] }

  /// An element of `components` or `paths`.
  struct Rule {
    var entry: Entry
    var node: JSONNode
    var pointer: JSONPointer
    var index: Int
    var isPath: Bool
  }

  /// An object with the keys of a rule.
  struct RuleObject {
    var node: JSONNode
    var pointer: JSONPointer
    /// What holds in it: its own, and what it inherits.
    var settings: RuleSettings
    /// Whether it is an element of `components`, and not defaults.
    var isComponent: Bool
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

    var isExclusionWithTwoBlanks: Bool { isLegacyPath && node.string?.hasPrefix("NOT  ") == true }

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

  /// Every list of application identifiers: "apps" of a service, "appIDs" of an entry.
  var applicationLists: [(node: JSONNode?, pointer: JSONPointer)] {
    Service.allCases.filter { $0 != .applinks }.map { service in
      (root?[service.rawValue]?["apps"], JSONPointer().appending(service.rawValue).appending("apps"))
    } + entries.map { ($0.node["appIDs"], $0.pointer.appending("appIDs")) }
  }

  /// An application identifier with the place it is written at.
  struct Identifier {
    var text: String
    /// With its quotation marks.
    var range: Range<Int>
    var pointer: JSONPointer
    var service: Service
  }

  /// Every application identifier of the file: in the lists, as "appID" and as a key of `details`.
  var applicationIdentifiers: [Identifier] {
    var all: [Identifier] = []
    func add(_ node: JSONNode?, _ pointer: JSONPointer, _ service: Service) {
      guard let node, let text = node.string else { return }
      all.append(Identifier(text: text, range: node.range, pointer: pointer, service: service))
    }
    for service in Service.allCases where service != .applinks {
      let pointer = JSONPointer().appending(service.rawValue).appending("apps")
      for (index, node) in (root?[service.rawValue]?["apps"]?.array ?? []).enumerated() {
        add(node, pointer.appending(index), service)
      }
    }
    for entry in entries {
      if let key = entry.key {
        all.append(
          Identifier(text: key.name, range: key.nameRange, pointer: entry.pointer, service: .applinks))
      }
      let pointer = entry.pointer.appending("appIDs")
      for (index, node) in (entry.node["appIDs"]?.array ?? []).enumerated() {
        add(node, pointer.appending(index), .applinks)
      }
      add(entry.node["appID"], entry.pointer.appending("appID"), .applinks)
    }
    return all
  }

  private var collectedRuleObjects: [RuleObject] {
    var objects: [RuleObject] = []
    func add(_ node: JSONNode, _ pointer: JSONPointer, _ settings: RuleSettings, isComponent: Bool) {
      objects.append(RuleObject(node: node, pointer: pointer, settings: settings, isComponent: isComponent))
    }
    if let (appLinks, base) = appLinks, let node = appLinks["defaults"] {
      add(node, base.appending("defaults"), domainDefaults, isComponent: false)
    }
    for entry in entries {
      let defaults = entry.defaults.over(domainDefaults)
      if let node = entry.node["defaults"] {
        add(node, entry.pointer.appending("defaults"), defaults, isComponent: false)
      }
      let components = entry.pointer.appending("components")
      for rule in entry.components ?? [] {
        add(rule.node, components.appending(rule.index), rule.settings.over(defaults), isComponent: true)
      }
    }
    return objects
  }

  var domainDefaults: RuleSettings { association?.appLinks?.defaults ?? RuleSettings() }

  var variables: [ExactText: [String]] { association?.appLinks?.substitutionVariables ?? [:] }

  private var collectedPatterns: [PatternText] {
    var patterns: [PatternText] = []
    for object in ruleObjects { collect(object, into: &patterns) }
    for entry in entries {
      let defaults = entry.defaults.over(domainDefaults)
      for path in paths(of: entry) {
        guard let text = path.node.string else { continue }
        let settings = AppLinks.Path(index: path.index, text: text).settings
        patterns.append(
          PatternText(
            text: settings.path ?? "", node: path.node, pointer: path.pointer, component: .path,
            settings: settings.over(defaults), isLegacyPath: true))
      }
    }
    return patterns
  }

  private func collect(_ object: RuleObject, into patterns: inout [PatternText]) {
    for component in URLComponent.allCases {
      guard let value = object.node[component.rawValue] else { continue }
      let place = object.pointer.appending(component.rawValue)
      func add(_ node: JSONNode, _ pointer: JSONPointer, isWholeQuery: Bool = false) {
        guard let text = node.string else { return }
        patterns.append(
          PatternText(
            text: text, node: node, pointer: pointer, component: component, settings: object.settings,
            isLegacyPath: false, rule: object.isComponent ? object.node : nil, isWholeQuery: isWholeQuery))
      }
      add(value, place, isWholeQuery: component == .query)
      if component == .query {
        for member in value.object ?? [] { add(member.value, place.appending(member.name)) }
      }
    }
  }
}

extension AppLinks.Entry {
  /// Its place in the file.
  var pointer: JSONPointer {
    let details = JSONPointer().appending("applinks").appending("details")
    return key.map { details.appending($0.name) } ?? details.appending(index)
  }
}
