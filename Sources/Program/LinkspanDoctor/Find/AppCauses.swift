internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore
internal import LinkspanSiteCommands
import SimulatedDevices

/// What in an app's own files keeps links of one host from opening it, or a device from reading one host's file.
struct AppCauses {
  /// What the app's entries are asked about.
  enum Subject {
    case links(of: String)
    case file(of: String)

    var host: String {
      switch self {
      case .links(let host), .file(let host): host
      }
    }
  }

  let claims: [AppClaims]
  let subject: Subject
  let device: DeviceTraits
  let kind: BuildKind
  /// What the host is claimed for: by App Clips alone `appclips`. An app that is named with its clip is the one that links
  /// open.
  private let service: Service

  private var host: String { subject.host }

  init(claims: [AppClaims], of subject: Subject, device: DeviceTraits, kind: BuildKind) {
    let apps = claims.filter { !$0.isAppClip }
    self.claims = apps.isEmpty ? claims : apps
    service = apps.isEmpty && !claims.isEmpty ? .appclips : .applinks
    self.subject = subject
    self.device = device
    self.kind = kind
  }

  /// The entries that speak for the host's links, or that read its file, with and without a mode.
  private func entries(_ app: AppClaims) -> [AssociatedDomain] {
    switch subject {
    case .links(let host): app.domainsOnDevices.covering(host: host, service: service)
    case .file(let host): app.domainsOnDevices.reading(fileOf: host, service: service)
    }
  }

  /// The entry whose file a device asks first: one that counts on the device, where there is one.
  var entry: AssociatedDomain? {
    let all = claims.flatMap { $0.domainsOnDevices }.covering(host: host, service: service)
    return all.first(where: counts) ?? all.first
  }

  /// The entries whose files a device asks where that one has no rule for a link, in their order (E9): those that count
  /// as much.
  var others: [AssociatedDomain] {
    guard let entry else { return [] }
    var hosts: Set = [entry.host]
    return claims.flatMap { $0.domainsOnDevices }.covering(host: host, service: service)
      .filter { counts($0) == counts(entry) && hosts.insert($0.host).inserted }
  }

  /// The wildcards through which the host's links reach an app where no entry reads its own file (E6).
  private var wildcards: [AssociatedDomain] {
    let all = claims.flatMap { $0.domainsOnDevices }
    let own = all.reading(fileOf: host, service: service)
    let wildcards = all.covering(host: host, service: service).filter { $0.isWildcard }
    let counting = wildcards.filter(counts)
    if own.contains(where: counts) || (counting.isEmpty && !own.isEmpty) { return [] }
    return counting.isEmpty ? wildcards : counting
  }

  /// The hosts whose files devices read for the host's links in place of its own, in the order in which they are asked.
  var homes: [String] {
    var seen: Set<String> = []
    return wildcards.map { $0.host }.filter { seen.insert($0).inserted }
  }

  /// That devices do not read the host's own file; nil when they do, or when no entry speaks for the host.
  var unread: FoundCause? {
    guard let wildcard = wildcards.first else { return nil }
    let app = claims.first { $0.domainsOnDevices.contains(wildcard) }
    return FoundCause(
      .entitlementHost,
      evidence: [
        "\(app?.name ?? "The app") claims '\(host)' by '\(wildcard.text)' alone.",
        "A wildcard reads the file of '\(wildcard.host)', and not that of '\(host)' (E6).",
      ],
      remedy: "Publish the file at '\(wildcard.host)', or have the app claim this host by its name:\n"
        + "<string>applinks:\(host)</string>",
      title: "Devices do not read the file of this host.")
  }

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
    let app = known[0]
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
          + "<string>\(entry.withoutMode)</string>")
    }
    let texts = (app.entitlements?.associatedDomains ?? []).map { $0.text }
    guard !texts.isEmpty else { return claimsNothing(app) }
    if texts.allSatisfy({ $0 == "*" }) {
      return FoundCause(
        .domainsLost, .observed,
        evidence: ["\(app.name) has '*' for its domains, as provisioning profiles have, and no host."],
        remedy: "Sign with the app's own entitlements, and not with those of the profile (E19):\n"
          + Remedy.entitlement(service, host: host))
    }
    let shown = texts.prefix(4).joined(separator: ", ") + (texts.count > 4 ? ", …" : "")
    return FoundCause(
      .entitlementHost,
      evidence: [
        "\(app.name) claims \(shown).",
        "None of them covers '\(host)' for \(service == .applinks ? "links" : "App Clips").\(hint(texts))",
      ] + Self.problems(texts, host),
      remedy: service == .applinks
        ? "Add the host to the app's entitlements, and build it anew:\n<string>applinks:\(host)</string>"
        : "Add the host to the entitlements of the clip and of its app, and build both anew (AC6):\n"
          + "<string>appclips:\(host)</string>")
  }

  /// Why no device installs an app as it is, such as its provisioning profile; nil where nothing keeps it.
  var uninstallable: FoundCause? {
    guard let finding = claims.uninstallable else { return nil }
    let isOfProfile = claims.contains { $0.profile?.name == finding.location.file }
    return FoundCause(
      .notInstalled, evidence: ["\(finding.location.file): \(finding.message)"],
      remedy: "\(finding.help ?? "")\(finding.source.map { " (\($0))" } ?? "")", owner: .app,
      title: "No device installs the app\(isOfProfile ? " with its provisioning profile" : "").")
  }

  /// That an app wants a newer release than the device has; nil where none says so.
  var tooNew: FoundCause? {
    let os = device.os
    guard let oldest = claims.minimum(above: os) else { return nil }
    return FoundCause(
      .releaseTooOld, evidence: ["The app wants \(oldest.name) at least, and the device has \(os.name)."],
      remedy: "Update the device, or build the app for \(os.name) as well.",
      title: "The app does not install on this release.")
  }

  /// That a profile has expired, as clauses: only a build that the App Store has accepted is still installed.
  static func expired(_ claims: [AppClaims]) -> [String] {
    claims.flatMap { $0.installFindings }.filter { $0.rule == "signature.profile-expired" }.map { finding in
      "whether devices still install the app: \(finding.location.file): \(finding.message) (B7)"
    }
  }

  /// That the key is absent, or holds no entry.
  private func claimsNothing(_ app: AppClaims) -> FoundCause {
    guard let entitlements = app.entitlements, entitlements.hasAssociatedDomainsKey else {
      return FoundCause(
        .entitlementMissing, evidence: ["\(app.name) has no '\(Entitlements.associatedDomainsKey)'."],
        remedy: "Add the capability Associated Domains in Xcode, with:\n"
          + Remedy.entitlement(service, host: host))
    }
    let mistake = entitlements.findings.first {
      $0.severity == .error
        && ($0.message.contains(Entitlements.associatedDomainsKey)
          || $0.message.contains("associatedDomains"))
    }
    return FoundCause(
      .entitlementMissing,
      evidence: [
        "\(app.name): " + (mistake?.message ?? "'\(Entitlements.associatedDomainsKey)' is an empty array.")
      ],
      remedy: "Write an array with the entry (E1):\n" + Remedy.entitlement(service, host: host))
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

  private func hint(_ texts: [String]) -> String {
    let own = service.rawValue + ":"
    if texts.contains(where: { ASCII.lowercased($0).hasPrefix("\(own)*.\(host)") }) {
      return service == .applinks
        ? " '*.\(host)' covers the hosts below it only (E8)." : " 'appclips' has no wildcards (E4)."
    }
    let other = texts.first { $0.hasSuffix(":" + host) && !$0.hasPrefix(own) }
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
