internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let swcutilExplain = Command(
    name: "swcutil explain",
    summary: "What a device knows about its links, what is wrong and what to do",
    operands: "FILE",
    discussion: """
      FILE is the swcutil_show.txt of a sysdiagnose, the output of 'swcutil show', lines of swcd's log, or all of
      these in one; '-' is standard input. Each answer cites its rule and how sure it is:
      documented by Apple, observed and published by others, or inferred.
      """,
    flags: [
      Flag("--app", short: "-a", "ID", "Only this application identifier; says so when the device lacks it"),
      Flag("--domain", short: "-d", "DOMAIN", "Only this domain"),
    ],
    examples: [
      "linkspan swcutil explain swcutil_show.txt", "log show --info | linkspan swcutil explain -",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let path = arguments.operands[0]
    let state = DeviceStateReader.read(try FileReader.read(path))
    guard !state.isEmpty else {
      throw LinkspanError(
        "'\(path)' holds neither entries of 'swcutil show' nor lines of swcd's log.",
        help: "Take a sysdiagnose on the device and name the swcutil_show.txt in it.")
    }
    let explanation = DeviceExplanation(
      state, app: arguments.value("--app"), domain: arguments.value("--domain").map { ASCII.lowercased($0) })
    if arguments.has("--json") {
      console.print(explanation.json)
    } else {
      console.print(explanation.text(console.style), terminator: "")
    }
    return explanation.isGood ? .yes : .no
  }
}

private struct DeviceExplanation {
  private let diagnoses: [DeviceDiagnosis]
  private let events: [DeviceEvent]
  private let absence: DeviceProblem?
  private let isCut: Bool

  init(_ state: DeviceState, app: String?, domain: String?) {
    diagnoses = DeviceDiagnosis.all(of: state).filter { diagnosis in
      (app == nil || diagnosis.association.app == app)
        && (domain == nil || diagnosis.association.domain == domain)
    }
    events = state.events.filter { domain == nil || $0.domain == nil || $0.domain == domain }
    absence = app.flatMap { DeviceDiagnosis.absence(of: $0, domain: domain, in: state) }
    isCut = state.isCut
  }

  var isGood: Bool {
    absence == nil && diagnoses.allSatisfy { $0.problems.isEmpty } && !events.contains { $0.isProblem }
  }

  // MARK: - Text

  func text(_ style: TextStyle) -> String {
    var text = ""
    for diagnosis in diagnoses { text += Self.text(diagnosis, style) }
    if let absence { text += Self.text(absence, style) }
    // A line whose host has an entry is in that entry's answer already.
    let hosts = Set(diagnoses.filter { !$0.problems.isEmpty }.map { $0.association.host })
    for event in events {
      guard let problem = DeviceProblem.of(event), event.domain.map({ !hosts.contains($0) }) ?? true else {
        continue
      }
      text += style.bold("line \(event.line) of the log") + (event.time.map { ", \($0.name)" } ?? "") + "\n"
      text += Self.text(problem, style)
    }
    let works = diagnoses.count { $0.state == .works }
    text += "\(diagnoses.count.counted("association")), \(works) in order; "
    text += "\(events.count.counted("log line")) understood\n"
    if isCut { text += "The file is longer than what is read; the rest was left out.\n" }
    return text
  }

  private static func text(_ diagnosis: DeviceDiagnosis, _ style: TextStyle) -> String {
    let entry = diagnosis.association
    let names = [entry.service, entry.app, entry.domain + (entry.mode.map { "?mode=\($0)" } ?? "")]
    let state = style.paint(diagnosis.state.name, diagnosis.problems.isEmpty ? .green : .red)
    var text =
      style.bold(names.map { $0.isEmpty ? "(none)" : $0.onOneLine }.joined(separator: "  ")) + "  " + state
    if let count = entry.patternCount { text += ", \(count.counted("pattern"))" }
    text += "\n"
    var times: [String] = []
    if let last = entry.lastChecked { times.append("checked \(last.name)") }
    if let retries = entry.retries, retries > 0 {
      times.append(retries == 1 ? "failed once" : "failed \(retries) times in a row")
    }
    if let next = entry.nextCheck { times.append("asks again \(next.name)") }
    if !times.isEmpty { text += "  " + times.joined(separator: ", ") + "\n" }
    return text + diagnosis.problems.map { Self.text($0, style) }.joined()
  }

  private static func text(_ problem: DeviceProblem, _ style: TextStyle) -> String {
    "  \(problem.message.onOneLine)  [\(Provenance(problem.rules, problem.certainty).text)]\n"
      + "    \(problem.help.onOneLine)\n"
  }

  // MARK: - JSON

  var json: JSON {
    .object([
      ("type", .string("device-state")),
      ("associations", .array(diagnoses.map(Self.json))),
      ("missing", .array(absence.map { [Self.json($0)] } ?? [])),
      (
        "log",
        .array(
          events.map { event in
            .object([
              ("line", .int(event.line)), ("event", .string(event.name)), ("domain", .init(event.domain)),
              ("time", Self.json(event.time)), ("problem", DeviceProblem.of(event).map(Self.json) ?? .null),
            ])
          })
      ),
      ("cut", .bool(isCut)),
    ])
  }

  private static func json(_ diagnosis: DeviceDiagnosis) -> JSON {
    let entry = diagnosis.association
    let error = entry.error.map { error in
      JSON.object([
        ("text", .string(error.text)),
        (
          "causes",
          .array(error.causes.map { .object([("domain", .string($0.domain)), ("code", .int($0.code))]) })
        ),
      ])
    }
    return .object([
      ("line", .int(entry.line)), ("service", .string(entry.service)), ("app", .string(entry.app)),
      ("domain", .string(entry.domain)), ("mode", .init(entry.mode)),
      ("state", .string(diagnosis.state.rawValue)),
      ("user_approval", .init(entry.userApproval?.name)),
      ("site_approval", .init(entry.siteApproval?.name)), ("flags", .array(entry.flags.map(JSON.string))),
      ("patterns", .init(entry.patternCount)), ("last_checked", json(entry.lastChecked)),
      ("next_check", json(entry.nextCheck)), ("retries", .init(entry.retries)), ("error", error ?? .null),
      ("problems", .array(diagnosis.problems.map(json))),
    ])
  }

  /// RFC 3339, or null for a form that is not known.
  private static func json(_ time: DeviceTime?) -> JSON { .init(time?.moment.map { "\($0)" }) }

  private static func json(_ problem: DeviceProblem) -> JSON {
    .object([
      ("problem", .string(problem.identifier)), ("message", .string(problem.message)),
      ("help", .string(problem.help)), ("rules", .array(problem.rules.map(JSON.string))),
      ("certainty", .string(problem.certainty.rawValue)),
    ])
  }
}

extension DeviceEvent {
  fileprivate var name: String {
    switch kind {
    case .download: "download"
    case .refusedByCDN: "refused-by-cdn"
    case .redirectRefused: "redirect-refused"
    case .certificateRefused: "certificate-refused"
    case .added: "added"
    }
  }
}
