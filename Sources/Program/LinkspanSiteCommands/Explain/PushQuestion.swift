internal import AppBundle
internal import AppSiteAssociation
package import LinkspanCommand
package import LinkspanCore
internal import LinkspanFiles
package import PushDelivery
internal import PushProvider
internal import PushTerms
internal import SiteInput

/// A question about a push as a person asked it: the push, the app and the device, and what had to be assumed.
package struct PushQuestion {
  package let situation: PushSituation
  let os: OSVersion
  package private(set) var notKnown: [String] = []
  /// Why no device like this one has the app, whatever was said about its state; nil where nothing keeps it away.
  package let obstacle: String?

  /// In place of those about links.
  static let flags =
    [Flag("--push", "FILE", "Explain a push instead of a link: a payload, such as a .apns file")]
    + situation("With --push")

  /// What the push, the app and the device are like.
  ///
  /// - Parameter start: When the flags count, as the first words of their help.
  package static func situation(_ start: String) -> [Flag] {
    [
      Flag("--info-plist", "FILE", repeats: true, "\(start): the app's Info.plist, the same as --app FILE"),
      Flag(
        "--environment", "SERVER", choices: PushEnvironment.names,
        "\(start): the server it is sent to, sandbox or production (the one of the app's aps-environment)"),
      Flag(
        "--state", "STATE", choices: PushApp.Life.allCases.map { $0.rawValue },
        "\(start): what the app is doing: \(words(PushApp.Life.self)) (suspended)"),
      Flag(
        "--push-type", "TYPE", choices: PushType.allCases.map { $0.rawValue },
        "\(start): apns-push-type (what the payload looks like)"),
      Flag(
        "--priority", "NUMBER", choices: PushPriority.names,
        "\(start): 10, 5 or 1 (5 for background, else 10)"
      ),
      Flag("--topic", "TOPIC", "\(start): apns-topic (the app's bundle identifier)"),
      Flag(
        "--notifications", "PERMISSION", choices: PushApp.Permission.allCases.map { $0.rawValue },
        "\(start): what the user allowed: \(words(PushApp.Permission.self)) (authorized)"),
      Flag("--no-background-refresh", "\(start): the user switched background app refresh off"),
      Flag(
        "--power", "STATE", choices: DeviceConditions.Power.allCases.map { $0.rawValue },
        "\(start): normal, low (Low Power Mode) or critical (normal)"),
      Flag("--offline", "\(start): the device has no network"),
      Flag("--in-use", "\(start): somebody uses the device"),
      Flag("--debugger", "\(start): the app runs under Xcode"),
      Flag(
        "--sent", "COUNT",
        "\(start): background pushes that woke the app shortly before, at most \(mostWakes) (0)"),
      Flag("--opened", "DAYS", "\(start): how long ago the user opened the app, at most \(mostDays) (0)"),
      Flag("--restarted", "SECONDS", "\(start): how long ago the device was started (long ago)"),
      Flag(
        "--profile", "PROFILE", choices: DeliveryProfile.allCases.map { $0.rawValue },
        "\(start): strict, as Apple documents it, or field, as it was observed (strict)"),
    ]
  }

  /// Ours: a century.
  private static let mostDays: Int64 = 36_500
  /// Ours: more than any budget has.
  private static let mostWakes = 1_000_000

  private static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> String {
    type.allCases.map { $0.rawValue }.joined(separator: ", ")
  }

  /// - Throws: What cannot be read, and words that are none.
  package init(_ arguments: Arguments, payload path: String) throws(LinkspanError) {
    var headers = PushHeaders()
    headers.type = arguments.choice("--push-type", PushType.self).map { .init($0.rawValue) }
    headers.priority = arguments.value("--priority").map { .init($0) }
    headers.topic = arguments.value("--topic").map { .init($0) }
    let source = PayloadSource(try FileReader.read(path), headers: headers)
    let payload: ReceivedPayload
    do throws(PayloadProblem) {
      payload = try ReceivedPayload(source)
    } catch {
      throw LinkspanError("'\(path)': \(error.message).", help: error.help)
    }
    os = try OSVersion.read(arguments.value("--os") ?? "ios:26.0")
    let reader = try AppReader(
      arguments.all("--app") + arguments.all("--info-plist"), team: arguments.value("--team"),
      bundleIdentifier: arguments.value("--bundle-identifier"))
    var notKnown: [String] = []
    let traits = try Self.traits(reader, arguments, source, &notKnown)
    var push = SentPush(payload, headers: source.headers)
    if let server = arguments.choice("--environment", PushEnvironment.self) {
      push.server = server
    } else {
      push.server = traits.environment ?? .production
      notKnown.append("to which server the push is sent: the right one is assumed; '--environment' says it")
    }
    obstacle = reader.apps.filter { !$0.isAppClip }.obstacle(on: os)
    let life: PushApp.Life = obstacle == nil ? arguments.choice("--state") ?? .suspended : .notInstalled
    var situation = PushSituation(
      push, to: traits, life: life,
      at: WallTime(milliseconds: 0),
      daysSinceOpened: try arguments.number("--opened", in: 0...Self.mostDays) ?? 0)
    try Self.describe(&situation, arguments)
    self.situation = situation
    if os.platform != .iOS {
      notKnown.append("what \(os.platform.rawValue) does otherwise than iOS, which is simulated")
    }
    self.notKnown = notKnown
  }

  private static func describe(_ situation: inout PushSituation, _ arguments: Arguments) throws(LinkspanError)
  {
    situation.profile = arguments.choice("--profile") ?? .strict
    situation.app.permission = arguments.choice("--notifications") ?? .authorized
    situation.app.allowsBackgroundRefresh = !arguments.has("--no-background-refresh")
    situation.conditions.power = arguments.choice("--power") ?? .normal
    situation.conditions.isOnline = !arguments.has("--offline")
    situation.conditions.isInUse = arguments.has("--in-use")
    situation.conditions.hasDebugger = arguments.has("--debugger")
    situation.wakesBefore = try arguments.number("--sent", in: 0...mostWakes) ?? 0
    if let seconds: Int32 = try arguments.number("--restarted", atLeast: 0) {
      situation.secondsSinceBoot = Int64(seconds)
    }
  }

  // MARK: - The app

  private static func traits(
    _ reader: AppReader, _ arguments: Arguments, _ source: PayloadSource, _ notKnown: inout [String]
  ) throws(LinkspanError) -> PushAppTraits {
    // An App Clip gets no background pushes of its own.
    let apps = reader.apps.filter { !$0.isAppClip }
    guard apps.count <= 1 else {
      throw LinkspanError(
        "there are \(apps.count) apps, and a push goes to one.",
        help: "Name the files of one app with '--app'.")
    }
    let claims = apps.first
    var traits = PushAppTraits(
      bundleIdentifier: claims?.bundleIdentifier ?? source.headers.topic.map {
        PushTopic.parts(of: $0.text).bundle
      }
        ?? source.content.simulatorBundle ?? "com.example.app",
      environment: .production, backgroundModes: [PushAppTraits.remoteNotificationMode])
    if let entitlements = claims?.entitlements {
      traits.environment = try environment(entitlements)
      // A build setting is known once Xcode has replaced it.
      traits.isEnvironmentKnown = entitlements.apsEnvironment?.value.hasPrefix("$(") != true
    } else {
      traits.isEnvironmentKnown = false
      notKnown.append(
        claims?.infoPlist == nil
          ? "whether the app has the entitlement 'aps-environment': no entitlements were given, and 'production' is assumed"
          : "whether the app has the entitlement 'aps-environment': no entitlements were given or signed in, and 'production' is assumed"
      )
    }
    if let infoPlist = claims?.infoPlist {
      traits.backgroundModes = infoPlist.backgroundModes
    } else {
      traits.areModesKnown = false
      notKnown.append(
        "whether UIBackgroundModes lists 'remote-notification': no Info.plist was given, and it is assumed")
    }
    if let text = arguments.value("--build") {
      guard ["app-store", "test-flight", "ad-hoc", "development"].contains(text) else {
        throw arguments.usage(
          "'--build': expected app-store, test-flight, ad-hoc or development, got '\(text)'")
      }
      traits.isTestFlight = text == "test-flight"
      if traits.environment != nil { traits.environment = text == "development" ? .sandbox : .production }
    } else if claims?.isSigned == false, traits.environment == .sandbox {
      notKnown.append(
        "how the app is signed: a project's file says 'development', and Xcode makes it 'production' for TestFlight and "
          + "the App Store; '--build' says it")
    }
    return traits
  }

  private static func environment(_ entitlements: Entitlements) throws(LinkspanError) -> PushEnvironment? {
    guard let value = entitlements.apsEnvironment?.value else { return nil }
    if let environment = PushEnvironment(rawValue: value) { return environment }
    // A build setting, which Xcode replaces.
    if value.hasPrefix("$(") { return .production }
    throw LinkspanError(
      "'\(entitlements.name)': 'aps-environment' is '\(value)'; expected development or production.",
      help: "Add the Push Notifications capability in Xcode, which writes the right value.")
  }
}
