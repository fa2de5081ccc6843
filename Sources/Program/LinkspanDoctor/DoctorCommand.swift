internal import AppSiteAssociation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSiteCommands
internal import SimulatedDevices
internal import SiteInput

extension Command {
  /// Annotated, since the sum of literals takes the compiler long.
  private static let askingAndFollowing: [Flag] = HostSurvey.liveFlags + Flag.wayOfFollowing + Flag.identity
  private static let ofPushes: [Flag] = PushQuestion.situation("Of a push")

  package static let doctor = Command(
    name: "doctor",
    summary: "My link opens Safari (or my push wakes nothing). Why, and who must change what?",
    operands: "TARGET…",
    discussion: """
      TARGET is a link, a host, a file, a folder of hosts or a push payload. doctor asks what can be asked, from the host's
      name to the rules of its file and the entitlements of --app, and names the one cause to mend first: what was seen,
      what to do, who has to do it, and how sure that is. Documentation/doctor.md lists the causes.

      Without --app any app of the file may open. With a folder of a project --app takes its entitlements. Several targets
      are answered one by one, the worst first.
      """,
    flags: [
      Flag(
        "--app", "APP", repeats: true,
        "An .ipa, .app or .xcarchive, entitlements, an Info.plist, a project's folder, or an application identifier"
      ),
      Flag("--os", "VERSION", "The device's release (ios:26.0)"),
      Flag("--not-installed", "The app is not on the device"),
      Flag("--causes", "Print the table of causes, and ask nothing"),
      Flag("--html", "FILE", "Write a report as a page; '-' is standard output"), .force,
    ] + askingAndFollowing + [
      Flag(
        "--claims", "ENTRY", repeats: true, "What apps named by identifier claim (applinks:HOST of the link)"),
      Flag(
        "--build", "KIND", choices: BuildKind.allCases.map { $0.rawValue },
        "How the app was signed: app-store, test-flight, ad-hoc, development or developer-id"),
      Flag("--developer", "The device has developer mode for associated domains on"),
    ] + ofPushes,
    examples: [
      "linkspan doctor https://example.com/shop/1",
      "linkspan doctor https://example.com/shop/1 --app build/App.ipa",
      "linkspan doctor Examples/site --app Examples/app/App.entitlements",
      "linkspan doctor Examples/push/silent.apns --app Examples/push/App.entitlements",
    ],
    commonFlags: ["--app", "--os", "--not-installed", "--from", "--page", "--json", "--help"],
    exitStatus: "0 the link opens the app, 1 it opens the browser or stays in a web view, 2 unknown"
  ) { arguments, console throws(LinkspanError) in
    if arguments.has("--causes") {
      try arguments.expectOperands(0...0)
      console.print(arguments.has("--json") ? CauseTable.json.text : CauseTable.markdown)
      return .yes
    }
    try arguments.expectOperands(1...Int.max)
    let page = try arguments.output("--html", .page(of: "linkspan doctor"))
    let run = try DoctorRun(arguments, console)
    var answers: [DoctorAnswer] = []
    for (index, text) in arguments.operands.enumerated() {
      if arguments.operands.count > 1 {
        console.note("linkspan doctor: \(index + 1) of \(arguments.operands.count): \(text.onOneLine) …")
      }
      switch try DoctorTarget(text, isAboutPush: ofPushes.contains { arguments.has($0.name) }) {
      case .link(let link): answers.append(try run.answer(forLink: link))
      case .host(let name): answers += try run.answer(forHost: name)
      case .site(let path): answers += try run.answers(forSite: path)
      case .push(let path): answers.append(try run.answer(forPush: path))
      }
    }
    answers.sort { $0.order < $1.order }
    try page?.write(Array(DoctorPage(answers).html.utf8), console)
    if arguments.has("--json") {
      for answer in answers { console.print(answer.json) }
    } else if let first = answers.first {
      console.printUnbroken(first.text(console.style))
      if answers.count > 1 {
        console.print("")
        for answer in answers.dropFirst() { console.print(answer.line(console.style)) }
      }
    }
    return answers.map { $0.verdict.exitStatus }.max { $0.rawValue < $1.rawValue } ?? .failed
  }
}
