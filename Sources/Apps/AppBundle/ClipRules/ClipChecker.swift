internal import AssociatedDomains
package import LinkspanCore

/// What App Clips must and cannot be, against what a bundle really is: identifiers and parents, domains on both sides,
/// parts and keys that a clip cannot have, frameworks without function.
package struct ClipChecker {
  private let document: BundleDocument
  private let index: FileIndex?
  private var findings: [Finding] = []

  /// - Parameter index: The files of the bundle, for parts that only a file's name tells of; nil where there are none.
  package init(_ document: BundleDocument, _ index: FileIndex?) {
    self.document = document
    self.index = index
  }

  /// Findings in reading order; none for an app without a clip.
  package func check() -> [Finding] {
    var copy = self
    let main = document.main
    if main.isAppClip {
      copy.check(main, app: nil)
    } else {
      for clip in main.clips { copy.check(clip, app: main) }
      copy.checkCount(main)
    }
    return copy.findings.inReadingOrder()
  }

  private mutating func check(_ clip: BundleInspection, app: BundleInspection?) {
    if let app {
      checkIdentifier(clip, app)
      checkTeam(clip, app)
      checkNaming(clip, app)
      checkDomains(clip, app)
    }
    checkEntitlements(clip, app)
    checkExtensions(clip)
    checkParts(clip)
    checkKeys(clip)
    checkFrameworks(clip)
    checkMinimum(clip)
  }

  // MARK: - Places

  private func shown(_ path: String) -> String { path.isEmpty ? document.name : "\(document.name)/\(path)" }

  private mutating func add(
    _ rule: String, _ severity: Finding.Severity, at location: Finding.Location, _ source: String,
    _ message: String, _ help: String
  ) {
    findings.append(
      Finding(
        rule: "clip." + rule, severity: severity, at: location, message: message, help: help, source: source))
  }

  private func place(_ bundle: BundleInspection) -> Finding.Location { .init(file: shown(bundle.path)) }

  /// Where a key of an Info.plist stands.
  private func place(_ key: String, in plist: InfoPlist) -> Finding.Location {
    guard let member = plist.document.root.member(key) else { return .init(file: plist.document.name) }
    return plist.document.location(
      of: member.keyRange, pointer: JSONPointer().appending(key).description)
  }

  // MARK: - Identity

  private mutating func checkIdentifier(_ clip: BundleInspection, _ app: BundleInspection) {
    guard let own = clip.bundleIdentifier, let parent = app.bundleIdentifier else { return }
    let suffix = own.dropFirst(parent.count + 1)
    guard !own.hasPrefix(parent + ".") || suffix.isEmpty else { return }
    let location = clip.infoPlist.map { place("CFBundleIdentifier", in: $0) } ?? place(clip)
    add(
      "identifier", .error, at: location, "AC1",
      "The clip is '\(own)', which does not begin with the app's '\(parent).'.",
      "App Store Connect refuses it. Name the clip '\(parent).Clip', or with another word behind the dot.")
  }

  private mutating func checkCount(_ app: BundleInspection) {
    if let finding = Self.several(in: app, at: place(app)) { findings.append(finding) }
  }

  /// The finding for an app with more than one clip.
  package static func several(in app: BundleInspection, at place: Finding.Location) -> Finding? {
    guard app.clips.count > 1 else { return nil }
    return Finding(
      rule: "clip.several", severity: .error, at: place, message: "The app has \(app.clips.count) clips.",
      help: "An app has one at most. Keep one target in 'Embed App Clips'; experiences tell its uses apart.",
      source: "AC2")
  }

  private mutating func checkTeam(_ clip: BundleInspection, _ app: BundleInspection) {
    guard let own = clip.teamIdentifier, let team = app.teamIdentifier, own != team else { return }
    add(
      "team", .error, at: place(clip), "AC7", "The clip is signed by team '\(own)', the app by '\(team)'.",
      "Both need one team. Sign both with the same identity.")
  }

  /// The prefix and bundle identifier that a signature grants.
  private static func identifier(_ bundle: BundleInspection) -> String? {
    bundle.entitlements?["application-identifier"]?.string
  }

  private mutating func checkNaming(_ clip: BundleInspection, _ app: BundleInspection) {
    guard app.signature != nil, let own = Self.identifier(clip) else { return }
    let key = Entitlements.clipsKey
    let named = app.entitlements?[key].map { ($0.array ?? []).compactMap(\.string) }
    guard named != [own] else { return }
    let said = named.map { $0.isEmpty ? "no clip" : $0.joined(separator: ", ") } ?? "no clip"
    // A build that was not archived lacks it, and runs from Xcode all the same.
    let isDebug = named == nil && app.entitlements?["get-task-allow"]?.bool == true
    add(
      "app-names-clip", isDebug ? .note : .error, at: place(app), "AC5",
      "The app's signature names \(said), and the clip is '\(own)'.",
      "'\(key)' holds exactly the clip's identifier; Xcode adds it when it archives. "
        + (isDebug ? "A build that Xcode runs need not have it." : "Archive the app again."))
  }

  private mutating func checkEntitlements(_ clip: BundleInspection, _ app: BundleInspection?) {
    // Before signing Xcode has not added them yet.
    guard clip.signature != nil else { return }
    if clip.entitlements?[Entitlements.onDemandKey]?.bool != true {
      add(
        "on-demand-install", .error, at: place(clip), "AC3",
        "The clip's signature lacks '\(Entitlements.onDemandKey)'.",
        "No device takes it for a clip. Register its App ID as a child of the app's (capability ODIC_PARENT_BUNDLEID), "
          + "create the profile again and sign again.")
    }
    checkParents(clip, app)
    checkCloud(clip)
  }

  private mutating func checkParents(_ clip: BundleInspection, _ app: BundleInspection?) {
    let key = Entitlements.parentsKey
    let advice = "'\(key)' holds exactly the identifier of the app, prefix included."
    guard let parents = clip.entitlements?[key]?.array?.compactMap(\.string), !parents.isEmpty else {
      add(
        "parent", .error, at: place(clip), "AC4", "The clip's signature names no parent app.",
        "\(advice) Installing it ends with \"(null) is not a prefix\".")
      return
    }
    let expected = app.flatMap { Self.identifier($0) }
    // Without the app beside it, the identifiers say whether it can be the clip's (AC1, AC7).
    let isPrefix = clip.bundleIdentifier.map { own in
      own.hasPrefix(String(parents[0].drop { $0 != "." }.dropFirst()) + ".")
        && Self.identifier(clip).map { $0.prefix { $0 != "." } == parents[0].prefix { $0 != "." } } ?? true
    }
    guard parents.count > 1 || (expected.map { $0 != parents[0] } ?? (isPrefix == false)) else { return }
    add(
      "parent", .error, at: place(clip), "AC4",
      "The clip's signature names \(parents.joined(separator: ", "))"
        + (expected.map { ", and the app is '\($0)'." } ?? " as its parent."),
      "\(advice) App Store Connect speaks of a missing relationship 'parentBundleId'.")
  }

  private mutating func checkCloud(_ clip: BundleInspection) {
    let services = (clip.entitlements?["com.apple.developer.icloud-services"]?.array ?? [])
      .compactMap(\.string)
    if services.contains(where: { $0 != "CloudKit-Anonymous" }) {
      add(
        "cloudkit", .warning, at: place(clip), "AC12",
        "The clip claims iCloud services: \(services.joined(separator: ", ")).",
        "A clip reads CloudKit's public database and nothing else. Claim 'CloudKit-Anonymous' alone.")
    }
    if services.contains("CloudKit-Anonymous") { needs(16, 0, "Reading CloudKit in a clip", clip) }
    if clip.entitlements?["com.apple.developer.pass-type-identifiers"] != nil {
      needs(17, 0, "Reading passes in a clip", clip)
    }
  }

  // MARK: - Domains

  /// Of the entries that a device reads: of others, such as one with a wildcard (E4), nothing is to be copied.
  private static func hosts(_ bundle: BundleInspection) -> Set<String> {
    let entries = bundle.associatedDomains.filter { $0.hasPrefix("appclips:") }
      .filter { entry in
        do throws(AssociatedDomainProblem) {
          _ = try AssociatedDomain(entry)
          return true
        } catch {
          return error.severity != .error
        }
      }
    return Set(entries.map { ASCII.lowercased(String($0.dropFirst(9).prefix { $0 != "?" })) })
  }

  private mutating func checkDomains(_ clip: BundleInspection, _ app: BundleInspection) {
    guard clip.signature != nil, app.signature != nil else { return }
    let own = Self.hosts(clip)
    let missing = own.subtracting(Self.hosts(app)).sorted()
    if !missing.isEmpty {
      add(
        "domain-app", .warning, at: place(app), "AC6",
        "The app does not claim \(missing.map { "'appclips:\($0)'" }.joined(separator: ", ")), which its clip does.",
        "Once the app is installed it takes the clip's place. Add the same entries to the app.")
    }
    let extra = Self.hosts(app).subtracting(own).sorted()
    if !extra.isEmpty {
      add(
        "domain-clip", .warning, at: place(clip), "AC6",
        "The clip does not claim \(extra.map { "'appclips:\($0)'" }.joined(separator: ", ")), which the app does.",
        "Links of these hosts open no clip. Add the same entries to the clip.")
    }
    if own.isEmpty, extra.isEmpty {
      add(
        "no-domain", .note, at: place(clip), "AC6",
        "Neither the clip nor the app claims an 'appclips:' domain.",
        "Only Apple's own links open the clip then, from iOS 16.4 on. Add 'appclips:HOST' to both.")
    }
  }

  // MARK: - Parts

  private mutating func checkExtensions(_ clip: BundleInspection) {
    for part in clip.extensions {
      let point = part.infoPlist?.document.root["NSExtension"]?["NSExtensionPointIdentifier"]?.string
      guard point == "com.apple.widgetkit-extension" else {
        add(
          "extension", .error, at: place(part), "AC8",
          "The clip has an extension\(point.map { " of the kind '\($0)'" } ?? "").",
          "Only a widget extension for Live Activities may be in a clip. Leave it to the app.")
        continue
      }
      if let own = part.bundleIdentifier, let parent = clip.bundleIdentifier, !own.hasPrefix(parent + ".") {
        add(
          "extension-identifier", .error, at: place(part), "AC8",
          "The extension is '\(own)', which does not begin with the clip's '\(parent).'.",
          "Name it '\(parent).Widget', or with another word behind the dot.")
      }
      if part.signature != nil,
        part.entitlements?[Entitlements.onDemandKey]?.bool != true
      {
        add(
          "extension-on-demand", .error, at: place(part), "AC8",
          "The extension's signature lacks '\(Entitlements.onDemandKey)'.",
          "An extension of a clip needs the entitlement as the clip does. Add it and sign again.")
      }
      needs(16, 1, "A Live Activity", clip)
    }
  }

  private mutating func checkParts(_ clip: BundleInspection) {
    for inner in clip.clips + clip.watchApps {
      add(
        "contains", .error, at: place(inner), "AC13", "The clip contains another app.",
        "A clip has neither clips nor watch apps. Take it out of the target.")
    }
    guard let index else { return }
    let inside = clip.path.isEmpty ? "" : clip.path + "/"
    if !index.range(of: inside + "Settings.bundle").isEmpty {
      add(
        "settings-bundle", .warning, at: .init(file: shown(inside + "Settings.bundle")), "AC11",
        "The clip has a settings bundle.", "Settings are the app's. Take it out of the target.")
    }
    if index.index(of: inside + "OnDemandResources.plist") != nil {
      add(
        "on-demand-resources", .warning, at: .init(file: shown(inside + "OnDemandResources.plist")), "AC11",
        "The clip has on-demand resources, which a clip cannot load.",
        "Put the resources into the clip, or download them from a server of your own.")
    }
  }
}

