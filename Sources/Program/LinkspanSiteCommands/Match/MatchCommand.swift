internal import AppBundle
internal import AppSiteAssociation
internal import AssetLinks
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles

extension Command {
  package static let match = Command(
    name: "match", summary: "Does this URL open my app, by which rule, and why not?", operands: "URL…",
    discussion: """
      Decides as Apple's matcher does. A match is one of the things that must hold for a link to open an app:
      the app must also be installed and claim the host, and the link be followed in a way that counts.
      With --batch each line is an object {"id":…,"file":…,"host":…,"app":…,"url":…,"os":…}, where file is the
      association file as an object or as a string of its bytes; the answers come in the same order.
      Without --os the answer is the newest behaviour, and a table follows when releases of iOS disagree.

      --urls reads a list with one URL a line and answers each line as it comes, however long the list is. Empty lines
      and lines that begin with '#' are skipped. Lists get no table of releases; name the releases with --os instead.
      """,
    flags: [
      Flag("--file", "FILE", "The association file"),
      Flag("--host", "HOST", "The host of the file, or *.HOST for the hosts below it (the URL's own)"),
      Flag(
        "--app", "APP", repeats: true,
        "An application identifier, or a file of an app (every one in the file)"),
      Flag.identity[0], Flag.identity[1],
      Flag("--os", "VERSION", repeats: true, "A release, such as ios:12.4 (the newest behaviour)"),
      Flag("--urls", "FILE", "Match the URLs of a list, one a line; '-' reads standard input"),
      Flag("--batch", "FILE", "Answer the lines of a file, or of standard input with '-'"),
    ],
    examples: [
      "linkspan match https://example.com/buy/1 --file apple-app-site-association",
      "linkspan match --urls urls.txt --file apple-app-site-association --app ABCDE12345.com.example.app",
      "linkspan match --batch - < questions.jsonl",
    ]
  ) { arguments, console throws(LinkspanError) in
    if let lines = arguments.value("--batch") {
      try arguments.expectOperands(0...0)
      let own = ["--file", "--host", "--app", "--team", "--bundle-identifier", "--os", "--urls"]
      if let flag = own.first(where: { arguments.has($0) }) {
        throw arguments.usage("'\(flag)' does not go with '--batch', where each line says its own")
      }
      return try MatchBatch(console).run(lines)
    }
    var run = try MatchRun(arguments, console)
    return try run.run(console)
  }
}

/// Answers one URL after the other and keeps nothing of them.
private struct MatchRun {
  /// One release, and what was learned about the file as it reads it.
  private struct Reading {
    var os: OSVersion?
    var matcher: ReasonedMatcher
    var apps: [String]
  }

