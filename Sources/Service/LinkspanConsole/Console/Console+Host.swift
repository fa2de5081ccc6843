internal import AppSiteAssociation
internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// One host: its state, what is served, its draft, its history, and what can be done.
extension Console {
  /// A page of a host; under the name of its folder, where somebody wrote its own letters or capitals.
  ///
  /// - Parameter rest: What follows the host in the page's path.
  func hostAnswer(_ visit: Visit, _ rest: String, _ page: (Visit) -> Page) -> Answer {
    let (host, name) = (visit.parameters["host"], IDNA.named(visit.parameters["host"]))
    if name != host, report(host) == nil, report(name) != nil {
      return .redirect("/sites/\(URLText.encoded(name))\(rest)")
    }
    return .page(page(visit))
  }

  func site(_ visit: Visit) -> Page {
    let host = visit.parameters["host"]
    guard let report = report(host) else { return Self.unserved(host) }
    readHistory(report)
    let parts = [.none, "<h2>Served file</h2>", "<h2>History</h2>"] as [Markup]
    let shown = zip(parts, HostPart.allCases).map { heading, part -> Markup in
      "\(heading)\(live("\(part.rawValue)?\(host)", hostPart(part, report)))"
    }
    return Page(
      host, .sites,
      """
      <h1>\(host)</h1>\(done(visit))\(Self.orders(visit))\(shown)
      <h2>Who has it</h2><p>Devices since iOS 14 ask Apple's CDN, which asks this host from time to time.</p>
      <ul class="plain"><li><a href="/sites/\(URLText.encoded(host))/cdn">Ask what the CDN has</a></li>
      <li><a href="/cohort?host=\(URLText.encoded(host))">When devices have it</a></li></ul>
      """)
  }

  private func report(_ host: String) -> HostReport? { system.sites().hosts.first { $0.host == host } }

  private static func unserved(_ host: String) -> Page {
    Page(
      host, .sites, status: 404,
      "<h1>\(host)</h1>\(Piece.notice("This server does not serve this host.", "bad"))")
  }

  /// What a host's page keeps up to date while it is open, in its order.
  enum HostPart: String, CaseIterable {
    /// What is so, why, and what can be done.
    case state = "site"
    case file
    case history
  }

  /// A part of the page of a host that may have gone since.
  func hostPart(_ part: HostPart, of host: String) -> Markup {
    guard let report = report(host) else {
      return part == .state ? "<p class=\"bad\">This host is not served any more.</p>" : .none
    }
    return hostPart(part, report)
  }

  private func hostPart(_ part: HostPart, _ report: HostReport) -> Markup {
    switch part {
    case .state:
      "\(state(report))\(actions(report, recentHistory(report)))"
    case .file: file(report.site, isSigned: report.signedDigest != nil)
    case .history: shown(recentHistory(report), report)
    }
  }

  /// The history of a host, which is read again when something about the host has changed, and from time to time.
  private func recentHistory(_ report: HostReport) -> Result<ConsoleHistory, ConsoleFailure> {
    let now = system.uptime()
    let known = histories.withLock { $0[report.name] }
    if let known, known.report == report, known.isOf(now) { return known.history }
    return readHistory(report)
  }

  @discardableResult
  private func readHistory(_ report: HostReport) -> Result<ConsoleHistory, ConsoleFailure> {
    let (history, now) = (system.history(report.name), system.uptime())
    histories.withLock { histories in
      if histories.count >= Self.historyLimit { histories = [:] }
      histories[report.name] = KnownHistory(report: report, readAt: now, history: history)
    }
    return history
  }

  /// Histories that are kept. Ours: as many as pages may be open.
  private static let historyLimit = LiveParts.limit

  /// A history as it was read a moment ago.
  struct KnownHistory: Sendable {
    /// What was known of the host then.
    let report: HostReport
    let readAt: Duration
    let history: Result<ConsoleHistory, ConsoleFailure>

    /// Ours: what changes without a change of the report is whether the state can be written.
    func isOf(_ now: Duration) -> Bool { now - readAt < .seconds(10) }
  }

