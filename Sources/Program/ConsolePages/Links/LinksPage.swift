internal import AppSiteAssociation
import LinkExplanation
package import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// Links: what a URL of a live host does on a device, by release and by way of following it.
package enum LinksPage {
  package static let all = [ConsolePage("GET", "/links") { console, visit in page(visit, console) }]

  /// Ours: a release for each behaviour that differs.
  private static let releases = ["ios:26.0", "ios:17.4", "ios:14.4", "ios:13.3", "ios:12.4", "ios:9.3"]
  /// Ours: the ways that people ask about.
  private static let ways: [(name: String, title: String)] = [
    ("messages", "Messages"), ("mail", "Mail"), ("safari-other", "Safari, another site's page"),
    ("safari", "Safari, this site's page"), ("typed", "Typed in Safari"), ("qr", "QR code"),
    ("redirect", "Redirected from another site"),
    ("tap-in-view-controller", "A tap in SFSafariViewController"),
    ("other-app", "Another app"), ("in-app-browser", "Browser inside an app"),
  ]

  private static func page(_ visit: Console.Visit, _ console: Console) -> Page {
    let text = visit.value("url").drop { $0 == " " }
    let form: Markup = """
      <h1>Links</h1><p>What happens to a link of a host that this server serves, with the files that are live now.</p>
      <form class="fields" method="get" action="/links">\(Piece.field(
        "URL", name: "url", value: String(text), hint: "https://example.com/path", attributes: " type=\"text\" inputmode=\"url\" required"))\
      <div><button>Explain</button></div></form>
      """
    guard !text.isEmpty else { return Page("Links", .links, form) }
    let answer = console.alone {
      explanation(
        of: String(text.prefix(8_192)), os: visit.value("os"), way: visit.value("from"), console.liveSites)
    }
    return Page("Links", .links, form + answer)
  }

  private static func explanation(
    of link: String, os: String, way: String, _ live: [AssociationSite]
  ) -> Markup {
    let url = LinkURL(written: link)
    guard ["http", "https"].contains(url.scheme), !url.host.isEmpty, url.fault == nil else {
      return Piece.notice("Write the whole URL: https://example.com/path.", "bad")
    }
    let sites = live.filter { site in
      guard let host = site.host else { return false }
      return url.host == host || url.host.hasSuffix("." + host)
    }
    guard !sites.isEmpty else {
      return Piece.notice("This server serves no files for \(url.host), nor for a host above it.", "bad")
    }
    let world = LinkWorld(sites, host: url.host)
    guard !world.apps.isEmpty else {
      return Piece.notice(
        "The files name no app for universal links, so every link stays in the browser.", "bad")
    }
    let rows = ways.map { row -> Markup in
      let cells = releases.map { release -> Markup in
        let (words, kind): (String, String) =
          switch world.verdict(link, release: release, way: row.name) {
          case .success(let verdict): verdict.app == nil ? (short(verdict), "soft") : ("app", "good")
          case .failure: ("no answer", "bad")
          }
        return """
          <td><a href="/links?url=\(URLText.encoded(link))&amp;os=\(URLText.encoded(release))&amp;from=\(row.name)#why" \
          aria-label="\(words): \(row.title), \(title(release))"><span class="\(kind)">\(words)</span></a></td>
          """
      }
      return "<tr><th scope=\"row\">\(row.title)</th>\(cells)</tr>"
    }
    let table = Piece.matrix(
      "App or browser? Choose a cell for the reason.",
      columns: ["Followed from"] + releases.map { Column(title($0)) }, rows: rows)
    let apps =
      "<p class=\"soft\">Assumed: these apps are installed and claim \(world.entries.joined(separator: ", ")): \(world.apps.joined(separator: ", ")).</p>"
      as Markup
    return table + apps + why(link, world, os.isEmpty ? releases[0] : os, way.isEmpty ? "messages" : way)
  }

  private static func title(_ release: String) -> String { "iOS " + release.dropFirst(4) }

  private static func short(_ verdict: LinkVerdict) -> String {
    switch verdict.destination {
    case .browser: "browser"
    case .webView: "web view"
    case .nothing: "nothing"
    case .alert: "alert"
    case .unknown: "\(verdict.certainty.rawValue)"
    }
  }

  /// The steps of one cell, and what to change.
  private static func why(_ link: String, _ world: LinkWorld, _ release: String, _ way: String) -> Markup {
    guard let row = ways.first(where: { $0.name == way }), releases.contains(release) else {
      return Piece.notice("There is no such release or way in the table.", "bad")
    }
    let answer: Explanation
    switch world.explanation(link, release: release, way: way) {
    case .success(let found): answer = found
    case .failure(let failure): return Piece.notice(failure.message, "bad")
    }
    let verdict = answer.chain.verdict
    let steps = answer.chain.steps.map { step -> Markup in
      let mark: Markup =
        switch step.verdict {
        case .yes: "<span class=\"good\">yes</span>"
        case .no: "<span class=\"bad\">no</span>"
        case .unknown: "<span class=\"soft\">?</span>"
        case .notReached: "<span class=\"soft\">–</span>"
        }
      return """
        <tr><td>\(mark)</td><td>\(step.name.rawValue.replacing("-", with: " "))</td><td>\(step.message)\
        <br><span class="soft">\(step.provenance.text)</span></td></tr>
        """
    }
    let changes = answer.changes.map { set -> Markup in
      "<li>\(set.map { "\($0.whoWords): \($0.what)" }.joined(separator: "; and "))</li>"
    }
    let toDo: Markup =
      verdict.app != nil
      ? .none
      : changes.isEmpty
        ? "<p>No combination of up to three changes would open the app.</p>"
        : "<h2>What to change so that the app opens</h2><ol>\(changes)</ol>"
    let notKnown: Markup =
      answer.notKnown.isEmpty
      ? .none
      : """
      <details><summary>What the server cannot know</summary><ul class="plain">\(answer.notKnown.map { "<li>\($0)</li>" as Markup })</ul></details>
      """
    let outcome =
      verdict.isUnknown
      ? "unknown (\(verdict.certainty.rawValue))" : "opens \(verdict.app ?? verdict.destination.words)"
    return """
      <h2 id="why">\(row.title), \(title(release)): \(outcome)</h2>
      \(Piece.table("From finger to screen", columns: ["Passed", "Step", "Found"], rows: steps))
      \(toDo)
      \(notKnown)
      """
  }
}

