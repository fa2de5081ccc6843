internal import AppSiteAssociation
package import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// Who has what a host published last: simulated devices, each with the time when it will have the new file.
package enum CohortPage {
  package static let all = [ConsolePage("GET", "/cohort") { console, visit in page(visit, console) }]

  /// Ours: hosts that the form names; others are written.
  private static let namedHosts = 20

  private static func page(_ visit: Console.Visit, _ console: Console) -> Page {
    let host = IDNA.named(visit.value("host").filter { $0 != " " })
    guard !host.isEmpty else {
      return Page("Devices", .sites, "<h1>Who has a host's files</h1>" + choice(of: host, console))
    }
    let title: Markup = "<h1>Who has the files of \(host)</h1>"
    guard let live = console.liveSites.first(where: { $0.host == host }), let file = live.associationFile
    else {
      let notice = Piece.notice("This server serves no association file for \(host).", "bad")
      return Page("Devices", .sites, status: 404, title + notice + choice(of: host, console))
    }
    let head: Markup = """
      \(title)<p><a href="/sites/\(URLText.encoded(host))">Back to \(host)</a> · \
      <a href="/sites/\(URLText.encoded(host))/cdn">Ask what Apple's CDN has</a></p>
      """
    let publications: [ConsolePublication]
    switch console.history(of: host) {
    case .success(let history): publications = history.publications
    case .failure(let failure): return Page("Devices", .sites, head + Piece.notice(failure.message, "bad"))
    }
    guard let place = publications.firstIndex(where: { $0.associationFile == file }) else {
      return Page("Devices", .sites, head + Piece.notice("Its history does not say since when it is served."))
    }
    let before = publications.dropFirst(place + 1).first { $0.associationFile != file }?.associationFile
    let cohort = Cohort(host: host, file: file, before: before, publishedAt: publications[place].publishedAt)
    return Page("Devices", .sites, head + console.alone { markup(cohort, publications[place]) })
  }

  /// Asks for a host, and names some.
  private static func choice(of host: String, _ console: Console) -> Markup {
    let hosts = console.liveSites.filter { $0.associationFile != nil }.compactMap(\.host).sorted()
    let links = hosts.prefix(namedHosts).map { host -> Markup in
      "<li><a href=\"/cohort?host=\(URLText.encoded(host))\">\(host)</a></li>"
    }
    let more: Markup =
      hosts.count > namedHosts
      ? "<p class=\"soft\">The first \(namedHosts) of \(hosts.count) hosts; <a href=\"/sites\">Sites</a> has all.</p>"
      : .none
    return """
      <p>When simulated devices have the files that a host serves now, by its app, their release of iOS and when they
      installed it.</p>
      <form class="fields" method="get" action="/cohort">\(Piece.field(
        "Host", name: "host", value: host, hint: "example.com", attributes: " type=\"text\" inputmode=\"url\" required"))\
      <div><button>Show</button></div></form><ul class="plain">\(links)</ul>\(more)
      """
  }

  private static func asked(_ route: String?) -> String {
    switch route {
    case nil: "not asked yet"
    case "cdn": "Apple's CDN"
    case let route?: route == "direct" ? "the host itself" : route
    }
  }

  private static func markup(_ cohort: Cohort, _ publication: ConsolePublication) -> Markup {
    guard let app = cohort.app else {
      return Piece.notice("The file names no app for universal links, so no device stores it.", "warn")
    }
    let arrivals: [Cohort.Arrival]
    switch cohort.arrivals() {
    case .success(let found): arrivals = found
    case .failure(let failure): return Piece.notice(failure.message, "bad")
    }
    let rows = arrivals.map { arrival -> Markup in
      """
      <tr><td>\(arrival.device)</td><td>\(asked(arrival.route))</td>\
      <td>\(arrival.time.map { Piece.time($0) } ?? "later than \(Cohort.daysAfter) days")</td>\
      <td>\(arrival.after.map { "\($0)" } ?? .none)</td></tr>
      """
    }
    return """
      <p>This host serves publication \(publication.number) since \(Piece.time(publication.publishedAt)). Real devices are not
      known to a server; these are simulated with \(app) and the files of then, by the documented and observed rules of when a
      device asks again.</p>
      \(Piece.table(
        "Simulated devices, the first one first", columns: ["Device", "Asks", "Has the new file", "After"], rows: rows))
      """
  }
}

