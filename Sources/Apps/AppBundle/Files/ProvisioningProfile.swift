internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

/// What a provisioning profile (`.mobileprovision`, `.provisionprofile`) says about an app's identity.
///
/// The property list is read from the CMS structure as is; ``ProfileSignature`` says what its signature proves.
package struct ProvisioningProfile: Sendable {
  package let document: PropertyListDocument
  /// As its entitlements have it, with the prefix; `*` at its end stands for any text.
  let applicationIdentifier: String?
  /// The prefix of the application identifier.
  package let prefix: String?
  /// nil when the profile is for many apps (`*`).
  package let bundleIdentifier: String?
  package let teamIdentifier: String?
  /// What the developer called it.
  package let title: String?
  package let uuid: String?
  /// In seconds since 2001.
  package let expires: Double?
  package let entitlements: PropertyListNode?
  /// How many devices it names; nil for the App Store and for all devices of a company.
  package let deviceCount: Int?

  package var name: String { document.name }

  /// - Parameter bytes: CMS SignedData around a property list, or that property list itself.
  /// - Throws: When there is no property list in it, or one that is no dictionary.
  package init(_ bytes: [UInt8], name: String) throws(PropertyListError) {
    try self.init(try PropertyListDocument(Self.content(of: bytes) ?? bytes, name: name))
  }

  /// - Throws: When the property list is no dictionary.
  init(_ document: PropertyListDocument) throws(PropertyListError) {
    try document.requireDictionary(purpose: "A provisioning profile")
    self.document = document
    let entitlements = document.root["Entitlements"]
    self.entitlements = entitlements
    title = document.root["Name"]?.string
    uuid = document.root["UUID"]?.string
    if case .date(let seconds) = document.root["ExpirationDate"]?.value {
      expires = seconds
    } else {
      expires = nil
    }
    deviceCount = document.root["ProvisionedDevices"]?.array?.count
    let identifier = entitlements.flatMap(Self.applicationIdentifier)
    applicationIdentifier = identifier
    let dot = identifier?.firstIndex(of: ".")
    let prefixes = document.root["ApplicationIdentifierPrefix"]?.array ?? []
    prefix = dot.map { String(identifier![..<$0]) } ?? prefixes.first?.string
    let bundle = dot.map { String(identifier![identifier!.index(after: $0)...]) }
    bundleIdentifier = bundle.flatMap { $0.utf8.contains(UInt8(ascii: "*")) ? nil : $0 }
    let teams = document.root["TeamIdentifier"]?.array ?? []
    teamIdentifier = (teams.first ?? entitlements?["com.apple.developer.team-identifier"])?.string
  }

  /// Of iOS, or else of macOS.
  static func applicationIdentifier(in entitlements: PropertyListNode) -> String? {
    (entitlements["application-identifier"] ?? entitlements["com.apple.application-identifier"])?.string
  }

  /// Whether an app with this application identifier may be signed with it.
  func covers(_ identifier: String) -> Bool {
    guard let pattern = applicationIdentifier else { return true }
    guard pattern.utf8.last == UInt8(ascii: "*") else { return pattern == identifier }
    return identifier.hasPrefix(String(pattern.dropLast()))
  }

  /// The property list inside a signed message; nil when there is none.
  static func content(of bytes: [UInt8]) -> [UInt8]? {
    guard bytes.first == 0x30, let content = SignedFile.content(of: bytes),
      PropertyListDocument.isPropertyList(content)
    else { return nil }
    return content
  }

  /// Keys that only profiles have.
  static let keys: Set<String> = [
    "ApplicationIdentifierPrefix", "DeveloperCertificates", "ProvisionedDevices", "ProvisionsAllDevices",
    "TeamIdentifier", "TimeToLive", "Entitlements",
  ]
}
