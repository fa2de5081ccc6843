internal import AppSiteAssociation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanSimulator
internal import PushDelivery
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

      The simulation is made of --site and --app; with --live it uses what the real hosts and Apple's CDN answer. With
      --story it is that of a story: at --at, else at the last tap of the link that opened no app, else at the end.
      Exit status 0 when what --expect names opens, 1 when it doesn't.

      With --push FILE in place of the URL it follows a push from its sender to the app: whether it would wake the app,
      whether it would show something, what stops it, and what to change. --app takes the app's files here too. Exit
      status 0 when it wakes the app (for a push that only shows something: when it is shown), 1 when it doesn't.
      """,
    flags: [
      Flag(
        "--site", "SITE", repeats: true,
        "An association file, or a folder laid out HOST/.well-known/apple-app-site-association"),
      Flag("--host", "HOST", "The host of files named one by one (the URL's own)"),
      Flag(
        "--app", "APP", repeats: true,
        "Entitlements, Info.plist, provisioning profile (one of each makes one app), Expo's app.json, or an "
          + "application identifier (those of the files)"),
      Flag.identity[0], Flag.identity[1],
      Flag(
        "--claims", "ENTRY", repeats: true, "What apps named by identifier claim (applinks:HOST of the URL)"),
      Flag(
        "--build", "KIND", choices: BuildKind.allCases.map(\.rawValue),
        "How the apps were signed: app-store, test-flight, ad-hoc, development or developer-id"),
      Flag("--os", "VERSION", "The device's release (ios:26.0)"),
      Flag("--developer", "The device has developer mode for associated domains on"),
      Flag("--managed", "The device is managed, with direct downloads allowed"),
      Flag("--story", "STORY", "Explain inside a story instead"),
      Flag("--device", "NAME", "With --story: the device (the first on which the link opens no app)"),
      Flag("--at", "MOMENT", "With --story: after this many steps of its script, or 'end'"),
      Flag("--seed", "NUMBER", "With --story: the seed to use instead of the story's own"),
      Flag(
        "--from", "WAY", choices: WayOfFollowing.names,
        "How the link is followed: \(WayOfFollowing.names.joined(separator: ", ")) (messages)"),
      Flag("--page", "URL", "With --from safari: the page of the link"),
      Flag("--through", "URL", repeats: true, "With --from redirect or tracker: the link that is tapped"),
      Flag("--choice", "WHAT", choices: ["app", "browser"], "With --from long-press: app or browser"),
      Flag("--in", "ID", "With --from own-app or webview: the app in which it is followed"),
      Flag(
        "--expect", "WHAT",
        choices: ChangeSearch.Goal.allCases.map(\.rawValue) + PushExplanation.Goal.allCases.map(\.rawValue),
        "What should open, app or browser; with --push, wake or show; the changes aim for it (app)"),
      Flag("--live", "Ask the real hosts and Apple's CDN"),
    ] + HostSurvey.liveFlags + PushQuestion.flags,
    examples: [
      "linkspan explain https://example.com/shop/1 --site Examples/site --os ios:17.4 --from safari "
        + "--page https://example.com/",
      "linkspan explain https://qa.example.com/shop/1 --story Examples/stories/qa-behind-a-filter.json5",
      "linkspan explain --push Examples/push/silent.apns --app Examples/push/App.entitlements "
        + "--info-plist Examples/push/Info.plist --state force-quit",
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
    let url = LinkURL(link)
    guard ["http", "https"].contains(url.scheme), !url.host.isEmpty else {
      throw LinkspanError(
        "'\(link)' is not an http or https URL.", help: "Write it whole: https://example.com/path.")
    }
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
      + HostSurvey.liveFlags.map(\.name)
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
    let world = try ExplainWorld(arguments, link: link, way: try way(), console: console)
    let explanation: Explanation
    do throws(SimulationError) {
      explanation = try Explanation(world.situation, goal: goal, notKnown: world.notKnown)
    } catch {
      throw LinkspanError("the simulation failed: \(error)")
    }
    if arguments.has("--json") {
      console.print(explanation.json)
    } else {
      console.print(ExplanationText(explanation, remark: world.remark).text(console.style), terminator: "")
    }
    guard explanation.chain.verdict.isDecided else { return .failed }
    return (explanation.chain.verdict.app != nil) == (goal == .app) ? .yes : .no
  }

  /// - Returns: nil when nothing is said.
  private func way() throws(LinkspanError) -> WayOfFollowing? {
    let details = WayDetails(
      page: arguments.value("--page"), through: arguments.all("--through"), app: arguments.value("--in"),
      choice: arguments.value("--choice"))
    let given = ["page": "--page", "through": "--through", "app": "--in", "choice": "--choice"]
    let name = arguments.value("--from")
    if let name, !WayOfFollowing.names.contains(name) {
      let near = Arguments.nearest(to: name, among: WayOfFollowing.names)
      throw arguments.usage(
        "'\(name)' is not a way to follow a link"
          + (near.map { ". Did you mean '\($0)'?" }
            ?? "; expected \(WayOfFollowing.names.joined(separator: ", "))"))
    }
    for (key, names) in WayDetails.ways where !names.contains(name ?? "messages") {
      guard let flag = given[key], arguments.has(flag) else { continue }
      throw arguments.usage("'\(flag)' goes with '--from \(names.joined(separator: "' and '--from "))'")
    }
    guard let name else { return nil }
    do throws(WayProblem) {
      return try WayOfFollowing(name: name, details)
    } catch {
      throw LinkspanError(error.message, help: given[error.key].map { "Give it with '\($0)'." })
    }
  }
}
