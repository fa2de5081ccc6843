package import LinkspanCore

/// What an Expo configuration (`app.json`) says of the iOS app it is turned into: `expo.ios`, or `ios` where there is
/// no `expo`.
///
/// - Source: Expo, "app.json / app.config.js" (`ios.bundleIdentifier`, `ios.associatedDomains`, `ios.appleTeamId`).
package struct ExpoConfiguration: Sendable {
  package let source: SourceText
  package let bundleIdentifier: String?
  package let teamIdentifier: String?
  /// `associatedDomains`, and what `entitlements` adds to it.
  package let entitlements: Entitlements

  package init(_ source: SourceText) {
    self.source = source
    let document = JSONParser.parse(source.bytes)
    var findings = document.errors.map { error in
      Finding(
        rule: "json.\(error.kind.rawValue)", severity: .error, at: .init(source, error.range),
        message: error.message, help: error.help)
    }
    let root = document.root ?? JSONNode(.null, at: 0..<0)
    let (ios, place) = Self.ios(of: root) ?? (JSONNode(.null, at: 0..<0), JSONPointer())
    bundleIdentifier = ios["bundleIdentifier"]?.string
    teamIdentifier = ios["appleTeamId"]?.string
    let key = "associatedDomains"
    var lists = [(ios.object?.last { $0.name == key }, place.appending(key))]
    let native = Entitlements.associatedDomainsKey
    lists.append(
      (
        ios["entitlements"]?.object?.last { $0.name == native },
        place.appending("entitlements").appending(native)
      ))
    var domains: [Entitlements.DomainText]?
    var keyPlace: (range: Range<Int>, pointer: String)?
    for (member, pointer) in lists {
      guard let member else { continue }
      keyPlace = keyPlace ?? (member.nameRange, pointer.description)
      guard let elements = member.value.array else {
        findings.append(
          Self.wrongType(member.value, "'\(member.name)'", "an array of strings", pointer, source))
        continue
      }
      for (index, element) in elements.enumerated() {
        let pointer = pointer.appending(index)
        guard let text = element.string else {
          findings.append(
            Self.wrongType(element, "An element of '\(member.name)'", "a string", pointer, source))
          continue
        }
        let content =
          element.range.lowerBound + 1..<max(element.range.lowerBound + 1, element.range.upperBound - 1)
        domains = domains ?? []
        domains?.append(
          .init(
            text: text, pointer: pointer.description, contentRange: content,
            isVerbatim: source.bytes[content].elementsEqual(text.utf8)))
      }
      domains = domains ?? []
    }
    entitlements = Entitlements(expo: source, domains: domains, key: keyPlace, findings: findings)
  }

  /// Whether a JSON document is an Expo configuration: by its keys, of which an association file has none.
  package static func isExpo(_ root: JSONNode) -> Bool {
    if let expo = root["expo"] { return expo.object != nil }
    guard let ios = root["ios"] else { return false }
    return ["bundleIdentifier", "associatedDomains", "appleTeamId"].contains { ios[$0] != nil }
  }

  private static func ios(of root: JSONNode) -> (JSONNode, JSONPointer)? {
    if let ios = root["expo"]?["ios"] {
      return (ios, JSONPointer().appending("expo").appending("ios"))
    }
    return root["ios"].map { ($0, JSONPointer().appending("ios")) }
  }

  private static func wrongType(
    _ node: JSONNode, _ name: String, _ wanted: String, _ pointer: JSONPointer, _ source: SourceText
  ) -> Finding {
    Finding(
      rule: "entitlement.wrong-type", severity: .error,
      at: .init(source, node.range, pointer: pointer.description),
      message: "\(name) is \(node.typeName), not \(wanted).",
      help: "A value of another type has no effect. Write \(wanted).", source: "E1")
  }
}
