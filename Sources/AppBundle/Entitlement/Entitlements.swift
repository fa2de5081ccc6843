package import LinkspanCore

/// What an entitlements file (`.entitlements`, `.xcent`) says about links, identity and signing.
package struct Entitlements: Sendable {
  /// One element of `com.apple.developer.associated-domains`, as it was written.
  package struct DomainText: Sendable {
    package let text: String
    /// RFC 6901 pointer to the element.
    package let pointer: String
    let node: PropertyListNode
  }

  package static let associatedDomainsKey = "com.apple.developer.associated-domains"
  static let browserKey = "com.apple.developer.web-browser"

  package let document: PropertyListDocument
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
  /// What the file says in a form nobody understands: wrong types and keys that occur twice.
  package let findings: [Finding]

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
    self.document = document
    var reader = PropertyListKeyReader(document, rule: "entitlement.wrong-type")
    associatedDomains = reader.strings(Self.associatedDomainsKey)?
      .map { DomainText(text: $0.text, pointer: $0.pointer, node: $0.node) }
    let identifier = reader.string("application-identifier")
    applicationIdentifier = identifier ?? reader.string("com.apple.application-identifier")
    teamIdentifier = reader.string("com.apple.developer.team-identifier")
    let getTaskAllow = reader.bool("get-task-allow")
    self.getTaskAllow = getTaskAllow ?? reader.bool("com.apple.security.get-task-allow")
    let environment = reader.string("aps-environment")
    apsEnvironment = environment ?? reader.string("com.apple.developer.aps-environment")
    isBrowser = reader.bool(Self.browserKey)?.value ?? false
    findings = document.findings + reader.findings
  }

  /// The place of a part of an entry.
  ///
  /// - Parameter part: UTF-8 offsets inside the entry's text; nil for all of it.
  package func location(of entry: DomainText, part: Range<Int>? = nil) -> Finding.Location {
    document.location(of: entry.node, part: part ?? 0..<entry.text.utf8.count, pointer: entry.pointer)
  }

  /// The place of a key, or of the whole file when it lacks it.
  func location(ofKey key: String) -> Finding.Location {
    guard let member = document.root.member(key) else { return Finding.Location(file: document.name) }
    return document.location(of: member.keyRange, pointer: JSONPointer().appending(key).description)
  }
}

extension PropertyListDocument {
  /// - Throws: `wrongRoot`.
  func requireDictionary(purpose: String) throws(PropertyListError) {
    guard root.dictionary == nil else { return }
    throw PropertyListError(
      .wrongRoot, at: location(of: root.range, pointer: ""),
      message: "\(purpose) is a dictionary, not \(root.typeName).",
      help: "Look whether it is the right file.")
  }
}
