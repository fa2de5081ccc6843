internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// What a person looks for among the hosts.
struct SiteQuery: Sendable {
  /// Ours: what can be chosen, and by what it is sorted.
  static let orders = [("", "Attention first"), ("host", "Host"), ("size", "Size"), ("errors", "Errors")]

  var text = ""
  var state = ""
  var order = ""
  var page = 1
  /// The text, and as names have it: in Punycode, without a final dot.
  private var wanted: [String] = []
  /// Where it has letters beyond ASCII: a folder is called xn--bcher-kva.example, and people look for büch.
  private var letters: String?

  init(_ fields: FormFields?) {
    func value(_ name: String) -> String { String((fields?.values(name).last ?? "").prefix(255)) }
    text = value("q")
    state = value("state")
    order = value("sort")
    page = max(1, Int(value("page")) ?? 1)
    let words = ASCII.lowercased(text.split(separator: " ").joined(separator: " "))
    let name = IDNA.named(words)
    wanted = [words, name]
    if words.utf8.contains(where: { $0 >= 0x80 }) { letters = IDNA.letters(of: name) }
  }

  /// As a query; empty for everything.
  func link(page: Int) -> String {
    Console.query([("q", text), ("state", state), ("sort", order), ("page", page > 1 ? "\(page)" : "")])
  }

  /// A word that names a state finds the hosts in it, and so does a part of a name.
  func finds(_ report: HostReport) -> Bool {
    if !state.isEmpty, report.state.rawValue != state { return false }
    if let letters, IDNA.letters(of: report.name).contains(letters) { return true }
    return wanted.contains {
      $0.isEmpty || report.name.contains($0) || report.state.rawValue.contains($0)
    }
  }
}

/// Sites: every host with its one state.
extension Console {
  /// Hosts on a page. Ours.
  private static let hostsOnPage = 100

  static func addSiteRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/sites") { console, visit in .page(console.sites(visit)) }
    routes.add("GET", "/sites/{host}") { console, visit in console.hostAnswer(visit, "", console.site) }
    routes.add("GET", "/sites/{host}/draft") { console, visit in
      console.hostAnswer(visit, "/draft", console.draftPage)
    }
    routes.add("GET", "/sites/{host}/cdn") { console, visit in
      console.hostAnswer(visit, "/cdn", console.copyPage)
    }
    for action in ["rollback", "pin", "release", "approve", "remove"] {
      routes.add("POST", "/sites/{host}/\(action)") { console, visit in console.order(visit, action) }
    }
  }

  private func sites(_ visit: Visit) -> Page {
    let query = SiteQuery(visit.query)
    let states = [("", "All")] + HostReport.State.allCases.map { ($0.rawValue, $0.rawValue) }
    return Page(
      "Sites", .sites,
      """
      <h1>Sites</h1>\(done(visit))
      <form class="fields" method="get" action="/sites">
      \(Piece.field("Host or state", name: "q", value: query.text, hint: "Part of a name, or a state such as refused"))
      \(Piece.choice("State", name: "state", states, chosen: query.state))
      \(Piece.choice("Sorted by", name: "sort", SiteQuery.orders, chosen: query.order))
      <div><button>Search</button></div></form>
      \(live("sites" + query.link(page: query.page), siteList(query)))
      """)
  }

  func siteList(_ query: SiteQuery) -> Markup {
    let sites = system.sites()
    let found = Self.sorted(sites.hosts.filter(query.finds), by: query.order)
    let pages = max(1, (found.count + Self.hostsOnPage - 1) / Self.hostsOnPage)
    let page = min(query.page, pages)
    let first = (page - 1) * Self.hostsOnPage
    let rows = found.dropFirst(first).prefix(Self.hostsOnPage).map(row)
    let counts = sites.counts.map { state, count -> Markup in
      "<li><a href=\"/sites?state=\(URLText.encoded(state.rawValue))\">\(count) \(state.rawValue)</a></li>"
    }
    let problem = sites.problem.map { Piece.notice($0, "bad") } ?? .none
    if rows.isEmpty {
      return "\(problem)<ul class=\"row plain\">\(counts)</ul><p>No such host is served.</p>"
    }
    let columns: [Column] = [
      "Host", "State", "Why", "Association file", "assetlinks.json", .count("Errors"),
    ]
    let caption = found.count.counted("host")
    return """
      \(problem)<section data-key="counts"><ul class="row plain">\(counts)</ul><p class="soft">\(caption)</p></section>\(Piece.table("Hosts", columns: columns, rows: rows))\
      \(Self.pager(page, of: pages) { "/sites" + query.link(page: $0) })
      """
  }

  private func row(_ report: HostReport) -> Markup {
    let size: Markup = report.site?.associationFile.map { "\($0.count) bytes" } ?? "none"
    return """
      <tr data-key="\(report.name)"><td>\(Self.link(report))</td><td><span class="\(Self.kind(report.state))">\(report.state.rawValue)</span></td>\
      <td>\(reason(report))</td><td>\(size)</td><td>\(report.site?.assetLinks == nil ? "no" : "yes")</td>\
      <td class="count">\(report.errorCount)</td></tr>
      """
  }

  private static func sorted(_ hosts: [HostReport], by order: String) -> [HostReport] {
    let byName = { (left: HostReport, right: HostReport) in left.name < right.name }
    switch order {
    case "host": return hosts.sorted(by: byName)
    case "size":
      return hosts.sorted { (left: HostReport, right: HostReport) in
        let sizes = (left.site?.associationFile?.count ?? 0, right.site?.associationFile?.count ?? 0)
        return sizes.0 == sizes.1 ? byName(left, right) : sizes.0 > sizes.1
      }
    case "errors":
      return hosts.sorted { (left: HostReport, right: HostReport) in
        left.errorCount == right.errorCount ? byName(left, right) : left.errorCount > right.errorCount
      }
    default:
      let ranks = Dictionary(
        uniqueKeysWithValues: HostReport.State.allCases.enumerated().map { ($1, $0) })
      return hosts.sorted { (left: HostReport, right: HostReport) in
        left.state == right.state ? byName(left, right) : ranks[left.state] ?? 0 < ranks[right.state] ?? 0
      }
    }
  }

  /// Links to the pages of a list; nothing for a single one.
  static func pager(_ page: Int, of pages: Int, _ link: (Int) -> String) -> Markup {
    if pages == 1 { return .none }
    let before: Markup = page > 1 ? "<a href=\"\(link(page - 1))\" rel=\"prev\">Previous page</a> " : .none
    let after: Markup = page < pages ? " <a href=\"\(link(page + 1))\" rel=\"next\">Next page</a>" : .none
    return "<nav aria-label=\"Pages of this list\"><p>\(before)Page \(page) of \(pages)\(after)</p></nav>"
  }
}
