internal import AppSiteAssociation
import AssociationCheck
internal import HeldURLs
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import Swcutil

extension Command {
  package static let match = Command(
    name: "match", summary: "Does this URL open my app, by which rule, and why not?", operands: "URL…",
    discussion: """
      Decides as Apple's matcher does. A match is one of the things that must hold for a link to open an app:
      the app must also be installed and claim the host, and the link be followed in a way that counts.
      With --batch each line is an object {"id":…,"file":…,"host":…,"app":…,"url":…,"os":…,"written_in":…}, where file is the
      association file as an object or as a string of its bytes; the answers come in the same order.
      A URL is what a device makes of what was written: text on a page or in the address bar is encoded by the browser,
      hosts become Punycode, '..' and a default port go. The answer names what was changed. Text in an app's code
      (--written-in code) is NSURL's: before iOS 17 it is no URL if it contains what URLs cannot.
      An answer says how certain it is where Apple does not document it: observed and published by others, inferred,
      disputed by sources, or open, with the number of the open question. With --json every answer says it.
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
      .writtenIn,
      Flag(
        "--oracle", "FILE",
        "Cite what a Mac's swcutil said of open questions: the answers of 'linkspan oracle'"),
      Flag("--urls", "FILE", "Match the URLs of a list, one a line; '-' reads standard input"),
      Flag("--batch", "FILE", "Answer the lines of a file, or of standard input with '-'"),
    ],
    examples: [
      "linkspan match https://example.com/buy/1 --file apple-app-site-association",
      "linkspan match --urls urls.txt --file apple-app-site-association --app ABCDE12345.com.example.app",
      "linkspan match --batch - < questions.jsonl",
    ],
    commonFlags: ["--file", "--app", "--host", "--os", "--batch", "--json", "--help"]
  ) { arguments, console throws(LinkspanError) in
    if let lines = arguments.value("--batch") {
      try arguments.expectOperands(0...0)
      let own = [
        "--file", "--host", "--app", "--team", "--bundle-identifier", "--os", "--urls", "--written-in",
        "--oracle",
      ]
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
  private let place: HeldURL.Place
  private let host: HostScope?
  /// What Apple's tool said on some machine.
  private let oracle: OracleAnswer?
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
    guard let path = arguments.value("--file") else {
      let file = arguments.operands.first { (try? FileReader.kind(of: $0)) == .file }
      throw arguments.usage("'--file' is missing" + (file.map { "; did you mean '--file \($0)'?" } ?? ""))
    }
    self.arguments = arguments
    isJSON = arguments.has("--json")
    place = arguments.writtenIn
    oracle = try arguments.value("--oracle").map { path throws(LinkspanError) in
      try OracleAnswer(reading: path)
    }
    let text = try FileReader.read(path)
    let file = try AssociationSource.named(
      text, insteadOfApp: "Give it with '--app', and name the association file with '--file'.", console
    ).1
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

  mutating func run(_ console: Console) throws(LinkspanError) -> ExitStatus {
    if let path = arguments.value("--urls") { return try runList(path, console) }
    for text in arguments.operands { answer(text, on: console) }
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
        answer(text, on: console)
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
    guard let first = line.firstIndex(where: { !ASCII.isSpace($0) }),
      let last = line.lastIndex(where: { !ASCII.isSpace($0) })
    else { return nil }
    if line[first] == UInt8(ascii: "#") { return nil }
    return String(decoding: line[first...last], as: UTF8.self)
  }

  /// Our estimate.
  private static let bytesToldPerStep = 2

  private mutating func answer(_ text: String, on console: Console) {
    for index in readings.indices {
      let os = readings[index].os
      let url = LinkURL(written: text, in: place, on: os)
      let host = self.host ?? .exactly(url.host)
      var isOpening = false
      if readings[index].apps.isEmpty {
        let trace = MatchAnswer.traceWithoutApps(readings[index].matcher.matcher, url, host)
        let basis = readings[index].matcher.basis(of: trace, url, app: "", host: host, &work)
        tell(MatchAnswer(url, nil, os, trace, basis), on: console)
      }
      for app in readings[index].apps {
        let trace = readings[index].matcher.trace(url, app: app, host: host, &work)
        let basis = readings[index].matcher.basis(of: trace, url, app: app, host: host, &work)
        if trace.decision.verdict == .match { isOpening = true }
        if trace.decision.isDecided { isAnythingDecided = true } else { isEverythingDecided = false }
        // What code makes of a text is not the same on every release.
        let table =
          work.isExhausted || (place == .code && url.held != nil)
          ? [] : releases?.readings(of: url, app: app, host: host, &work) ?? []
        var answer = MatchAnswer(url, app, os, trace, basis)
        let isMixed = table.contains { $0.verdict != table[0].verdict }
        if isMixed, !work.isExhausted { answer.readings = table }
        tell(answer, on: console)
        // An answer repeats the URL, and the rule that decided.
        _ = work.spend(url.byteCount / Self.bytesToldPerStep)
      }
      if !isOpening { isEveryURLOpening = false }
    }
  }

  private func tell(_ answer: MatchAnswer, on console: Console) {
    var answer = answer
    if let oracle { answer.cite(oracle) }
    if isJSON { console.print(answer.json) } else { console.print(answer.text(console.style)) }
  }
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
