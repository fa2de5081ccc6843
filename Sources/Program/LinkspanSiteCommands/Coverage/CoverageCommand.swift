internal import AccessLogs
internal import AppSiteAssociation
import AssociationCheck
internal import LinkCoverage
internal import LinkLanguages
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  package static let coverage = Command(
    name: "coverage", summary: "Which pages open the app, which rules never fire, what can the app not show?",
    operands: "[FILE…]",
    discussion: """
      Reads sitemaps, access logs (combined format or JSON lines) and lists of URLs, each also packed with gzip, and
      decides every URL with the association file: hits by rule with a sample, hits by app, and URLs that open no app.
      A line without a URL is counted as unread. '-' reads standard input; a sitemap index reads the sitemaps it names
      from its own folder. Nothing is kept but the counts, so a log may be of any size.

      --partial prints counts that can be added up, and --merge adds up such files, so that a log that lives in a cluster
      is counted where it is: one --partial for each piece, one --merge for all.

      --routes compares the file with the routes of the app's router: URLs that open the app and have no route, and
      routes that the file does not claim.
      """,
    flags: [
      Flag("--file", "FILE", "The association file"),
      Flag("--host", "HOST", "The host of the file, or *.HOST for the hosts below it (each URL's own)"),
      Flag("--urls", "FILE", repeats: true, "A sitemap, an access log or a list; further ones may follow"),
      Flag("--os", "VERSION", "A release, such as ios:13.5 (the newest behaviour)"),
      Flag(
        "--routes", "FILE", "The routes of the app's router: a JSON list such as [\"/buy/:id\", \"/help/*\"]"),
      Flag(
        "--app", "ID", repeats: true, "With --routes: the application that has them (every one in the file)"),
      Flag("--partial", "Print counts that --merge adds up"),
      Flag("--merge", "Add up the files that --partial wrote"),
      Flag("--html", "FILE", "Write a page with the counts; '-' is standard output"),
      .force,
    ],
    examples: [
      "linkspan coverage --file apple-app-site-association --urls sitemap.xml",
      "linkspan coverage --file apple-app-site-association --host example.com --urls access.log.gz --html coverage.html",
      "linkspan coverage --merge part-*.json",
      "linkspan coverage --file apple-app-site-association --routes routes.json",
    ],
    commonFlags: ["--file", "--urls", "--routes", "--app", "--os", "--json", "--help"],
    exitStatus: "0 counted, 1 the file and --routes disagree, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    let page = try arguments.output("--html", .page(of: "linkspan coverage"))
    if arguments.has("--merge") {
      let count = try CoverageMerge.merged(arguments, console)
      return try CoverageReport(count, nil, hasInput: true).print(arguments, page: page, console)
    }
    guard let path = arguments.value("--file") else { throw arguments.usage("'--file' is missing") }
    let inputs = arguments.all("--urls") + arguments.operands
    guard !inputs.isEmpty || arguments.has("--routes") else { throw arguments.usage("'--urls' is missing") }
    try CoverageFlags.refuseIdle(arguments)
    let host = try arguments.host(takesWildcard: true)
    let file = try AssociationSource.named(try FileReader.read(path), console).1
    let os: OSVersion? = if let text = arguments.value("--os") { try OSVersion.read(text) } else { nil }
    try NamedApplications.refuseUnknown(arguments.all("--app"), in: [file])
    // Wrong routes fail before hours of logs are read.
    let list: [Route]? = if let path = arguments.value("--routes") { try RouteList.read(path) } else { nil }
    let run = CoverageRun(CoverageCounter(file, os: os, host: host), console)
    for input in inputs { try run.read(input) }
    if arguments.has("--partial") {
      console.print(run.counter.count.part)
      return .yes
    }
    var routes: RouteCoverage?
    if let list {
      let name = host.map { $0.hasPrefix("*.") ? "www" + $0.dropFirst() : $0 }
      routes = RouteCoverage(
        file, routes: list, host: name ?? "example.com", apps: arguments.all("--app"),
        os: os)
    }
    return try CoverageReport(run.counter.count, routes, hasInput: !inputs.isEmpty)
      .print(arguments, page: page, console)
  }
}

/// What the flags ask for, taken together.
private enum CoverageFlags {
  static func refuseIdle(_ arguments: Arguments) throws(LinkspanError) {
    for flag in ["--html", "--routes"] where arguments.has("--partial") && arguments.has(flag) {
      throw arguments.usage(
        "'\(flag)' does not go with '--partial'; give it with '--merge', or without either")
    }
    if arguments.has("--app"), !arguments.has("--routes") {
      throw arguments.usage("'--app' goes with '--routes' only; the counts name every application")
    }
  }
}

