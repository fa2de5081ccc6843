import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import SimulatedDevices

/// Apps, and how those of files come to their identifiers.
extension StoryParser {
  private static let appExample =
    "{ shop: { identifier: \"ABCDE12345.com.example.shop\", domains: [\"applinks:example.com\"] } }"
  private static let appKeys =
    [
      "identifier", "domains", "entitlements", "team", "bundle_identifier", "build", "remote_volume",
      "browser", "push", "groups",
    ] + appContinuityKeys

  mutating func readApps(_ node: JSONNode) {
    for member in context.named(node, "apps", example: "apps: \(Self.appExample)") ?? [] {
      context.checkName(member, reserved: ["all", "browser"])
      // One that cannot be read is known by its name all the same, so that steps about it are not wrong as well.
      let (build, claims) =
        build(member.value, member) ?? (AppBuild(identifier: "", entries: [], kind: .appStore), nil)
      var app = Story.App(name: member.name, build: build)
      app.push = appPush(member.value, claims: claims)
      app.continuity = appContinuity(member.value)
      apps.append(app)
    }
    if apps.count > context.limits.apps {
      context.report(
        "too-many", node, "There are \(apps.count) apps; the limit is \(context.limits.apps).",
        "Split the story into several.")
    }
  }

  /// - Returns: With what its files say, where it has some.
  private mutating func build(
    _ node: JSONNode, _ member: JSONMember
  ) -> (AppBuild, StoryReader.Claims?)? {
    guard context.members(node, "an app", keys: Self.appKeys, example: Self.appExample) != nil else {
      return nil
    }
    let stated = StatedIdentity(
      prefix: node["team"].flatMap { context.string($0, "team", example: "team: \"ABCDE12345\"") },
      bundleIdentifier: node["bundle_identifier"].flatMap {
        context.string($0, "bundle_identifier", example: "bundle_identifier: \"com.example.shop\"")
      })
    var claims = StoryReader.Claims(
      identifier: PartialIdentifier(prefix: stated.prefix, bundle: stated.bundleIdentifier), domains: [])
    if let file = node["entitlements"] {
      guard let read = self.claims(file, stated) else { return nil }
      claims = read
    }
    if let domains = node["domains"] {
      claims.domains += context.strings(domains, "domains", example: Self.appExample).map(\.0)
    }
    let isFromFiles = node["entitlements"] != nil || !stated.isEmpty
    guard let identifier = identifier(node, member, isFromFiles ? claims : nil) else { return nil }
    let kind = node["build"].flatMap { context.word($0, "build", BuildKind.allCases) }
    var build = AppBuild(identifier: identifier, entries: claims.domains, kind: kind ?? .appStore)
    if let remote = node["remote_volume"] {
      build.isOnRemoteVolume = context.bool(remote, "remote_volume") ?? false
    }
    build.isBrowser = node["browser"].flatMap { context.bool($0, "browser") } ?? claims.isBrowser
    build.groups = groups(node, claims)
    return (build, claims)
  }

  /// The identifier as the story has it, else as the files and the sites tell.
  private mutating func identifier(_ node: JSONNode, _ member: JSONMember, _ claims: StoryReader.Claims?)
    -> String?
  {
    if let place = node["identifier"] {
      guard let text = context.string(place, "identifier", example: Self.appExample) else { return nil }
      do { _ = try ApplicationIdentifier(text) } catch {
        context.report("identifier", place, "'\(text)' is not an application identifier.", "\(error)")
        return nil
      }
      return text
    }
    guard let claims else {
      context.report(
        "missing-key", at: member.nameRange, "The app '\(member.name)' has no identifier.",
        "Write identifier: \"<prefix>.<bundle identifier>\".")
      return nil
    }
    return identifier(of: claims, member)
  }

  private mutating func identifier(of claims: StoryReader.Claims, _ member: JSONMember) -> String? {
    let partial = claims.identifier
    if let complete = partial.complete { return complete.description }
    let advice = "set 'team' and 'bundle_identifier' to choose it"
    let gap = claims.identityGap.isEmpty ? "" : "; \(claims.identityGap)"
    let domains = claims.domains.compactMap { text -> AssociatedDomain? in
      do { return try AssociatedDomain(asDevicesRead: text) } catch { return nil }
    }
    switch partial.resolved(among: domains.candidates(in: publishedFiles())) {
    case .known(let identifier): return identifier
    case .assumed(let identifier):
      assumptions.append(
        "the app '\(member.name)' is assumed to be \(identifier), the only match in the association files\(gap); \(advice)"
      )
      return identifier
    case .ambiguous(let apps):
      context.report(
        "identifier", at: member.nameRange,
        "The app '\(member.name)' matches several identifiers: \(StoryContext.list(apps))\(gap).",
        "Add team: \"…\" and bundle_identifier: \"…\", or identifier: \"<prefix>.<bundle identifier>\".")
      return nil
    case .unknown:
      let identifier = partial.standIn(named: member.name)
      assumptions.append(
        "the identifier of the app '\(member.name)' is unknown, and no association file names a match: "
          + "'\(identifier)' is used instead\(gap); \(advice)")
      return identifier
    }
  }

  /// Every association file of the story, those of later steps included. Read apart, so that what is wrong with
  /// them is reported once, where they are used.
  private func publishedFiles() -> [(host: String?, file: AssociationFile)] {
    var scout = self
    let all = [sites] + deployments.map { scout.readSites($0, "deploy") }
    return all.flatMap { $0.sorted { $0.key < $1.key } }.flatMap { host, site in
      site.documents.compactMap { document in AssociationContent(document.body).file.map { (host, $0) } }
    }
  }

  /// One file about the app, or several that complete one another.
  private mutating func claims(_ node: JSONNode, _ stated: StatedIdentity) -> StoryReader.Claims? {
    claims(node, example: "entitlements: \"app/App.entitlements\"", stated)
  }

  /// What the files say that `entitlements` names; what is wrong with them is reported.
  mutating func claims(
    _ node: JSONNode, example: String, _ stated: StatedIdentity
  ) -> StoryReader.Claims? {
    let paths = context.strings(node, "entitlements", example: example).map(\.0)
    guard !paths.isEmpty else { return nil }
    let list = paths.joined(separator: "', '")
    do {
      if let claims = try context.reader.claims(paths, stated) { return claims }
      context.report(
        "no-file", node, "'\(list)' does not exist.", "Paths are relative to the story's folder.")
    } catch {
      context.report(
        "unreadable-file", node, "'\(list)' cannot be read: \(error.reason).",
        "Fix the file, or name another.")
    }
    return nil
  }

  /// Warns of an app that another one of the same step replaces, as an update does.
  mutating func warnOfReplaced(_ places: [Int], in verb: JSONMember) {
    guard ["install", "update", "reinstall"].contains(verb.name) else { return }
    var names: [String: String] = [:]
    for app in places.map({ apps[$0] }) {
      let identifier = app.build.identifier
      if let first = names[identifier], first != app.name {
        stepWarnings.append(
          Finding(
            rule: "story.replaced-app", severity: .warning, at: .init(context.source, verb.value.range),
            message:
              "'\(app.name)' replaces '\(first)', which this step \(verb.name)s too: both are '\(identifier)'.",
            help: "Give one of them another identifier, or update the app in a step of its own."))
      }
      names[identifier] = app.name
    }
  }
}