// MARK: - Info.plist, programs, releases

extension ClipChecker {
  /// Keys of an Info.plist that do nothing in a clip.
  private static let unavailable: [(key: String, what: String)] = [
    ("CFBundleURLTypes", "registers URL schemes"), ("UIBackgroundModes", "asks for background modes"),
    ("NSBonjourServices", "looks for services on the local network"),
    ("NSUserTrackingUsageDescription", "asks to track people"),
    ("SKAdNetworkItems", "has advertisements attributed"), ("NSFaceIDUsageDescription", "asks for Face ID"),
    ("CFBundleDocumentTypes", "offers to open documents"),
  ]

  private static let flags = [
    "NSAppClipRequestEphemeralUserNotification", "NSAppClipRequestLocationConfirmation",
  ]

  private mutating func checkKeys(_ clip: BundleInspection) {
    guard let plist = clip.infoPlist else { return }
    for (key, what) in Self.unavailable where plist.document.root[key] != nil {
      add(
        "unavailable-key", .warning, at: place(key, in: plist), "AC11", "The clip \(what): '\(key)'.",
        "In a clip that has no effect. Remove the key here and leave it to the app.")
    }
    guard let member = plist.document.root.member("NSAppClip") else { return }
    guard let keys = member.value.dictionary else {
      add(
        "info-key", .error, at: place("NSAppClip", in: plist), "AC9",
        "'NSAppClip' is \(member.value.typeName); expected a dictionary.",
        "Write it as Xcode's template does.")
      return
    }
    for inner in keys where !Self.flags.contains(inner.key) || inner.value.bool == nil {
      let near = Spelling.nearest(to: inner.key, among: Self.flags)
      let isKnown = Self.flags.contains(inner.key)
      add(
        "info-key", isKnown ? .error : .warning,
        at: plist.document.location(
          of: inner.keyRange, pointer: JSONPointer().appending("NSAppClip").appending(inner.key).description),
        "AC9",
        isKnown
          ? "'\(inner.key)' is \(inner.value.typeName); expected a boolean."
          : "'\(inner.key)' is not a key of 'NSAppClip'.",
        isKnown
          ? "Write true or false."
          : near.map { "Did you mean '\($0)'?" } ?? "It may have \(Self.flags.joined(separator: " and ")).")
    }
  }