/// Adds up parts.
private enum CoverageMerge {
  static func merged(_ arguments: Arguments, _ console: Console) throws(LinkspanError) -> CoverageCount {
    for flag in ["--file", "--urls", "--routes", "--partial", "--os", "--host", "--app"]
    where arguments.has(flag) {
      throw arguments.usage("'\(flag)' does not go with '--merge'")
    }
    try arguments.expectOperands(1...Int.max)
    var total: CoverageCount?
    var files = CountedFiles()
    for path in arguments.operands where try files.takes(path, "coverage", console) {
      var reader = try LineReader(path, beforeWaiting: {})
      var number = 0
      var hasPart = false
      while let line = try reader.next() {
        number += 1
        do throws(CoverageCount.MergeProblem) {
          guard case .bytes(let bytes) = line else {
            throw CoverageCount.MergeProblem(message: "the line is too long")
          }
          if bytes.allSatisfy({ $0 <= 0x20 }) { continue }
          let document = JSONParser.parse(bytes)
          guard let root = document.root, document.errors.isEmpty else {
            throw CoverageCount.MergeProblem(
              message: "the line is not complete JSON, as if it was cut off while it was written")
          }
          hasPart = true
          let part = try CoverageCount(part: root)
          if total == nil { total = part } else { try total?.add(part) }
        } catch {
          throw LinkspanError(
            "'\(path)', line \(number): \(error.message).",
            help: "Give the files that 'linkspan coverage --partial' wrote, all of one association file.")
        }
      }
      guard hasPart else {
        throw LinkspanError(
          "'\(path)' has no counts.",
          help: "'linkspan coverage --partial' prints one line even for an empty log. Count this piece again."
        )
      }
    }
    guard let total else { throw arguments.usage("FILE is missing") }
    return total
  }
}

/// Reads inputs one after the other, with progress.
private final class CoverageRun {
  private(set) var counter: CoverageCounter
  private let console: Console
  private var files = CountedFiles()
  private var progress = CoverageProgress()

  /// Ours: sitemaps.org allows 50,000 sitemaps in an index.
  private static let sitemapLimit = 50_000

  init(_ counter: CoverageCounter, _ console: Console) {
    self.counter = counter
    self.console = console
  }

  func read(_ path: String) throws(LinkspanError) {
    guard try files.takes(path, "coverage", console) else { return }
    var open = [path]
    while let path = open.popLast() {
      let before = (counter.count.hits, counter.count.unreadLines)
      defer {
        let unread = counter.count.unreadLines - before.1
        if counter.count.hits == before.0, unread > 0 {
          let lines = unread == 1 ? "its one line" : "any of its \(unread) lines"
          console.note("linkspan coverage: warning: '\(path)' has no URL in \(lines).")
        }
      }
      guard files.count <= Self.sitemapLimit else {
        throw LinkspanError(
          "'\(path)': more than \(Self.sitemapLimit) sitemaps.", help: "Read them one by one.")
      }
      for sitemap in try pages(of: path) where try files.earlierName(of: sitemap) == nil {
        open.append(sitemap)
      }
    }
  }

  /// - Returns: The sitemaps that the input names, in reverse.
  private func pages(of path: String) throws(LinkspanError) -> [String] {
    let input = try ByteStream(path)
    progress.begin()
    var sitemaps: [String] = []
    let stream = URLStream { item in
      switch item {
      case .url(let text): self.counter.take(url: text)
      case .unreadableLine: self.counter.takeUnreadLine()
      case .sitemap(let url): sitemaps.append(url)
      }
    }
    var readBytes = 0
    while let piece = try input.next() {
      try Self.understood(path) { () throws(URLStream.Problem) in try stream.feed(piece) }
      readBytes += piece.count
      if let text = progress.text(path, readBytes, of: input.sizeBytes) {
        console.note(
          "\(text), \(counter.count.hits.counted("URL")), \(counter.count.unreadLines.counted("unread line"))"
        )
      }
    }
    try Self.understood(path) { () throws(URLStream.Problem) in try stream.finish() }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return sitemaps.reversed().map { folder + ($0.split(separator: "/").last.map(String.init) ?? $0) }
  }

  private static func understood(
    _ path: String, _ work: () throws(URLStream.Problem) -> Void
  ) throws(LinkspanError) {
    do throws(URLStream.Problem) {
      try work()
    } catch {
      switch error {
      case .brokenGzip: throw .brokenGzip("'\(path)'")
      case .brokenXML: throw .brokenXML("'\(path)'")
      case .utf16:
        throw .inUTF16("'\(path)'")
      case .otherXML(let root):
        throw LinkspanError(
          "'\(path)' is XML with the element '\(root)'; expected a sitemap.",
          help: "A sitemap begins with 'urlset' or 'sitemapindex'. Is it an error page?")
      }
    }
  }
}