  private func state(_ report: HostReport) -> Markup {
    let host = report.name
    let findings = report.findings.map { "<li><pre>\($0)</pre></li>" as Markup }
    let draft: Markup =
      report.draft == nil
      ? .none
      : "<p><a href=\"/sites/\(URLText.encoded(host))/draft\">Preview the draft: what it changes for links</a></p>"
    let site = report.site
    let served: Markup =
      site.map { "<p class=\"soft\">Served now: \(Self.digests($0, signed: report.signedDigest))</p>" }
      ?? "<p class=\"soft\">Nothing is served now.</p>"
    return """
      <p class="notice \(Self.kind(report.state))"><strong data-state="\(report.state.rawValue)">\(Self.title(report.state))</strong> \
      \(reason(report))</p>\(findings.isEmpty ? .none : "<ul class=\"plain\">\(findings)</ul>")\(draft)\(served)
      """
  }

  /// The reason of a host's state, with times and names as every page shows them.
  func reason(_ report: HostReport) -> Markup {
    Markup(
      report.reason.parts.map { part -> Markup in
        switch part {
        case .text(let text): "\(text)"
        case .time(let time): Piece.time(time)
        case .actor(let actor): who(actor)
        }
      })
  }

  /// What tells files apart, each by its name, as `sha256sum` does.
  ///
  /// - Parameter signed: The digest of the association file, where it is served signed.
  private static func digests(_ site: AssociationSite, signed: String? = nil) -> Markup {
    let all: [(name: String, digest: String?)] = [
      ("apple-app-site-association", signed ?? site.associationFile.map(SHA256.hexDigest)),
      ("assetlinks.json", site.assetLinks.map(SHA256.hexDigest)),
    ]
    let files = all.compactMap { name, digest -> Markup? in
      digest.map { "\(name) <code>\(String($0.prefix(12)))</code>" }
    }
    return Markup(files.enumerated().map { index, file -> Markup in index == 0 ? file : ", " + file })
  }

  private static func title(_ state: HostReport.State) -> String {
    state.rawValue.prefix(1).uppercased() + state.rawValue.dropFirst() + "."
  }

  // MARK: - What can be done

  /// The buttons that can work now, or why there are none.
  ///
  /// - Parameter draft: The draft that the page is about; nil for one about the host.
  private func actions(
    _ report: HostReport, _ history: Result<ConsoleHistory, ConsoleFailure>, draft: AssociationSite? = nil
  ) -> Markup {
    // Where the history cannot be read, its section of the page says why.
    guard let host = report.host, case .success(let history) = history else { return .none }
    if let obstacle = history.obstacle {
      return "<p class=\"warn\">Nothing can be changed here: \(obstacle)</p>"
    }
    var buttons: [Markup] = []
    if let held = report.draft, held.state == .held, report.standing?.kind != .pin,
      draft == nil || draft == held.site
    {
      // Of the draft that this page is about: another one may wait when the button is pressed.
      let seen: Markup = " name=\"draft\" value=\"\(held.site.digest)\""
      buttons.append(Self.button(host, "approve", "Approve and serve the draft", says: seen))
    }
    let release: String? =
      switch report.standing?.kind {
      case .pin: "Take the pin away"
      case .rollback: "End the rollback"
      case .published: "Go by the folder again"
      case nil: nil
      }
    let mayRelease = Self.mayRelease(report, history)
    if let release, mayRelease { buttons.append(Self.button(host, "release", release)) }
    if report.state == .removalHeld {
      buttons.append(Self.button(host, "remove", "Confirm: serve this host no more", "danger"))
    } else if report.site != nil, report.standing?.kind != .pin, !history.publications.isEmpty {
      buttons.append(Self.button(host, "pin", "Pin what is served"))
    }
    let hint: Markup =
      release != nil && !mayRelease && report.standing?.kind != .published && report.state != .removalHeld
      ? """
      <p class="soft">Without its files in the folder nothing else would be served: put them there, or end it with \
      <code>linkspan publish --remove \(host)</code>.</p>
      """ : .none
    return "<div class=\"row\">\(buttons)</div>\(hint)"
  }

