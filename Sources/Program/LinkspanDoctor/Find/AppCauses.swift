internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore
import SimulatedDevices

/// What in an app's own files keeps links of one host from opening it.
struct AppCauses {
  let claims: [AppClaims]
  let host: String
  let device: DeviceTraits
  let kind: BuildKind

  /// The entries that speak for the host, with and without a mode.
  private func entries(_ app: AppClaims) -> [AssociatedDomain] { app.associatedDomains.covering(host: host) }

  /// Whether an entry makes the device ask the host itself.
  var asksHostItself: Bool {
    let all = claims.flatMap(entries)
    return !all.isEmpty && all.allSatisfy { $0.mode != nil } && all.contains { counts($0) }
  }

  /// Why none of the apps claims the host on the device; nil when one does, or when no entitlements were given.
  var cause: FoundCause? {
    if let app = claims.first(where: { $0.isUnsigned && $0.entitlements == nil }) {
      return FoundCause(
        .entitlementMissing, .inferred,
        evidence: [
          "\(app.name): the program is not signed, so it has no entitlements, and no device installs it."
        ],
        remedy: "Sign it with its entitlements, or name them as well:\n--app App.app --app App.entitlements",
        title: "The app is not signed, so it claims no domain.")
    }
    let known = claims.filter { $0.entitlements != nil }
    guard !known.isEmpty, known.count == claims.count else { return nil }
    if known.contains(where: { entries($0).contains(where: counts) }) { return nil }
    let app = known.first { !($0.entitlements?.isAppClip ?? false) } ?? known[0]
    if let first = lost(known) {
      return FoundCause(
        .domainsLost, evidence: [first.message],
        remedy: "Sign with the app's own entitlements, and not with those of the profile (E19):\n"
          + "codesign -f -s IDENTITY --entitlements App.entitlements App.app")
    }
    let modes = known.flatMap(entries)
    if let entry = modes.first {
      return FoundCause(
        .developerMode,
        evidence: ["\(app.name) claims '\(host)' by '\(entry.text)' alone.", reason(entry)],
        remedy: "Add the entry without a mode for the builds that you distribute (E16):\n"
          + "<string>applinks:\(host)</string>")
    }
    let texts = (app.entitlements?.associatedDomains ?? []).map(\.text)
    guard !texts.isEmpty else {
      return FoundCause(
        .entitlementMissing, evidence: ["\(app.name) has no 'com.apple.developer.associated-domains'."],
        remedy: "Add the capability Associated Domains in Xcode, with:\n" + Remedy.entitlement(host: host))
    }
    if texts.allSatisfy({ $0 == "*" }) {
      return FoundCause(
        .domainsLost, .observed,
        evidence: ["\(app.name) has '*' for its domains, as provisioning profiles have, and no host."],
        remedy: "Sign with the app's own entitlements, and not with those of the profile (E19):\n"
          + Remedy.entitlement(host: host))
    }
    let shown = texts.prefix(4).joined(separator: ", ") + (texts.count > 4 ? ", …" : "")
    return FoundCause(
      .entitlementHost,
      evidence: [
        "\(app.name) claims \(shown).", "None of them covers '\(host)' for links.\(Self.hint(texts, host))",
      ] + Self.problems(texts, host),
      remedy: "Add the host to the app's entitlements, and build it anew:\n<string>applinks:\(host)</string>")
  }

  /// What signing dropped, where that may be this host: all domains, or one that is named.
  private func lost(_ known: [AppClaims]) -> Finding? {
    for app in known {
      let isEmptied = (app.entitlements?.associatedDomains ?? []).allSatisfy { $0.text == "*" }
      if let finding = app.lostDomains.first(where: { isEmptied || $0.message.contains(host) }) {
        return finding
      }
    }
    return nil
  }

  private static func hint(_ texts: [String], _ host: String) -> String {
    if texts.contains(where: { ASCII.lowercased($0).hasPrefix("applinks:*.\(host)") }) {
      return " '*.\(host)' covers the hosts below it only (E8)."
    }
    let other = texts.first { $0.hasSuffix(":" + host) && !$0.hasPrefix("applinks:") }
    return other.map { " '\($0)' is another service." } ?? ""
  }

  /// Why an entry that names the host does not count; of hosts in other letters the first.
  private static func problems(_ texts: [String], _ host: String) -> [String] {
    for text in texts {
      do throws(AssociatedDomainProblem) {
        _ = try AssociatedDomain(text)
      } catch {
        let isNear = ASCII.lowercased(text).contains(host) || error.kind == .notPunycode
        if isNear || error.kind == .buildSetting { return ["\(error.message) \(error.help)".onOneLine] }
      }
    }
    return []
  }

  private func counts(_ entry: AssociatedDomain) -> Bool {
    switch entry.mode {
    case nil: true
    case .developer: device.os.readsModes && kind == .development && device.isDeveloper
    case .managed: device.os.readsModes && device.isManaged
    case .developerAndManaged:
      device.os.readsModes && kind == .development && device.isDeveloper && device.isManaged
    }
  }

  private func reason(_ entry: AssociatedDomain) -> String {
    if !device.os.readsModes { return "\(device.os.name) knows no modes (E12)." }
    if entry.mode == .managed { return "It counts on managed devices only (E14)." }
    return kind == .development
      ? "It counts only while developer mode is on (E13)." : "It counts only in a development build (E13)."
  }
}