/// Devices that installed the app at several times before a file was published, and one that does so right after.
private struct Cohort {
  struct Arrival {
    let device: String
    /// Whom it asked; nil where it did not.
    let route: String?
    /// nil when it has not within ``daysAfter``.
    let time: WallTime?
    let after: String?
  }

  /// A device looks about once a week (V2, V3).
  static let daysAfter = 8
  private static let daysBefore = 14
  /// Ours: the oldest release that asks the host itself, and those that ask Apple's CDN.
  private static let releases = ["ios:13.3", "ios:17.4", "ios:26.0"]
  /// Days before the publication. Ours: a week of them, since a device looks once a week.
  private static let installs = [13, 11, 9, 6, 4, 2]

  let host: String
  let file: [UInt8]
  let before: [UInt8]?
  let publishedAt: WallTime

  /// The first app that the file names.
  var app: String? {
    AssociationContent(file).file.flatMap { AssociationMatcher($0).applicationsOfAnyRelease.first }
  }

  private static func site(_ file: [UInt8]?) -> Site {
    Site(file.map { [Site.Document(path: AssociationLocation.wellKnown.rawValue, body: $0)] } ?? [])
  }

  private func devices() throws(OSVersionError) -> [(traits: DeviceTraits, installed: Int)] {
    var devices: [(traits: DeviceTraits, installed: Int)] = []
    for release in Self.releases {
      let os = try OSVersion(release)
      for days in Self.installs {
        devices.append((DeviceTraits(name: "\(os.name), app installed \(days) days before", os: os), days))
      }
      devices.append((DeviceTraits(name: "\(os.name), app installed right after", os: os), 0))
    }
    return devices
  }

  /// The story: the app is installed here and there, then the file is published, and time passes.
  private func story(_ devices: [(traits: DeviceTraits, installed: Int)], _ app: String) -> Story {
    let place = Finding.Location(file: "cohort")
    var script: [StoryStep] = []
    var day = Self.daysBefore
    func add(_ action: StoryStep.Action) { script.append(StoryStep(action, at: place)) }
    for days in Self.installs {
      add(.wait(.seconds(86_400 * Int64(day - days))))
      day = days
      add(.install(apps: [0], devices: devices.indices.filter { devices[$0].installed == days }))
    }
    add(.wait(.seconds(86_400 * Int64(day))))
    add(.deploy([host: Self.site(file)]))
    add(.install(apps: [0], devices: devices.indices.filter { devices[$0].installed == 0 }))
    add(.wait(.seconds(86_400 * Int64(Self.daysAfter))))
    return Story(
      name: "cohort", start: publishedAt.advanced(by: .seconds(-86_400 * Int64(Self.daysBefore))),
      sites: [host: Self.site(before)],
      apps: [
        .init(name: "app", build: AppBuild(identifier: app, entries: ["applinks:\(host)"], kind: .appStore))
      ],
      devices: devices.map(\.traits), script: script)
  }

  func arrivals() -> Result<[Arrival], ConsoleFailure> {
    guard let app else { return .success([]) }
    var digest = Digest()
    digest.update(String(decoding: file, as: UTF8.self))
    let wanted = digest.text
    do {
      let devices = try devices()
      let result = try Simulation.run(story(devices, app))
      let arrivals = devices.map { device -> Arrival in
        let checks = result.events.compactMap { event -> (check: EntryCheck, time: WallTime)? in
          guard event.party == device.traits.name, case .checked(let check)? = event.what as? DeviceHappening
          else { return nil }
          return (check, event.wallTime)
        }
        let first = checks.first { $0.check.file == wanted && $0.time >= publishedAt }
        let time = first?.time
        let after = time.map {
          Duration.milliseconds($0.milliseconds - publishedAt.milliseconds).sinceStart
        }
        let route = (first ?? checks.last)?.check.route.name
        return Arrival(device: device.traits.name, route: route, time: time, after: after)
      }
      let latest = Int64.max
      return .success(
        arrivals.sorted { left, right in
          let times = (left.time?.milliseconds ?? latest, right.time?.milliseconds ?? latest)
          return times.0 == times.1 ? left.device < right.device : times.0 < times.1
        })
    } catch {
      return .failure(ConsoleFailure("The simulation failed: \(error)."))
    }
  }
}
