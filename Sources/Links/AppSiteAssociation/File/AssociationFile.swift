package import AssociatedDomains
package import LinkspanCore

/// What an association file says, read as a device reads it: unknown keys are ignored and bad values dropped
/// (section 6.4, inferred), so that this can be made from any JSON object. What was wrong is the checker's to say.
package struct AssociationFile: Sendable {
  /// Universal links; nil when the file has no `applinks` object.
  package var appLinks: AppLinks?

  /// The application identifiers of the services without URL matching (J3); `applinks` is never a key here.
  package var apps: [Service: [String]]

  /// What it was read from.
  let root: JSONNode
  /// ``JSONNode/dropsValues`` and ``JSONNode/hasRepeatedKey`` of the root: looked for once, and not for each of its apps.
  package let dropsValues: Bool
  let hasRepeatedKey: Bool

  /// - Parameter root: The JSON document; anything but an object is no association file (J1).
  /// - Returns: nil when it is not an object.
  package init?(_ root: JSONNode) {
    guard root.object != nil else { return nil }
    appLinks = root[Service.applinks.rawValue].flatMap(AppLinks.init)
    self.root = root
    dropsValues = root.dropsValues
    hasRepeatedKey = root.hasRepeatedKey
    apps = [:]
    for service in Service.allCases where service != .applinks {
      guard let node = root[service.rawValue], node.object != nil else { continue }
      apps[service] = node["apps"]?.array?.compactMap { $0.string } ?? []
    }
  }
}

/// The `applinks` object.
package struct AppLinks: Sendable {
  /// Whether `apps` is there, which iOS and tvOS up to 12 demand.
  package var hasAppsKey: Bool
  /// Whether something stands in `apps`, where those releases demand an empty array.
  var fillsAppsKey: Bool
  package var entries: [Entry]
  package var defaults: RuleSettings
  /// By name.
  package var substitutionVariables: [ExactText: [String]]

  init?(_ node: JSONNode) {
    guard node.object != nil else { return nil }
    let apps = node["apps"]?.array
    hasAppsKey = apps != nil
    fillsAppsKey = apps?.isEmpty == false
    defaults = node["defaults"].map(RuleSettings.init) ?? RuleSettings()
    substitutionVariables = [:]
    for member in node["substitutionVariables"]?.object ?? [] {
      guard let values = member.value.array else { continue }
      substitutionVariables[ExactText(member.name)] = values.compactMap { $0.string }
    }
    switch node["details"]?.value {
    case .array(let elements):
      entries = elements.enumerated().compactMap { index, element in Entry(element, index: index) }
    case .object(let members):
      entries = members.enumerated().compactMap { index, member in
        Entry(member.value, index: index, key: member)
      }
    default: entries = []
    }
  }

  /// One element of `details`, or one member of its obsolete object form (J13).
  package struct Entry: Sendable {
    /// Its place in `details`, from 0.
    package var index: Int
    /// What it was read from.
    package let node: JSONNode
    /// The member's name in the obsolete object form.
    package let key: JSONMember?
    package var appID: String?
    package var appIDs: [String]?
    package var paths: [Path]?
    package var components: [Rule]?
    package var defaults: RuleSettings

    /// The settings of its components, then of its paths, as written.
    var ruleSettings: [RuleSettings] {
      let ofComponents: [RuleSettings] = (components ?? []).map { $0.settings }
      let ofPaths: [RuleSettings] = (paths ?? []).map { $0.settings }
      return ofComponents + ofPaths
    }

    init?(_ node: JSONNode, index: Int, key: JSONMember? = nil) {
      guard node.object != nil else { return nil }
      self.index = index
      self.node = node
      self.key = key
      appID = key?.name ?? node["appID"]?.string
      appIDs = key == nil ? node["appIDs"]?.array?.compactMap { $0.string } : nil
      paths = node["paths"]?.array?.enumerated().compactMap { index, element in
        element.string.map { Path(index: index, text: $0) }
      }
      components = node["components"]?.array?.enumerated().compactMap { index, element in
        element.object == nil ? nil : Rule(index: index, node: element, settings: RuleSettings(element))
      }
      defaults = node["defaults"].map(RuleSettings.init) ?? RuleSettings()
    }

    /// The applications it speaks of: `appIDs`, where the release reads it, hides `appID` even when it is
    /// empty (J6).
    package func applications(on os: OSVersion?) -> [String] {
      if os?.readsComponents ?? true, let appIDs { return appIDs }
      return appID.map { [$0] } ?? []
    }

    /// Whether its `appID` is ignored for an `appIDs` that names no app (J6).
    package func hidesItsApplication(on os: OSVersion?) -> Bool {
      appID != nil && applications(on: os).isEmpty
    }
  }

  /// One element of `paths`.
  package struct Path: Sendable {
    /// Its place in `paths`, from 0.
    package var index: Int
    /// As written, with `NOT ` when it has it.
    package var text: String

    package init(index: Int, text: String) {
      self.index = index
      self.text = text
    }

    /// `NOT `, upper case and with one blank, excludes (J14).
    package var settings: RuleSettings {
      var settings = RuleSettings()
      if text.utf8.starts(with: "NOT ".utf8) {
        settings.path = String(decoding: text.utf8.dropFirst(4), as: UTF8.self)
        settings.exclude = true
      } else {
        settings.path = text
      }
      return settings
    }
  }

  /// One element of `components`.
  package struct Rule: Sendable {
    /// Its place in `components`, from 0.
    package var index: Int
    /// What it was read from.
    package let node: JSONNode
    package var settings: RuleSettings
  }
}