  /// Whether something is served once the decision about a host has ended: files of the folder, or what the API published.
  private static func mayRelease(_ report: HostReport, _ history: ConsoleHistory) -> Bool {
    guard report.lacksFiles, let standing = report.standing else { return true }
    if report.isHeldByPin, report.draft?.author != nil { return true }
    return standing.kind != .published && standing.replaced.contains(nil)
      && history.publications.first { $0.rolledBackTo == nil }?.author != nil
  }

  /// The form that all buttons about a host send. It stands beside the parts that change, since its field is of one page.
  private static func orders(_ visit: Visit) -> Markup {
    "<form id=\"orders\" method=\"post\" hidden>\(visit.formField)</form>"
  }

  /// - Parameter more: What it says besides, as attributes.
  private static func button(
    _ host: String, _ action: String, _ title: String, _ kind: Markup = "quiet", says more: Markup = .none
  ) -> Markup {
    """
    <button form="orders" formaction="/sites/\(URLText.encoded(host))/\(action)"\(more) class="\(kind)">\(title)</button>
    """
  }

  func order(_ visit: Visit, _ action: String) -> Answer {
    let host = visit.parameters["host"]
    let number = Int(visit.value("number"))
    let order: PublicationOrder
    switch action {
    case "rollback":
      guard let number, number > 0 else {
        return .page(Self.refused(host, "The number of the publication is missing.", status: 400))
      }
      order = .rollBack(host: host, number: number)
    case "pin": order = .pin(host: host, number: number)
    case "release": order = .release(host: host)
    case "approve": order = .approve(host: host, digest: visit.value("draft"))
    default: order = .remove(hosts: [host])
    }
    switch system.order(order, visit.actor) {
    case .success(let words):
      // The server's log has its line already, from where it was done.
      let gap = audit(visit, order.action, subject: host + (number.map { " to \($0)" } ?? ""))
      let path = action == "remove" ? "/sites" : "/sites/\(URLText.encoded(host))"
      return .redirect(path + "?done=" + keep(words + gap))
    case .failure(let failure): return .page(Self.refused(host, failure.message, status: 409))
    }
  }

  private static func refused(_ host: String, _ message: String, status: Int) -> Page {
    Page(
      host, .sites, status: status,
      """
      <h1>\(host)</h1>\(Piece.notice(message, "bad"))
      <p><a href="/sites/\(URLText.encoded(host))">Back</a></p>
      """)
  }

  /// Writes a line about what somebody did into the registry's audit log, where there is one.
  ///
  /// - Returns: What the person is told where it is not stored; otherwise an empty text.
  private func audit(_ visit: Visit, _ action: String, subject: String) -> String {
    let entry = AuditEntry(time: system.now(), actor: visit.actor, action: action, subject: subject)
    return system.registry()?.auditAndWait(entry) ?? true
      ? "" : " \(RegistryAPI.lateLineWords)"
  }

  // MARK: - History and drafts

  private func shown(
    _ history: Result<ConsoleHistory, ConsoleFailure>, _ report: HostReport
  ) -> Markup {
    switch history {
    case .success(let history): return shown(history, report)
    case .failure(let failure): return Piece.notice(failure.message, "bad")
    }
  }

  private func shown(_ history: ConsoleHistory, _ report: HostReport) -> Markup {
    let host = report.name
    let list = history.publications
    // After a rollback older publications have the same bytes; only the newest of them is served.
    let served = report.site.flatMap { site in
      list.firstIndex {
        $0.site.associationFile == site.associationFile && $0.site.assetLinks == site.assetLinks
      }
    }
    func place(_ index: Int) -> Markup {
      if index == served { return "<span class=\"good\">served</span>" }
      if let served, list[index].number == list[served].rolledBackTo {
        return "<span class=\"soft\">served again, as \(list[served].number)</span>"
      }
      return Self.goBack(host, list[index], history)
    }
    let rows = list.enumerated().map { index, entry -> Markup in
      let before = index + 1 < list.count ? list[index + 1].site : nil
      return """
        <tr><td>\(entry.number)</td><td>\(Piece.time(entry.publishedAt))\
        \(entry.rolledBackTo.map { "<br><span class=\"soft\">publication \($0) again</span>" } ?? .none)\
        \(entry.author.map { "<br><span class=\"soft\">by</span> \(who($0))" } ?? .none)</td>\
        <td>\(before.map { changes(from: $0, to: entry.site, host) } ?? "<span class=\"soft\">the oldest</span>")</td>\
        <td>\(place(index))</td></tr>
        """
    }
    let table: Markup =
      rows.isEmpty
      ? "<p>Nothing was published yet.</p>"
      : Piece.table(
        "Publications, newest first", columns: ["Number", "Published", "Changes", "Go back"],
        rows: rows)
    return table + draftTable(host, history.drafts)
  }