  private let arguments: Arguments
  private let isJSON: Bool
  private let host: HostScope?
  private var readings: [Reading]
  /// For the table of releases; nil when releases were named, or URLs come from a list.
  private var releases: ReleaseReader?
  private var isEveryURLOpening = true
  /// For one URL, all applications and releases together.
  private var work = WorkBudget.answer
  private var isAnythingDecided = false
  private var isEverythingDecided = true

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    if arguments.has("--urls") {
      try arguments.expectOperands(0...0)
    } else {
      try arguments.expectOperands(1...Int.max)
    }
    guard let path = arguments.value("--file") else { throw arguments.usage("'--file' is missing") }
    self.arguments = arguments
    isJSON = arguments.has("--json")
    let text = try FileReader.read(path)
    try Self.refuseOtherKinds(text)
    let file = try AssociationSource.usable(text).1
    var asked: [OSVersion?] = []
    for text in arguments.all("--os") { asked.append(try OSVersion.read(text)) }
    releases = asked.isEmpty && !arguments.has("--urls") ? ReleaseReader(file) : nil
    let named = try MatchApps(arguments, file: file)
    for assumption in named.assumptions { console.note("linkspan match: \(assumption).") }
    readings = (asked.isEmpty ? [nil] : asked).map { os in
      let matcher = AssociationMatcher(file, os: os)
      return Reading(
        os: os, matcher: ReasonedMatcher(matcher), apps: named.identifiers ?? matcher.applicationsToAnswer)
    }
    host = try arguments.host(takesWildcard: true).map(HostScope.init)
  }

  /// A file about the app, or for Android, is told for what it is, and not for what it lacks.
  private static func refuseOtherKinds(_ text: SourceText) throws(LinkspanError) {
    if let kind = AppFile.kind(of: text.bytes, name: text.name) {
      throw LinkspanError(
        "'\(text.name)' is \(kind); expected an association file.",
        help: "Give it with '--app', and name the association file with '--file'.")
    }
    if StatementSource.isStatementList(text) {
      throw LinkspanError(
        "'\(text.name)' is a statement list for Android; expected an association file.",
        help: "'linkspan check \(text.name)' checks it.")
    }
  }

  mutating func run(_ console: Console) throws(LinkspanError) -> ExitStatus {
    if let path = arguments.value("--urls") { return try runList(path, console) }
    for text in arguments.operands { answer(LinkURL(text), on: console) }
    return status
  }

  private var status: ExitStatus {
    if !isEverythingDecided, !isAnythingDecided { return .failed }
    return isEveryURLOpening ? .yes : .no
  }

  /// - Throws: For a list that cannot be read, and for one without a URL, whose answer would be a yes to nothing.
  private mutating func runList(_ path: String, _ console: Console) throws(LinkspanError) -> ExitStatus {
    var reader = try LineReader(path, beforeWaiting: { console.flush() })
    var number = 0
    var hasURL = false
    var isEveryLineGood = true
    while let line = try reader.next() {
      number += 1
      switch line {
      case .tooLong:
        isEveryLineGood = false
        let message = "the line has more than \(LineReader.lineLimitBytes >> 20) MB"
        if isJSON {
          console.print(
            .object([("type", .string("error")), ("line", .int(number)), ("message", .string(message))]))
        } else {
          console.note("linkspan match: line \(number): \(message)")
        }
      case .bytes(let bytes):
        guard let text = Self.url(bytes) else { continue }
        hasURL = true
        // Of a list each URL has an answer of its own.
        work = .answer
        answer(LinkURL(text), on: console)
      }
    }
    guard hasURL || !isEveryLineGood else {
      throw LinkspanError(
        "there is no URL in \(path == "-" ? "standard input" : "'\(path)'").", help: "Write one URL a line.")
    }
    return isEveryLineGood ? status : .failed
  }

  /// The line without blanks at its ends; nil for an empty line, and for a comment, which begins with '#'.
  private static func url(_ line: [UInt8]) -> String? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    guard let first = line.firstIndex(where: { !isBlank($0) }),
      let last = line.lastIndex(where: { !isBlank($0) })
    else { return nil }
    if line[first] == UInt8(ascii: "#") { return nil }
    return String(decoding: line[first...last], as: UTF8.self)
  }

  /// Our estimate.
  private static let bytesToldPerStep = 2

  private mutating func answer(_ url: LinkURL, on console: Console) {
    let host = self.host ?? .exactly(url.host)
    for index in readings.indices {
      let os = readings[index].os
      var isOpening = false
      if readings[index].apps.isEmpty {
        let reason = MatchAnswer.reasonWithoutApps(readings[index].matcher.matcher, url, host)
        if isJSON {
          console.print(MatchAnswer.json(withoutApps: reason, url: url.text, os: os))
        } else {
          console.print(
            "\(console.style.paint("no match", .yellow))  \(url.text.onOneLine)\n  \(reason.onOneLine)")
        }
      }
      for app in readings[index].apps {
        let trace = readings[index].matcher.trace(url, app: app, host: host, &work)
        if trace.decision.verdict == .match { isOpening = true }
        if trace.decision.isDecided { isAnythingDecided = true } else { isEverythingDecided = false }
        let table = work.isExhausted ? [] : releases?.readings(of: url, app: app, host: host, &work) ?? []
        tell(trace, url, app, os, table.count > 1 && !work.isExhausted ? table : nil, on: console)
        // An answer repeats the URL, and the rule that decided.
        _ = work.spend(url.bytes.count / Self.bytesToldPerStep)
      }
      if !isOpening { isEveryURLOpening = false }
    }
  }

  private func tell(
    _ trace: MatchTrace, _ url: LinkURL, _ app: String, _ os: OSVersion?, _ table: [ReleaseReading]?,
    on console: Console
  ) {
    if isJSON {
      console.print(MatchAnswer.json(trace, url: url.text, app: app, os: os, readings: table))
      return
    }
    let verdict =
      switch trace.decision.verdict {
      case _ where !trace.decision.isDecided: console.style.paint("not decided", .yellow)
      case .match: console.style.paint("match", .green) + "   "
      case .excluded: console.style.paint("excluded", .red)
      case .noMatch: console.style.paint("no match", .yellow)
      }
    let release = os.map { "  \($0.name)" } ?? ""
    console.print(
      "\(verdict)  \(url.text.onOneLine)  \(app.onOneLine)\(release)\n  \(trace.reason.onOneLine)")
    if let table { console.print("  by release:\n" + ReleaseTable.text(table, indent: "    ")) }
  }
}

/// The members every answer of `match` has, in a batch or not.
enum MatchAnswer {
  static func members(_ trace: MatchTrace) -> [(String, JSON)] { members(trace.decision, trace.reason) }

  /// Those of a file that names no app.
  static func members(withoutApps reason: String) -> [(String, JSON)] { members(.noMatch, reason) }

  private static func members(_ decision: Decision, _ reason: String) -> [(String, JSON)] {
    [
      ("decision", decision.isDecided ? .string(decision.verdict.rawValue) : .null),
      ("entry", .init(decision.entry)), ("rule", .init(decision.rule)), ("reason", .string(reason)),
    ] + (decision.isDecided ? [] : [("decided", .bool(false))])
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
  static func read(_ text: String) throws(LinkspanError) -> OSVersion {
    do throws(OSVersionError) {
      return try OSVersion(text)
    } catch {
      throw LinkspanError("\(error)")
    }
  }
}