  /// Frameworks that can be linked and do nothing in a clip. PhotoKit's are Photos and PhotosUI.
  ///
  /// - Source: Apple, "Choosing the right functionality for your App Clip".
  private static let dead: Set<String> = [
    "AppIntents", "AssetsLibrary", "BackgroundTasks", "CallKit", "CareKit", "Contacts", "ContactsUI",
    "CoreMotion",
    "EventKit", "EventKitUI", "FileProvider", "FileProviderUI", "HealthKit", "HomeKit", "MediaPlayer",
    "Messages",
    "MessageUI", "NearbyInteraction", "Photos", "PhotosUI", "ResearchKit", "SensorKit", "Speech",
  ]

  private mutating func checkFrameworks(_ clip: BundleInspection) {
    for bundle in [clip] + clip.frameworks {
      guard let slice = bundle.program?.mainSlice else { continue }
      for library in slice.libraries {
        let parts = library.name.split(separator: "/")
        guard let folder = parts.dropLast().last(where: { $0.hasSuffix(".framework") }),
          case let name = String(folder.dropLast(10)), Self.dead.contains(name)
        else { continue }
        add(
          "dead-framework", library.isWeak ? .note : .warning, at: place(bundle), "AC10",
          "The program links \(name), which does nothing in a clip.",
          "Calls compile and fail on the device. Leave it to the app, behind a compilation condition.")
      }
    }
  }

