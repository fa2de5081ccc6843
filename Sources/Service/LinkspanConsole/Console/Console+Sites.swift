internal import AppSiteAssociation
internal import AssociatedDomains
import AssociationCheck
internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer

/// Sites: what every host serves, what is wrong with it, what it served before.
extension Console {
  /// Hosts on a page. Ours.
  private static let hostsOnPage = 200
  /// Ours: a comparison of files at their limit may take longer than a page should.
  private static let comparisonSteps = 5_000_000

  /// Comparisons that are kept. Ours.
  private static let comparisonLimit = 500

  static func addSiteRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/sites") { console, visit in .page(console.sites(visit)) }
    routes.add("GET", "/sites/{host}") { console, visit in .page(console.site(visit)) }
    routes.add("GET", "/sites/{host}/cdn") { console, visit in .page(console.copyPage(visit)) }
    routes.add("POST", "/sites/{host}/rollback") { console, visit in console.rollBack(visit) }
  }

  private func sites(_ visit: Visit) -> Page {
    let search = visit.value("q")
    return Page(
      "Sites", .sites,
      """
      <h1>Sites</h1>
      <form class="fields" method="get" action="/sites">\(Piece.field("Host", name: "q", value: search, hint: "Part of a name"))\
      <div><button>Search</button></div></form>
      \(search.isEmpty ? Piece.live("/live?part=sites", siteList(search)) : siteList(search))
      """)
  }

  func siteList(_ search: String) -> Markup {
    let sites = system.sites()
    var hosts: [(host: String?, site: AssociationSite?)] = sites.live.map { ($0.host, $0) }
    let served = Set(sites.live.map(\.host))
    for entry in sites.refused where !served.contains(entry.host) { hosts.append((entry.host, nil)) }
    let wanted = ASCII.lowercased(search)
    let shown = hosts.filter { wanted.isEmpty || ($0.host ?? "every other host").contains(wanted) }
    let rows = shown.prefix(Self.hostsOnPage).map { host, site -> Markup in
      let refusal = sites.refused.first { $0.host == host }
      let name: Markup =
        host.map { "<a href=\"/sites/\(URLText.encoded($0))\">\($0)</a>" } ?? "every other host"
      let state: Markup =
        refusal == nil
        ? "<span class=\"good\">live</span>"
        : site == nil
          ? "<span class=\"bad\">refused, nothing is served</span>"
          : "<span class=\"warn\">older files are live; the new ones are refused</span>"
      let size: Markup = site?.associationFile.map { "\($0.count) bytes" } ?? "none"
      return """
        <tr><td>\(name)</td><td>\(state)</td><td>\(size)</td><td>\(site?.assetLinks == nil ? "no" : "yes")</td>\
        <td class="count">\(refusal?.errors ?? 0)</td></tr>
        """
    }
    let problem = sites.problem.map { Piece.notice($0, "bad") } ?? .none
    let rest = shown.count - rows.count
    return """
      \(problem)\(Piece.table(
        shown.count == 1 ? "1 host" : "\(shown.count) hosts", columns: ["Host", "State", "Association file", "assetlinks.json", .count("Errors")], rows: rows))\
      \(rest > 0 ? "<p>\(rest) more; search for a part of the name.</p>" : .none)
      """
  }

  // MARK: - One host

  private func site(_ visit: Visit) -> Page {
    let host = visit.parameters["host"]
    let sites = system.sites()
    let live = sites.live.first { $0.host == host }
    let refusal = sites.refused.first { $0.host == host }
    guard live != nil || refusal != nil else {
      return Page(
        host, .sites, status: 404,
        "<h1>\(host)</h1>\(Piece.notice("This server does not serve this host.", "bad"))")
    }
    let done = visit.value("done")
    return Page(
      host, .sites,
      """
      <h1>\(host)</h1>\(done.isEmpty ? .none : Piece.notice(done, "good"))
      \(refusal.map(Self.refusal) ?? .none)
      <h2>Live</h2>\(liveFile(live, host))
      <h2>History</h2>\(history(host, live, visit))
      <h2>Apple's CDN</h2><p>Devices since iOS 14 ask Apple's CDN, which asks this host from time to time.</p>
      <p><a href="/sites/\(URLText.encoded(host))/cdn">Ask what the CDN has</a></p>
      """)
  }

  private static func refusal(_ refused: Readiness.Refused) -> Markup {
    let findings = refused.findings.map { "<li><pre>\($0)</pre></li>" as Markup }
    return """
      <h2>Refused</h2><p class="notice bad">The newest files have \(refused.errors) \
      \(refused.errors == 1 ? "error" : "errors") and are not served.</p><ul class="plain">\(findings)</ul>
      """
  }

  private func liveFile(_ site: AssociationSite?, _ host: String) -> Markup {
    guard let bytes = site?.associationFile else { return "<p>No association file is live.</p>" }
    let content = AssociationContent(bytes)
    let file = content.json
    let findings = AssociationChecker.withheldFindings(
      in: AssociationSource(SourceText(name: "apple-app-site-association", bytes: file)))
    let rows = findings.prefix(50).map { finding -> Markup in
      let place = finding.start.map { "\($0.line):\($0.column)" } ?? ""
      let kind = finding.severity == .error ? "bad" : finding.severity == .warning ? "warn" : "soft"
      return """
        <tr><td class="\(kind)">\(finding.severity.rawValue)</td><td><code>\(finding.rule)</code></td><td>\(place)</td>\
        <td>\(finding.pointer.map { "<code>\($0)</code>" } ?? .none)</td><td>\(finding.summary)</td></tr>
        """
    }
    return """
      <dl><dt>Size</dt><dd>\(bytes.count) bytes</dd><dt>SHA-256</dt><dd><code>\(SHA256.hexDigest(of: bytes))</code></dd></dl>
      \(rows.isEmpty ? "<p class=\"good\">No problems found.</p>" : Piece.table(
        findings.count == 1 ? "1 finding" : "\(findings.count) findings", columns: ["Severity", "Rule", "Line", "Pointer", "What must hold"], rows: rows))
      <details><summary>The file</summary><div class="sheet" tabindex="0" role="region" aria-label="The association file">\
      <pre>\(String(decoding: file.prefix(131_072), as: UTF8.self))</pre></div></details>
      """
  }

  private func history(_ host: String, _ live: AssociationSite?, _ visit: Visit) -> Markup {
    let list: [ConsolePublication]
    switch system.publications(host) {
    case .success(let publications): list = publications
    case .failure(let failure): return Piece.notice(failure.message, "bad")
    }
    // After a rollback older publications have the same bytes; only the newest of them is live.
    let liveIndex = list.firstIndex { $0.associationFile == live?.associationFile }
    let rows = list.enumerated().map { index, entry -> Markup in
      let before = index + 1 < list.count ? list[index + 1].associationFile : nil
      let action: Markup =
        index == liveIndex
        ? "<span class=\"good\">live</span>"
        : """
        <form method="post" action="/sites/\(URLText.encoded(host))/rollback">\(visit.formField)\
        <input type="hidden" name="number" value="\(entry.number)">\
        <button class="quiet" aria-label="Roll back to publication \(entry.number)">Roll back to this</button></form>
        """
      return """
        <tr><td>\(entry.number)</td><td>\(Piece.time(entry.publishedAt))\
        \(entry.rolledBackTo.map { "<br><span class=\"soft\">rolled back to \($0)</span>" } ?? .none)</td>\
        <td>\(before.map { changes(from: $0, to: entry.associationFile, host) } ?? "<span class=\"soft\">the oldest</span>")</td>\
        <td>\(action)</td></tr>
        """
    }
    if rows.isEmpty { return "<p>Nothing was published yet.</p>" }
    return Piece.table(
      "Publications, newest first",
      columns: ["Number", "Published", "Changes for links", "Go back"], rows: rows)
  }

  /// The changes of a publication by meaning, each with a URL that shows it; kept, for no publication ever changes.
  private func changes(from old: [UInt8], to new: [UInt8]?, _ host: String) -> Markup {
    guard let new else { return "the file is gone" }
    if old == new { return "<span class=\"soft\">the same file</span>" }
    let key = "\(host) \(SHA256.hexDigest(of: old)) \(SHA256.hexDigest(of: new))"
    if let known = comparisons.withLock({ $0[key] }) { return known }
    let found = compared(old, new, host)
    comparisons.withLock { comparisons in
      if comparisons.count >= Self.comparisonLimit { comparisons = [:] }
      comparisons[key] = found
    }
    return found
  }

  private func compared(_ old: [UInt8], _ new: [UInt8], _ host: String) -> Markup {
    guard let before = AssociationContent(old).file, let after = AssociationContent(new).file else {
      return "one of the two is no association file"
    }
    var limits = FileComparison.Limits()
    limits.steps = Self.comparisonSteps
    limits.changes = 12
    let comparison = alone {
      FileComparison(before, after, host: host, limits: limits)
    }
    if comparison.isEqual { return "<span class=\"soft\">nothing: only the text differs</span>" }
    let changes = comparison.changes.map { change -> Markup in
      """
      <li><code>\(change.url)</code><br><span class="soft">\(change.app): \
      \(Self.words(change.old.decision)) before, \(Self.words(change.new.decision)) now</span></li>
      """
    }
    let services = comparison.services.map { service -> Markup in
      "<li>\(service.service.rawValue): \(service.added.map { "+" + $0 }.joined(separator: " ")) \(service.removed.map { "−" + $0 }.joined(separator: " "))</li>"
    }
    let open: Markup =
      comparison.undecided.isEmpty && !comparison.isCutShort
      ? .none : "<p class=\"soft\">Not everything was compared; “linkspan diff” compares all of it.</p>"
    return "<ul class=\"plain\">\(changes)\(services)</ul>\(open)"
  }

  private static func words(_ decision: Decision) -> String {
    switch decision.verdict {
    case .match: "opens the app"
    case .excluded: "is excluded"
    case .noMatch: "matches no rule"
    }
  }

  // MARK: - What can be done

  private func rollBack(_ visit: Visit) -> Answer {
    let host = visit.parameters["host"]
    guard let number = Int(visit.value("number")), number > 0 else {
      return .page(
        Page(
          host, .sites, status: 400,
          "<h1>\(host)</h1>\(Piece.notice("The number of the publication is missing.", "bad"))"))
    }
    switch system.rollBack(host, number) {
    case .success(let words):
      audit(visit, "site.rollback", subject: "\(host) to \(number)")
      return .redirect("/sites/\(URLText.encoded(host))?done=\(URLText.encoded(words))")
    case .failure(let failure):
      return .page(
        Page(
          host, .sites, status: 409,
          "<h1>\(host)</h1>\(Piece.notice(failure.message, "bad"))<p><a href=\"/sites/\(URLText.encoded(host))\">Back</a></p>"
        ))
    }
  }

  /// A line about what somebody did: in the log, and in the registry's audit log where there is one.
  func audit(_ visit: Visit, _ action: String, subject: String) {
    system.log("audit: \(visit.actor) \(action) \(subject)")
    system.registry()?.audit(
      AuditEntry(time: system.now(), actor: visit.actor, action: action, subject: subject))
  }

  private func copyPage(_ visit: Visit) -> Page {
    let host = visit.parameters["host"]
    guard let live = system.sites().live.first(where: { $0.host == host }) else {
      return Page(
        host, .sites, status: 404,
        "<h1>\(host)</h1>\(Piece.notice("This server does not serve this host.", "bad"))")
    }
    let answer: Markup
    switch system.copy(host) {
    case .failure(let failure): answer = Piece.notice(failure.message, "bad")
    case .success(let copy):
      let comparison: Markup =
        if let file = copy.file {
          file == live.associationFile
            ? "<p class=\"good\">It has the file that is live here.</p>"
            : "<p class=\"warn\">It has another file. What changes for links when it asks again:</p>\(changes(from: file, to: live.associationFile, host))"
        } else if copy.isUnknown {
          "<p class=\"warn\">So it is unknown whether it has a file.</p>"
        } else {
          "<p class=\"warn\">It has no file, so devices since iOS 14 that ask now get none.</p>"
        }
      answer = "<p>\(copy.words) <span class=\"soft\">(<code>\(copy.url)</code>)</span></p>\(comparison)"
    }
    return Page(
      "CDN of \(host)", .sites,
      "<h1>What Apple's CDN has for \(host)</h1>\(answer)<p><a href=\"/sites/\(URLText.encoded(host))\">Back to \(host)</a></p>"
    )
  }
}