  private static func goBack(
    _ host: String, _ publication: ConsolePublication, _ history: ConsoleHistory
  ) -> Markup {
    if history.obstacle != nil { return .none }
    // It is refused where there is nothing that devices could read.
    guard publication.associationFile.map({ AssociationContent($0).file != nil }) ?? false else {
      return "<span class=\"soft\">no association file</span>"
    }
    let number = publication.number
    return button(
      host, "rollback", "Roll back to this",
      says: " name=\"number\" value=\"\(number)\" aria-label=\"Roll back to publication \(number)\"")
  }

  private func draftTable(_ host: String, _ drafts: [ConsoleDraft]) -> Markup {
    if drafts.isEmpty { return .none }
    let rows = drafts.map { draft -> Markup in
      """
      <tr><td><a href="/sites/\(URLText.encoded(host))/draft?number=\(draft.number)">Draft \(draft.number)</a></td>\
      <td>\(Piece.time(draft.keptAt))</td><td>\(draft.author.map(who) ?? "the folder")</td><td>\(Self.digests(draft.site))</td></tr>
      """
    }
    return "<h2>Drafts</h2><p>Files that were refused or held back; each is kept.</p>"
      + Piece.table("Drafts, newest first", columns: ["Draft", "Kept", "From", "Files"], rows: rows)
  }

  /// What a draft would change for links, and what is wrong with it.
  func draftPage(_ visit: Visit) -> Page {
    let host = visit.parameters["host"]
    guard let report = report(host) else { return Self.unserved(host) }
    let draft: AssociationSite?
    if let number = Int(visit.value("number")) {
      guard case .success(let history) = system.history(host) else { return Self.unserved(host) }
      draft = history.drafts.first { $0.number == number }?.site
    } else {
      draft = report.draft?.site
    }
    guard let draft else {
      return Page(
        host, .sites, status: 404,
        "<h1>\(host)</h1>\(Piece.notice("There is no such draft.", "bad"))<p><a href=\"/sites/\(URLText.encoded(host))\">Back</a></p>"
      )
    }
    let effect =
      report.site.map { changes(from: $0, to: draft, host) }
      ?? "<p>Nothing is served now, so every link that it opens is new.</p>"
    return Page(
      "Draft of \(host)", .sites,
      """
      <h1>Draft of \(host)</h1><h2>If it were served</h2>\(effect)
      <h2>The files</h2>\(file(draft))\(Self.orders(visit))\(actions(report, system.history(host), draft: draft))
      <p><a href="/sites/\(URLText.encoded(host))">Back to \(host)</a></p>
      """)
  }

  // MARK: - Apple's CDN

  func copyPage(_ visit: Visit) -> Page {
    let host = visit.parameters["host"]
    guard let live = system.sites().live.first(where: { $0.host == host }) else {
      return Page(
        host, .sites, status: 404,
        "<h1>\(host)</h1>\(Piece.notice("This server does not serve this host.", "bad"))")
    }
    let answer: Markup
    var name = "the CDN"
    switch system.copy(host) {
    case .failure(let failure): answer = Piece.notice(failure.message, "bad")
    case .success(let copy):
      name = copy.name
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
      "<h1>What \(name) has for \(host)</h1>\(answer)<p><a href=\"/sites/\(URLText.encoded(host))\">Back to \(host)</a></p>"
    )
  }
}
