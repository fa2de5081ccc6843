internal import AppSiteAssociation
internal import LinkspanCore

extension Command {
  static let match = Command(
    name: "match", summary: "Does this URL open my app, by which rule, and why not?", operands: "URL…",
    discussion: """
      Decides as Apple's matcher does. A match is one of the things that must hold for a link to open an app:
      the app must also be installed and claim the host, and the link be followed in a way that counts.
      With --batch each line is an object {"id":…,"file":…,"host":…,"app":…,"url":…,"os":…}, where file is the
      association file as an object or as a string of its bytes; the answers come in the same order.
      Without --os the answer is the newest behaviour, and a table follows when releases of iOS disagree.
      """,
    flags: [
      Flag("--file", "FILE", "The association file"),
      Flag("--host", "HOST", "The host of the file, or *.HOST for the hosts below it (the URL's own)"),
      Flag(
        "--app", "APP", repeats: true,
        "An application identifier, or a file of an app (every one in the file)"),
      AppReader.flags[0], AppReader.flags[1],
      Flag("--os", "VERSION", repeats: true, "A release, such as ios:12.4 (the newest behaviour)"),
      Flag("--batch", "FILE", "Answer the lines of a file, or of standard input with '-'"),
    ],
    examples: [
      "linkspan match https://example.com/buy/1 --file apple-app-site-association",
      "linkspan match --batch - < questions.jsonl",
    ]
  ) { arguments, console throws(CommandError) in
    if let lines = arguments.value("--batch") {
      try arguments.expectOperands(0...0)
      let own = ["--file", "--host", "--app", "--team", "--bundle-identifier", "--os"]
      if let flag = own.first(where: { arguments.has($0) }) {
        throw arguments.usage("'\(flag)' does not go with '--batch', where each line says its own")
      }
      return try MatchBatch(console).run(lines)
    }
    return try MatchRun(arguments, console).report(to: console)
  }
}

private struct MatchRun {
  private struct Answer {
    var url: LinkURL
    var os: OSVersion?
    /// One for each application; none when the file names no app.
    var traces: [(app: String, trace: MatchTrace)]
    /// Why nothing can match then.
    var reasonWithoutApps: String
    /// For each of the applications; nil when releases were named, or agree.
    var readings: [[ReleaseReading]?]
  }

  private let isJSON: Bool
  private let answers: [Answer]

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    guard let path = arguments.value("--file") else { throw arguments.usage("'--file' is missing") }
    isJSON = arguments.has("--json")
    let source = AssociationSource(try FileReader.read(path))
    guard let file = source.content.file else {
      let first = AssociationChecker.findings(in: source).first { $0.severity == .error }
      throw CommandError(
        "a device drops '\(path)': \(first?.message ?? "it is no JSON object.")",
        help: "'linkspan check \(path)' names every mistake.")
    }
    var releases: [OSVersion?] = []
    for text in arguments.all("--os") { releases.append(try OSVersion.read(text)) }
    let reader = releases.isEmpty ? ReleaseReader(file) : nil
    if releases.isEmpty { releases = [nil] }
    let named = try MatchApps(arguments, file: file)
    for assumption in named.assumptions { console.note("linkspan match: \(assumption).") }
    answers = releases.flatMap { os in
      let matcher = AssociationMatcher(file, os: os)
      let apps = named.identifiers ?? matcher.applicationsToAnswer
      return arguments.operands.map { text in
        let url = LinkURL(text)
        let host = HostScope(arguments.value("--host") ?? url.host)
        return Answer(
          url: url, os: os, traces: apps.map { ($0, matcher.trace(url, app: $0, host: host)) },
          reasonWithoutApps: MatchAnswer.reasonWithoutApps(matcher, url, host),
          readings: apps.map { app in
            let readings = reader?.readings(of: url, app: app, host: host) ?? []
            return readings.count > 1 ? readings : nil
          })
      }
    }
  }

  func report(to console: Console) -> ExitStatus {
    for answer in answers {
      if answer.traces.isEmpty {
        let reason = answer.reasonWithoutApps
        if isJSON {
          console.print(MatchAnswer.json(withoutApps: reason, url: answer.url.text, os: answer.os))
        } else {
          console.print(
            "\(console.style.paint("no match", .yellow))  \(answer.url.text)\n  \(reason)")
        }
      }
      for ((app, trace), readings) in zip(answer.traces, answer.readings) {
        if isJSON {
          console.print(
            MatchAnswer.json(trace, url: answer.url.text, app: app, os: answer.os, readings: readings))
        } else {
          console.print(Self.line(app, trace, answer, console.style))
          if let readings { console.print("  by release:\n" + ReleaseTable.text(readings, indent: "    ")) }
        }
      }
    }
    let allOpen = answers.allSatisfy { $0.traces.contains { $0.trace.decision.verdict == .match } }
    return allOpen ? .yes : .no
  }

  private static func line(_ app: String, _ trace: MatchTrace, _ answer: Answer, _ style: TextStyle) -> String
  {
    let verdict =
      switch trace.decision.verdict {
      case .match: style.paint("match", .green) + "   "
      case .excluded: style.paint("excluded", .red)
      case .noMatch: style.paint("no match", .yellow)
      }
    let release = answer.os.map { "  \($0.name)" } ?? ""
    return "\(verdict)  \(answer.url.text)  \(app)\(release)\n  \(trace.reason)"
  }
}

/// The members every answer of `match` has, in a batch or not.
enum MatchAnswer {
  static func members(_ trace: MatchTrace) -> [(String, JSON)] { members(trace.decision, trace.reason) }

  /// Those of a file that names no app.
  static func members(withoutApps reason: String) -> [(String, JSON)] { members(.noMatch, reason) }

  private static func members(_ decision: Decision, _ reason: String) -> [(String, JSON)] {
    [
      ("decision", .string(decision.verdict.rawValue)), ("entry", .init(decision.entry)),
      ("rule", .init(decision.rule)), ("reason", .string(reason)),
    ]
  }

  /// Why a file that names no app matches nothing: what keeps it from any app, else that.
  static func reasonWithoutApps(_ matcher: AssociationMatcher, _ url: LinkURL, _ host: HostScope) -> String {
    let trace = matcher.trace(url, app: "", host: host)
    if case .applicationNotNamed? = trace.miss { return "the file names no app" }
    return trace.reason
  }

  static func json(
    _ trace: MatchTrace, url: String, app: String, os: OSVersion?, readings: [ReleaseReading]?
  ) -> JSON {
    let releases = readings.map { [("by_release", ReleaseTable.json($0))] } ?? []
    return .object(subject(url, app, os) + members(trace) + releases)
  }

  static func json(withoutApps reason: String, url: String, os: OSVersion?) -> JSON {
    .object(subject(url, nil, os) + members(withoutApps: reason))
  }

  private static func subject(_ url: String, _ app: String?, _ os: OSVersion?) -> [(String, JSON)] {
    [("type", .string("match")), ("url", .string(url)), ("app", .init(app)), ("os", .init(os?.description))]
  }
}

extension AssociationMatcher {
  /// The applications to answer for when none is named: those the release reads, and where it reads none those of
  /// any.
  var applicationsToAnswer: [String] { applications.isEmpty ? applicationsOfAnyRelease : applications }
}

extension OSVersion {
  /// - Throws: What is wrong with the text, as a usage error.
  static func read(_ text: String) throws(CommandError) -> OSVersion {
    do throws(OSVersionError) {
      return try OSVersion(text)
    } catch {
      throw CommandError("\(error)")
    }
  }
}
