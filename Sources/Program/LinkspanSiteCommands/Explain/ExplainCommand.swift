internal import AppSiteAssociation
import LinkExplanation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import LinkspanStories
internal import PushDelivery
import SimulatedDevices
internal import SiteInput

extension Command {
  package static let explain = Command(
    name: "explain",
    summary: "What does this link do on a device, step by step, and what would change the outcome?",
    operands: "URL",
    discussion: """
      Follows one link on a simulated device and reports every step from finger to screen: what was found there, by
      which rule, and how sure that rule is (documented by Apple, observed by others, inferred).
      Then it searches for the smallest sets of changes that would change the outcome, and says who has to make each.
      The answer is the step that decides and the cheapest changes; --why shows all of it.

      --site and --app describe the world; --live asks the real hosts and Apple's CDN. --story replays a story; default
      moment: the last failed tap of the link, else the end.
      Exit status 0 if what --expect names opens, 1 if not, 2 if unknown: with --live, if neither the hosts nor Apple's
      CDN answered, or if sources disagree about this way of following a link or omit it (Documentation/navigation.md).

      --push FILE instead of the URL follows a push from its sender to the app: whether it wakes the app and shows an
      alert, what stops it, and what to change; --app takes the app's files. Exit status 0 if it wakes the app (for a
      push that only shows an alert: if it is shown), 1 if not.
      """,
    flags: [
      Flag(
        "--site", "SITE", repeats: true,
        "An association file, or a folder laid out HOST/.well-known/apple-app-site-association"),
      Flag("--host", "HOST", "The host of files named one by one (the URL's own)"),
      Flag(
        "--app", "APP", repeats: true,
        "An .ipa, .app or .xcarchive, entitlements, Info.plist, provisioning profile (one of each makes one app), "
          + "Expo's app.json, or an application identifier (those of the files)"),
      Flag.identity[0], Flag.identity[1],
      Flag(
        "--claims", "ENTRY", repeats: true, "What apps named by identifier claim (applinks:HOST of the URL)"),
      Flag(
        "--build", "KIND", choices: BuildKind.allCases.map { $0.rawValue },
        "How the apps were signed: app-store, test-flight, ad-hoc, development or developer-id"),
      Flag("--os", "VERSION", "The device's release (ios:26.0)"),
      Flag("--developer", "The device has developer mode for associated domains on"),
      Flag("--managed", "The device is managed, with direct downloads allowed"),
      Flag("--story", "STORY", "Explain inside a story instead"),
      Flag("--device", "NAME", "With --story: the device (the first on which the link opens no app)"),
      Flag("--at", "MOMENT", "With --story: after this many steps of its script, or 'end'"),
      Flag("--seed", "NUMBER", "With --story: the seed to use instead of the story's own"),
    ] + Flag.wayOfFollowing + [
      Flag(
        "--expect", "WHAT",
        choices: ChangeSearch.Goal.allCases.map { $0.rawValue }
          + PushExplanation.Goal.allCases.map { $0.rawValue },
        "What should open, app or browser; with --push, wake or show; the changes aim for it (app)"),
      Flag("--why", "Every step with its source, every change that would help, and what is not known"),
      Flag("--live", "Ask the real hosts and Apple's CDN"),
    ] + HostSurvey.liveFlags + PushQuestion.flags,
    examples: [
      "linkspan explain https://example.com/shop/1 --site Examples/site --os ios:17.4 --from safari "
        + "--page https://example.com/",
      "linkspan explain https://qa.example.com/shop/1 --story Examples/stories/qa-behind-a-filter.json5",
      "linkspan explain --push Examples/push/silent.apns --app Examples/push/App.entitlements "
        + "--info-plist Examples/push/Info.plist --state force-quit",
    ],
    commonFlags: [
      "--site", "--app", "--live", "--os", "--from", "--page", "--push", "--expect", "--why", "--json",
      "--help",
    ]
  ) { arguments, console throws(LinkspanError) in
    if let push = try ExplainPush(arguments) { return try push.report(to: console) }
    return try ExplainRun(arguments).report(to: console)
  }
}

