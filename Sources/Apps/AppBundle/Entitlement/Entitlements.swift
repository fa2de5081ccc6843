package import LinkspanCore

/// What an entitlements file (`.entitlements`, `.xcent`), or an Expo configuration in its place, says about links,
/// identity and signing.
package struct Entitlements: Sendable {
  /// One element of `com.apple.developer.associated-domains`, as it was written.
  package struct DomainText: Sendable {
    package let text: String
    /// RFC 6901 pointer to the element.
    package let pointer: String
    /// The bytes of the text in the source.
    let contentRange: Range<Int>
    /// Whether the text's bytes are in the source one by one: no entities, no escapes, no binary form.
    let isVerbatim: Bool
  }

  /// The file all of it was read from.
  enum Origin: Sendable {
    case propertyList(PropertyListDocument)
    case json(SourceText)

    var source: SourceText {
      switch self {
      case .propertyList(let document): document.source
      case .json(let source): source
      }
    }

    func location(of range: Range<Int>, pointer: String?) -> Finding.Location {
      switch self {
      case .propertyList(let document): document.location(of: range, pointer: pointer)
      case .json(let source): Finding.Location(source, range, pointer: pointer)
      }
    }
  }

  package static let associatedDomainsKey = "com.apple.developer.associated-domains"
  static let browserKey = "com.apple.developer.web-browser"
  static let onDemandKey = "com.apple.developer.on-demand-install-capable"
  static let parentsKey = "com.apple.developer.parent-application-identifiers"
  static let clipsKey = "com.apple.developer.associated-appclip-app-identifiers"

  let origin: Origin
  /// nil when the key is absent or holds no array.
  package let associatedDomains: [DomainText]?
  /// `application-identifier`, or `com.apple.application-identifier` as macOS has it.
  package let applicationIdentifier: PlacedValue<String>?
  package let teamIdentifier: PlacedValue<String>?
  /// True when the app is signed for development; absent before signing.
  package let getTaskAllow: PlacedValue<Bool>?
  /// `development` or `production`.
  package let apsEnvironment: PlacedValue<String>?
  /// Whether the app holds `com.apple.developer.web-browser`.
  package let isBrowser: Bool
  /// Whether a clip is installed on demand (AC3), the identifiers of its app (AC4), and an app's of its clip (AC5).
  package let isOnDemandCapable: PlacedValue<Bool>?
  package let parents: [PlacedValue<String>]?
  package let clips: [PlacedValue<String>]?
  /// Findings about values of a wrong type and about keys that occur twice.
  package let findings: [Finding]
  /// Places of keys, for findings about all of a key's value.
  private let keyPlaces: [String: (range: Range<Int>, pointer: String)]

  /// What the person calls the file.
  package var name: String { origin.source.name }

  /// Whether it was read from a file of its own, and not from another program's configuration.
  package var isPropertyList: Bool { if case .propertyList = origin { true } else { false } }

  /// - Parameter name: What the person calls the file; findings carry it.
  /// - Throws: When the bytes are no property list, or one that is no dictionary.
  package init(
    _ bytes: [UInt8], name: String, limits: PropertyListLimits = PropertyListLimits()
  ) throws(PropertyListError) {
    try self.init(try PropertyListDocument(bytes, name: name, limits: limits))
  }

  /// - Throws: When the property list is no dictionary.
  package init(_ document: PropertyListDocument) throws(PropertyListError) {
    try document.requireDictionary(purpose: "An entitlements file")
    origin = .propertyList(document)
    var reader = PropertyListKeyReader(document, rule: "entitlement.wrong-type")
    associatedDomains = reader.strings(Self.associatedDomainsKey)?
      .map { element in
        let content = element.node.contentRange
        return DomainText(
          text: element.text, pointer: element.pointer, contentRange: content,
          isVerbatim: document.format == .xml
            && document.source.bytes[content].elementsEqual(element.text.utf8))
      }
    let identifier = reader.string("application-identifier")
    applicationIdentifier = identifier ?? reader.string("com.apple.application-identifier")
    teamIdentifier = reader.string("com.apple.developer.team-identifier")
    let getTaskAllow = reader.bool("get-task-allow")
    self.getTaskAllow = getTaskAllow ?? reader.bool("com.apple.security.get-task-allow")
    let environment = reader.string("aps-environment")
    apsEnvironment = environment ?? reader.string("com.apple.developer.aps-environment")
    isBrowser = reader.bool(Self.browserKey)?.value ?? false
    isOnDemandCapable = reader.bool(Self.onDemandKey)
    parents = reader.placedStrings(Self.parentsKey)
    clips = reader.placedStrings(Self.clipsKey)
    findings = document.findings + reader.findings
    var places: [String: (range: Range<Int>, pointer: String)] = [:]
    for key in [Self.associatedDomainsKey, Self.browserKey, Self.parentsKey, Self.clipsKey] {
      guard let member = document.root.member(key) else { continue }
      places[key] = (member.keyRange, JSONPointer().appending(key).description)
    }
    keyPlaces = places
  }

  /// What an Expo configuration says in place of entitlements.
  ///
  /// - Parameter key: Where `associatedDomains` stands; nil when it is absent.
  init(
    expo source: SourceText, domains: [DomainText]?, key: (range: Range<Int>, pointer: String)?,
    findings: [Finding]
  ) {
    origin = .json(source)
    associatedDomains = domains
    (applicationIdentifier, teamIdentifier, getTaskAllow, apsEnvironment) = (nil, nil, nil, nil)
    (isBrowser, isOnDemandCapable, parents, clips) = (false, nil, nil, nil)
    self.findings = findings
    keyPlaces = key.map { [Self.associatedDomainsKey: $0] } ?? [:]
  }

  /// Whether the key of associated domains is there, whatever it holds.
  package var hasAssociatedDomainsKey: Bool { keyPlaces[Self.associatedDomainsKey] != nil }

  /// The key that was probably meant to be that of the associated domains, where this one is missing.
  var misspelledDomainsKey: PropertyListMember? {
    guard case .propertyList(let document) = origin, !hasAssociatedDomainsKey else { return nil }
    return document.root.dictionary?.first { member in
      Spelling.nearest(to: member.key, among: [Self.associatedDomainsKey]) != nil
    }
  }

  /// The place of a part of an entry if the file contains its bytes literally, otherwise of the whole entry.
  ///
  /// - Parameter part: UTF-8 offsets inside the entry's text; nil for all of it.
  package func location(of entry: DomainText, part: Range<Int>? = nil) -> Finding.Location {
    let content = entry.contentRange
    guard entry.isVerbatim, let part else {
      return origin.location(of: content, pointer: entry.pointer)
    }
    return origin.location(
      of: content.lowerBound + part.lowerBound..<content.lowerBound + part.upperBound,
      pointer: entry.pointer)
  }

  package func location(of placed: PlacedValue<some Sendable>) -> Finding.Location {
    origin.location(of: placed.range, pointer: placed.pointer)
  }

  /// The place of a key, or of the whole file when it lacks it.
  func location(ofKey key: String) -> Finding.Location {
    guard let place = keyPlaces[key] else { return Finding.Location(file: name) }
    return origin.location(of: place.range, pointer: place.pointer)
  }
}

extension PropertyListDocument {
  /// - Throws: `wrongRoot`.
  func requireDictionary(purpose: String) throws(PropertyListError) {
    guard root.dictionary == nil else { return }
    throw PropertyListError(
      .wrongRoot, at: location(of: root.range, pointer: ""),
      message: "\(purpose) must be a dictionary, not \(root.typeName).",
      help: "Check that this is the right file.")
  }
}
