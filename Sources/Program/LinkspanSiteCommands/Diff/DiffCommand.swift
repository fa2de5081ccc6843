internal import AppSiteAssociation
import AssociationCheck
internal import AssociationDelivery
internal import HTTPEngine
internal import HTTPTransport
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

extension Command {
  package static let diff = Command(
    name: "diff", summary: "Which URLs behave differently between two association files?",
    operands: "OLD NEW | HOST",
    discussion: """
      Compares by meaning, not by text: rules are treated as sets of URLs. Each change comes with a URL that shows it and
      with the rules that decide it before and after. Files that differ only in spelling, in order without effect or in
      where a setting is written are equal.

      OLD and NEW are files, or folders with the file of one host; '-' reads standard input. With one HOST, the copy of Apple's CDN is OLD and what the host
      serves is NEW: what devices will learn when the CDN fetches again.

      A URL counts only if a device can hold it and one of the releases of --os decides it differently; each change says on
      which. Where a bound on the work is reached, the answer names the rules that
      were not decided and never guesses.
      """,
    flags: [
      Flag("--host", "HOST", "The host of both files, for the URLs shown (example.com)"),
      Flag("--app", "ID", repeats: true, "Only this application identifier (every one in either file)"),
      .releases("Only what one of these releases shows", standard: "iOS 15 to the newest"),
      Flag(
        "--format", "FORMAT", choices: DiffFormat.allCases.map { $0.rawValue },
        "text, json, markdown or github (text)"),
      Flag("--limit", "COUNT", "Show at most so many changes of one app and way of reading the files (200)"),
      Flag("--html", "FILE", "Write a report as a page; '-' is standard output"), .force,
    ] + HostSurvey.liveFlags,
    examples: [
      "linkspan diff old.json new.json",
      "linkspan diff old.json new.json --os ios:13..26 --format markdown",
      "linkspan diff example.com",
    ],
    commonFlags: ["--host", "--app", "--os", "--format", "--json", "--help"],
    exitStatus: "0 equal meaning, 1 URLs behave differently or some are undecided, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...2)
    let format = try arguments.format(DiffFormat.self)
    let page = try arguments.page(of: "linkspan diff", besides: format)
    let files = try DiffFiles(arguments, console)
    try NamedApplications.refuseUnknown(arguments.all("--app"), in: [files.old.file, files.new.file])
    let releases = try arguments.releases()
    var limits = FileComparison.Limits()
    if let count: Int = try arguments.number("--limit", atLeast: 1) { limits.changes = count }
    let comparison = FileComparison(
      files.old.file, files.new.file, host: files.host, apps: arguments.all("--app"),
      releases: releases ?? .standard, limits: limits)
    let report = DiffReport(comparison, files, named: releases)
    try page?.write(Array(report.html.utf8), console)
    switch format {
    case .json: console.print(report.json)
    case .text: console.print(report.text(console.style), terminator: "")
    case .markdown: console.printUnbroken(report.markdown)
    case .github: console.printAnnotations(report.gitHubAnnotations)
    }
    return comparison.isEqual ? .yes : .no
  }
}

enum DiffFormat: String, CaseIterable {
  case text
  case json
  case markdown
  case github
}

/// The two files to compare.
struct DiffFiles {
  struct Side {
    var text: SourceText
    var file: AssociationFile
    var source: AssociationSource
  }

  let old: Side
  let new: Side
  /// The host of the witnesses.
  let host: String

  private static let anyHost = "example.com"

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    if arguments.operands.count == 1 {
      let (name, copy, served) = try Self.fetched(arguments.operands[0], arguments, console)
      host = try arguments.host() ?? name
      old = try Self.side(copy, console)
      new = try Self.side(served, console)
      return
    }
    if let flag = HostSurvey.liveFlags.first(where: { arguments.has($0.name) }) {
      throw arguments.usage("'\(flag.name)' goes with one HOST, not with two files")
    }
    host =
      try arguments.host(takesWildcard: true).map { $0.hasPrefix("*.") ? "www" + $0.dropFirst() : $0 }
      ?? Self.anyHost
    old = try Self.side(try Self.file(arguments.operands[0]), console)
    new = try Self.side(try Self.file(arguments.operands[1]), console)
  }

  /// A file, or the one in a folder.
  private static func file(_ path: String) throws(LinkspanError) -> SourceText {
    guard path != "-", try FileReader.kind(of: path) == .folder else { return try FileReader.read(path) }
    let files = try SiteReader([path], host: nil, passesOverProblems: true).files
    if let file = files.first, files.count == 1 { return file.source }
    throw LinkspanError(
      "'\(path)' has \(files.isEmpty ? "no association file" : "the files of \(files.count) hosts"), and two files are "
        + "compared.",
      help: "Name the file: \(files.first?.source.name ?? "HOST/.well-known/apple-app-site-association").")
  }

  private static func side(_ text: SourceText, _ console: Console) throws(LinkspanError) -> Side {
    let (source, file) = try AssociationSource.named(text, console)
    return Side(text: source.text, file: file, source: source)
  }

  /// The host that an operand names, the CDN's copy and what the host serves.
  private static func fetched(
    _ operand: String, _ arguments: Arguments, _ console: Console
  ) throws(LinkspanError) -> (host: String, SourceText, SourceText) {
    let kind: FileReader.Kind? = operand == "-" ? nil : try FileReader.kind(of: operand)
    guard kind == .missing else {
      let what = kind == nil ? "standard input" : kind == .folder ? "a folder" : "a file"
      throw arguments.usage("NEW is missing: '\(operand)' is \(what), and only a host name stands alone")
    }
    let isPath = operand.isEmpty || operand.contains("/")
    let site = try SiteReader([isPath ? operand : "https://\(operand)"], host: nil)
    guard let host = site.names.first?.host else {
      throw arguments.usage("NEW is missing, or '\(operand)' is no host name")
    }
    let fetcher = try HostSurvey.fetcher(arguments)
    let endpoint = try HostSurvey.endpoint(arguments)
    let cdn = endpoint == .apple ? try HostSurvey.fetcher(arguments, trust: .system) : fetcher
    let survey = try HostSurvey(
      site.names, [.direct, .cdn], site: fetcher, cdn: cdn, endpoint: endpoint, claims: [],
      progress: { console.note("linkspan diff: \($0)") })
    guard let answered = survey.answered.first, let served = answered.origin?.served else {
      throw LinkspanError(
        "\(host) serves no association file.", help: "'linkspan check \(host)' tells what it answers.")
    }
    guard let check = answered.cdn, let copy = check.copy else {
      throw LinkspanError(
        "\(endpoint.subject) has no copy for \(host).",
        help: "'linkspan check \(host) --fetch cdn' tells what it answers.")
    }
    return (
      host, SourceText(name: check.url, bytes: copy.body),
      SourceText(name: served.location.url(host: answered.host), bytes: served.response.body)
    )
  }
}
