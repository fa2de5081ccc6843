import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

extension AssociationContent {
  /// Why this may be another kind of file, as the end of a sentence that begins with "It"; nil when it is plainly an
  /// association file in JSON.
  ///
  /// The checker judges whatever it is given. What writes to a file asks here first: every top-level key is a service,
  /// spelt right or nearly so, whose value has the form of one, and there is at least one. A comment may stand beside
  /// them. Of 120 published files in JSON all are like that.
  package var doubt: String? {
    switch format {
    case .json: break
    case .signed, .unreadableSignature, .signatureAsText:
      return "is signed or encrypted; correct the plain file and sign that again"
    }
    guard !document.errors.contains(where: { [.textBefore, .textAfter].contains($0.kind) }) else {
      return "has text outside the brackets"
    }
    guard let members = document.root?.object else {
      return "holds no JSON object with the key of a service, such as \"applinks\""
    }
    var serviceCount = 0
    for member in members where !Self.isComment(member.name) {
      guard let service = Self.service(member.name) else {
        return "has the top-level key '\(member.name.prefix(Self.shownCharacters))', which is not a service"
      }
      guard Self.hasForm(of: service, member.value, isExact: service.rawValue == member.name) else {
        return "has the key '\(member.name)' with a value that no service has"
      }
      serviceCount += 1
    }
    return serviceCount == 0 ? "has no key of a service, such as \"applinks\"" : nil
  }

  /// Of a key in a message. Ours.
  private static let shownCharacters = 60

  private static func isComment(_ name: String) -> Bool {
    name.hasPrefix("_") || name.hasPrefix("//") || name == "comment"
  }

  private static func service(_ name: String) -> Service? {
    Service(rawValue: name)
      ?? AssociationFix.onlySpelling(of: name, among: Service.names).flatMap(Service.init)
  }

  private static let ownKeys = ["apps", "details", "defaults", "substitutionVariables"]

  /// Whether a value may be a service's. One whose name is misspelt has to show more than an empty object.
  private static func hasForm(of service: Service, _ value: JSONNode, isExact: Bool) -> Bool {
    if let elements = value.array {
      return service != .applinks && !elements.isEmpty
        && elements.allSatisfy { $0.string.map(isIdentifier) ?? false }
    }
    guard let members = value.object else { return false }
    if members.isEmpty { return isExact }
    return members.contains { member in
      switch AssociationFix.onlySpelling(of: member.name, among: ownKeys) {
      case "apps": member.value.array != nil || member.value.string.map(isIdentifier) ?? false
      case "details": isDetails(member.value)
      case "defaults", "substitutionVariables": isExact && member.value.object != nil
      default: false
      }
    }
  }

  /// Entries, or in the obsolete form an object with one for each app.
  private static func isDetails(_ value: JSONNode) -> Bool {
    let entries = value.isEntry ? [value] : value.array ?? value.object?.map { $0.value } ?? []
    guard !entries.isEmpty else { return value.array != nil }
    return entries.contains { entry in
      (entry.object ?? []).contains { member in
        AssociationFix.onlySpelling(of: member.name, among: ["appID", "appIDs", "paths", "components"]) != nil
      }
    }
  }

  /// A prefix and a bundle identifier, right or not.
  private static func isIdentifier(_ text: String) -> Bool {
    text.contains(".") && !text.contains(where: { $0.isWhitespace })
  }
}
