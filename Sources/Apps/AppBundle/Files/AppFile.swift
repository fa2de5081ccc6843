internal import LinkspanCore

/// A file about an app, recognised by its content and never by its name alone.
package enum AppFile: Sendable {
  case entitlements(Entitlements)
  case infoPlist(InfoPlist)
  case profile(ProvisioningProfile)
  case expo(ExpoConfiguration)

  /// What a file is, as far as its first bytes tell.
  private enum Form {
    case propertyList
    case profile([UInt8])
    case expo
  }

  /// Whether the bytes are of such a file, readable or not.
  package static func isOne(_ bytes: [UInt8]) -> Bool { form(of: bytes) != nil }

  /// What a file about an app is, for a sentence such as "it is an Info.plist"; nil for any other file. A broken one is
  /// known by its form.
  package static func kind(of bytes: [UInt8], name: String) -> String? {
    guard let form = form(of: bytes) else { return nil }
    do throws(PropertyListError) {
      return switch try AppFile(bytes, name: name) {
      case .entitlements: "an entitlements file"
      case .infoPlist: "an Info.plist"
      case .profile: "a provisioning profile"
      case .expo: "an Expo configuration"
      }
    } catch {
      return switch form {
      case .propertyList: "a property list"
      case .profile: "a provisioning profile"
      case .expo: "an Expo configuration"
      }
    }
  }

  /// Whether this is an entitlements file beyond doubt, for what writes to it: every key is one of entitlements. Of a
  /// dictionary without keys the name decides.
  package static func isPlainlyEntitlements(_ bytes: [UInt8], name: String) -> Bool {
    guard PropertyListDocument.isPropertyList(bytes) else { return false }
    do throws(PropertyListError) {
      guard let members = try PropertyListDocument(bytes, name: name).root.dictionary else { return false }
      guard !members.isEmpty else { return [".entitlements", ".xcent"].contains { name.hasSuffix($0) } }
      return members.allSatisfy { isOfEntitlements($0.key) }
    } catch {
      // A broken one is not beyond doubt.
      return false
    }
  }

  /// Reads whichever of them it is.
  ///
  /// - Parameter name: What the person calls the file. Only of a property list whose keys say nothing does it
  ///   decide what it is for.
  /// - Throws: When the file is none of them, or is broken.
  package init(_ bytes: [UInt8], name: String) throws(PropertyListError) {
    switch Self.form(of: bytes) {
    case .expo: self = .expo(ExpoConfiguration(SourceText(name: name, bytes: bytes)))
    case .profile(let content): self = .profile(try ProvisioningProfile(content, name: name))
    case .propertyList, nil:
      let document = try PropertyListDocument(bytes, name: name)
      switch try Self.purpose(of: document) {
      case .profile: self = .profile(try ProvisioningProfile(document))
      case .infoPlist: self = .infoPlist(try InfoPlist(document))
      case .entitlements: self = .entitlements(try Entitlements(document))
      }
    }
  }

  private static func form(of bytes: [UInt8]) -> Form? {
    if PropertyListDocument.isPropertyList(bytes) { return .propertyList }
    if let content = ProvisioningProfile.content(of: bytes) { return .profile(content) }
    // A configuration of that size is none, and a large association file is parsed once.
    guard bytes.count <= sizeLimitOfExpoBytes,
      bytes.holds("\"ios\"") || bytes.holds("\"expo\""),
      let root = JSONParser.parse(bytes).root, ExpoConfiguration.isExpo(root)
    else { return nil }
    return .expo
  }

  /// Our choice: real ones have a few KB.
  private static let sizeLimitOfExpoBytes = 1 << 20

  private enum Purpose {
    case entitlements
    case infoPlist
    case profile
  }

  /// What most of the keys are of; the name decides only where no key does.
  ///
  /// - Throws: For a dictionary of other keys whose name says nothing, such as an `ExportOptions.plist`: an app that claims
  ///   nothing would be read out of it.
  private static func purpose(of document: PropertyListDocument) throws(PropertyListError) -> Purpose {
    let keys = Set((document.root.dictionary ?? []).map { $0.key })
    if keys.intersection(ProvisioningProfile.keys).count >= 2 { return .profile }
    let entitlements = keys.count(where: isOfEntitlements)
    let info = keys.count { key in Self.infoPrefixes.contains { key.hasPrefix($0) } }
    if entitlements != info { return entitlements > info ? .entitlements : .infoPlist }
    let name = document.name.split(separator: "/").last.map { String($0) } ?? ""
    let isNamedInfo = name.hasSuffix(".plist") && name.contains("Info")
    let isNamedEntitlements = [".entitlements", ".xcent"].contains(where: name.hasSuffix)
    // Of a file with as many keys of both, and of an empty one, the ending is enough.
    if entitlements == 0, !keys.isEmpty, !isNamedInfo, !isNamedEntitlements {
      throw PropertyListError(
        .wrongRoot, at: document.location(of: document.root.range, pointer: ""),
        message: "This property list is neither an Info.plist nor entitlements: it has no key of either.",
        help: "Name the app's Info.plist, its .entitlements file or its profile, or the .ipa or .app itself.")
    }
    return name.hasSuffix(".plist") ? .infoPlist : .entitlements
  }

  private static func isOfEntitlements(_ key: String) -> Bool {
    entitlementPrefixes.contains { key.hasPrefix($0) } || entitlementKeys.contains(key)
  }

  private static let entitlementPrefixes = ["com.apple.", "keychain-access-", "inter-app-"]
  private static let entitlementKeys: Set = [
    "application-identifier", "get-task-allow", "aps-environment", "beta-reports-active",
  ]
  private static let infoPrefixes = [
    "CFBundle", "LS", "UI", "NS", "DT", "MinimumOSVersion", "BuildMachineOSBuild",
  ]
}