private struct ExplainRun {
  private let arguments: Arguments
  private let link: String
  private let goal: ChangeSearch.Goal

  init(_ arguments: Arguments) throws(LinkspanError) {
    try arguments.expectOperands(1...1)
    self.arguments = arguments
    link = arguments.operands[0]
    let url = LinkURL(written: link)
    guard ["http", "https"].contains(url.scheme), !url.host.isEmpty, url.fault == nil else {
      throw LinkspanError(
        "'\(link.withoutUserInformation)' is not an http or https URL\(url.fault.map { ": " + $0 } ?? "").",
        help: "Write it whole: https://example.com/path.")
    }
    if url.isAppleClipLink { throw .appleClipLink(link) }
    let expected = arguments.value("--expect") ?? "app"
    guard let goal = ChangeSearch.Goal(rawValue: expected) else {
      throw arguments.usage("'--expect': expected app or browser, got '\(expected)'")
    }
    self.goal = goal
    let own =
      [
        "--site", "--host", "--app", "--team", "--bundle-identifier", "--claims", "--build", "--os",
        "--developer", "--managed", "--live",
      ]
      + HostSurvey.liveFlags.map { $0.name }
    let inStory = ["--device", "--at", "--seed"]
    let misplaced = arguments.has("--story") ? own : inStory
    if let flag = misplaced.first(where: { arguments.has($0) }) {
      throw arguments.usage(
        "'\(flag)' \(arguments.has("--story") ? "does not go with '--story', which has its own world" : "goes with '--story'")"
      )
    }
    if !arguments.has("--live"), let flag = HostSurvey.liveFlags.first(where: { arguments.has($0.name) }) {
      throw arguments.usage("'\(flag.name)' goes with '--live'")
    }
  }

  func report(to console: Console) throws(LinkspanError) -> ExitStatus {
    let world = try ExplainWorld(arguments, link: link, way: try arguments.wayOfFollowing(), console: console)
    if let silence = world.silence, silence.isWhole { return report(silence, world, to: console) }
    let explanation: Explanation
    var situation = world.situation
    // As `doctor` has it: what cannot be installed is not on the device.
    let claims = world.apps?.claims ?? []
    if let obstacle = claims.obstacle(on: situation.traits.os) {
      situation.story.script = []
      situation.neededRelease = claims.minimum(above: situation.traits.os)
      console.note("linkspan explain: \(obstacle)")
    }
    do throws(SimulationError) {
      explanation = try Explanation(situation, goal: goal, notKnown: world.notKnown)
    } catch {
      throw LinkspanError("the simulation failed: \(error)")
    }
    if let silence = world.silence, silence.decides(explanation.chain.verdict) {
      return report(silence, world, to: console)
    }
    if arguments.has("--json") {
      console.print(explanation.json)
    } else {
      let text = ExplanationText(explanation, remark: world.remark, columns: console.style.columns)
      let whole = arguments.has("--why")
      console.print(whole ? text.text(console.style) : text.brief(console.style), terminator: "")
    }
    let verdict = explanation.chain.verdict
    guard verdict.isDecided, !verdict.isUnknown else { return .failed }
    return goal.isReached(by: verdict) ? .yes : .no
  }

  /// Nothing was fetched that decides: the answer is not known.
  private func report(_ silence: LiveSilence, _ world: ExplainWorld, to console: Console) -> ExitStatus {
    if arguments.has("--json") {
      console.print(silence.json(world.situation, goal: goal, notKnown: world.notKnown))
    } else {
      let text = silence.text(
        world.situation, notKnown: world.notKnown, isWhole: arguments.has("--why"), console.style)
      console.print(text, terminator: "")
    }
    return .failed
  }
}