/// A device with the apps that the live files name.
private struct LinkWorld {
  let apps: [String]
  /// What every app is assumed to claim: each host that has a file, and nothing below it (E7, E8).
  let entries: [String]
  private let story: Story
  private let host: String

  init(_ sites: [AssociationSite], host: String) {
    self.host = host
    var story = Story(name: "console", start: WallTime(milliseconds: 0))
    var apps: [String] = []
    entries = sites.compactMap(\.host).map { "applinks:\($0)" }
    for site in sites {
      guard let name = site.host, let bytes = site.associationFile else { continue }
      var documents = [Site.Document(path: AssociationLocation.wellKnown.rawValue, body: bytes)]
      if site.servesRootName { documents.append(.init(path: AssociationLocation.root.rawValue, body: bytes)) }
      story.sites[name] = Site(documents)
      guard let file = AssociationContent(bytes).file else { continue }
      for app in AssociationMatcher(file).applicationsOfAnyRelease where !apps.contains(app) {
        apps.append(app)
      }
    }
    // Ours: more apps make a table slow, and nobody has them installed together.
    self.apps = Array(apps.prefix(8))
    story.apps = self.apps.map { [entries] in
      .init(name: $0, build: AppBuild(identifier: $0, entries: entries, kind: .appStore))
    }
    self.story = story
  }

  private func situation(_ link: String, _ release: String, _ way: String) -> Result<
    Situation, ConsoleFailure
  > {
    var story = story
    do throws(WayProblem) {
      let way = try Self.following(way, host: host)
      guard let os = Self.release(release) else { return .failure(ConsoleFailure("There is no release.")) }
      story.devices = [DeviceTraits(name: release, os: os)]
      story.script = [
        StoryStep(.install(apps: Array(story.apps.indices), devices: [0]), at: .init(file: story.name))
      ]
      return .success(Situation(story, device: 0, link: link, way: way))
    } catch {
      return .failure(ConsoleFailure(error.message))
    }
  }

  /// The way of a row of the table.
  private static func following(_ name: String, host: String) throws(WayProblem) -> WayOfFollowing {
    let elsewhere = "https://other.example/"
    switch name {
    case "safari": return try WayOfFollowing(name: name, WayDetails(page: "https://\(host)/"))
    case "safari-other": return try WayOfFollowing(name: "safari", WayDetails(page: elsewhere))
    case "redirect": return try WayOfFollowing(name: name, WayDetails(through: [elsewhere]))
    case "tap-in-view-controller": return .chain(Navigation(.safariViewController))
    default: return try WayOfFollowing(name: name, WayDetails())
    }
  }

  private static func release(_ text: String) -> OSVersion? {
    do throws(OSVersionError) { return try OSVersion(text) } catch { return nil }
  }

  func verdict(_ link: String, release: String, way: String) -> Result<LinkVerdict, ConsoleFailure> {
    situation(link, release, way).flatMap { situation in
      do throws(SimulationError) {
        return .success(try situation.explained().verdict)
      } catch {
        return .failure(ConsoleFailure("The simulation failed: \(error)."))
      }
    }
  }

  func explanation(_ link: String, release: String, way: String) -> Result<Explanation, ConsoleFailure> {
    situation(link, release, way).flatMap { situation in
      do throws(SimulationError) {
        return .success(try Explanation(situation, goal: .app))
      } catch {
        return .failure(ConsoleFailure("The simulation failed: \(error)."))
      }
    }
  }
}