  private static func release(_ text: String?) -> (major: Int, minor: Int)? {
    guard let numbers = text?.split(separator: ".").map({ Int($0) }), let major = numbers.first ?? nil else {
      return nil
    }
    return (major, numbers.count > 1 ? numbers[1] ?? 0 : 0)
  }

  private mutating func checkMinimum(_ clip: BundleInspection) {
    guard let minimum = Self.release(clip.minimumOS), minimum.major < 14 else { return }
    let location = clip.infoPlist.map { place("MinimumOSVersion", in: $0) } ?? place(clip)
    add(
      "minimum-os", .error, at: location, "AC14",
      "The clip's minimum is iOS \(clip.minimumOS ?? ""), and App Clips exist since iOS 14.",
      "Set the clip's deployment target to 14.0 or later; the app's may be lower.")
  }

  /// A feature that the oldest release of a clip lacks.
  private mutating func needs(_ major: Int, _ minor: Int, _ what: String, _ clip: BundleInspection) {
    guard let minimum = Self.release(clip.minimumOS), minimum < (major, minor) else { return }
    let location = clip.infoPlist.map { place("MinimumOSVersion", in: $0) } ?? place(clip)
    add(
      "feature-os", .note, at: location, "AC12",
      "\(what) works from iOS \(major)\(minor > 0 ? ".\(minor)" : "") on, and the clip runs on iOS \(clip.minimumOS ?? "").",
      "Ask for the release before using it, or raise the clip's deployment target.")
  }
}
