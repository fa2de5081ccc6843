import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanConsole
@testable import LinkspanDaemon
@testable import RegistryServer
@testable import ServiceConfiguration

/// Sequences of what operators do, drawn from a seed: after each step the console's page is read, the server is asked, and
/// the two say the same.
@Suite struct PublicationLawTests {
  static let path = "/.well-known/apple-app-site-association"
  static let hosts = ["a.example", "b.example", "c.example"]
  /// LINKSPAN_SEQUENCES=1000 plays as many, from the seed of LINKSPAN_FIRST_SEED on.
  static let count = number("LINKSPAN_SEQUENCES") ?? 100
  static let firstSeed = number("LINKSPAN_FIRST_SEED") ?? 0

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  static func good(_ number: Int) -> [UInt8] {
    Array(PublicationChecksTests.good.replacing("/a", with: "/p\(number)").utf8)
  }

  static func bad(_ number: Int) -> [UInt8] { Array("{\"broken\": \(number)".utf8) }

  @Test(arguments: 0..<4) func noPageContradictsTheServer(part: Int) throws {
    let stage = Stage()
    for seed in Self.firstSeed..<(Self.firstSeed + Self.count) where seed % 4 == part {
      var sequence = try Sequence(seed: UInt64(seed), stage)
      for step in 0..<14 {
        let word = try sequence.play()
        if let fault = try sequence.fault() {
          Issue.record(
            "seed \(seed), step \(step), \(word): \(fault)\n\(sequence.words.joined(separator: "\n"))")
          return
        }
      }
    }
  }

  /// One server's life.
  fileprivate struct Sequence {
    private let folder: ScratchFolder
    private let stage: Stage
    private var manager: PublicationManager
    private var chance: SeededGenerator
    private var now = WallTime("2026-09-14T08:00:00Z")!
    /// What lies in the folder, by host.
    private var files: [String: [UInt8]] = [:]
    /// What must be served, as a slow and obvious reading of the rules says; nil for nothing.
    private var served: [String: [UInt8]] = [:]
    /// The files that a rollback replaced, by host.
    private var replaced: [String: [UInt8]?] = [:]
    private var pinned: Set<String> = []
    /// Hosts whose removal waits for somebody to confirm it.
    private var held: Set<String> = []
    /// When hosts that lost their folders were withdrawn, what they served, and what a rollback had replaced.
    private var withdrawn: [String: (at: WallTime, bytes: [UInt8], replaced: [UInt8]??)] = [:]
    /// Every draft that was refused or held back.
    private var drafts: [String: [[UInt8]]] = [:]
    private(set) var words: [String] = []
    /// The hosts that the last step was about.
    private var touched = Set(PublicationLawTests.hosts)
    /// What the person was told of the last step; nil for one without an order.
    private var said: String?
    /// What was wrong with the answer to an order.
    private var problem: String?
    private var next = 0

    init(seed: UInt64, _ stage: Stage) throws {
      self.stage = stage
      folder = try ScratchFolder(inMemory: true)
      chance = SeededGenerator(seed: seed)
      try FileManager.default.createDirectory(
        atPath: folder.path("site"), withIntermediateDirectories: true)
      for host in PublicationLawTests.hosts {
        next += 1
        files[host] = PublicationLawTests.good(next)
        served[host] = files[host]
        try folder.write(String(decoding: files[host]!, as: UTF8.self), to: "site/\(host)\(path)")
      }
      manager = try Self.manager(folder)
      try read()
    }

    private static func manager(_ folder: ScratchFolder) throws -> PublicationManager {
      var options = ServeOptions()
      options.sites = [folder.path("site")]
      options.state = folder.path("state")
      options.historyCount = 40
      return try PublicationManager(
        ServeSettings(options), ServerLog(.error, stampsLines: false) { _ in })
    }

    private mutating func read() throws {
      do {
        _ = try manager.publish(at: now)
      } catch {
        // Where nothing is served and nothing lies in the folder, there is nothing to read.
        guard served.isEmpty, files.isEmpty else { throw error }
      }
      while manager.isChecking {
        manager.checks.wait()
        _ = manager.takeOutcomes(at: now)
      }
    }

    /// Does something that an operator does.
    mutating func play() throws -> String {
      now = now.advanced(by: .seconds(Int64.random(in: 0..<90, using: &chance)))
      let host = PublicationLawTests.hosts[Int.random(in: 0..<3, using: &chance)]
      touched = [host]
      said = nil
      let word: String
      switch Int.random(in: 0..<9, using: &chance) {
      case 0, 1: word = try write(host, isGood: true)
      case 2: word = try write(host, isGood: false)
      case 3: word = rollBack(host)
      case 4: word = pin(host)
      case 5: word = try release(host)
      case 6: word = try remove(host)
      case 7: word = confirm(host)
      default: word = try restart()
      }
      words.append(word)
      return word
    }

    private mutating func write(_ host: String, isGood: Bool) throws -> String {
      next += 1
      // Now and then what lay there before, or what is served.
      let again = Int.random(in: 0..<4, using: &chance) == 0 ? served[host] : nil
      let bytes = again ?? (isGood ? PublicationLawTests.good(next) : PublicationLawTests.bad(next))
      files[host] = bytes
      try folder.write(String(decoding: bytes, as: UTF8.self), to: "site/\(host)\(path)")
      try read()
      noteFolder(host)
      return "write \(host) \(String(decoding: bytes, as: UTF8.self).suffix(24))"
    }

    /// The rules, once more and slowly.
    private mutating func noteFolder(_ host: String) {
      guard let bytes = files[host] else {
        if pinned.contains(host) { return }
        if let what = replaced[host], what == nil { return }
        noteAbsence(host)
        return
      }
      held.remove(host)
      let isGood = !bytes.starts(with: Array("{\"broken\"".utf8))
      if let what = replaced[host] {
        if what == bytes { return }
        replaced[host] = nil
      }
      if bytes == served[host] { return }
      if pinned.contains(host) || !isGood {
        drafts[host, default: []].append(bytes)
        return
      }
      served[host] = bytes
    }

    /// A host is not served without its folder, and its rollback ends; the last one is, as it was, and with it those that went
    /// within the minute before.
    private mutating func noteAbsence(_ host: String) {
      guard let bytes = served[host], !held.contains(host) else { return }
      guard files.isEmpty else {
        withdrawn[host] = (now, bytes, replaced[host])
        (served[host], replaced[host]) = (nil, nil)
        return
      }
      held.insert(host)
      let begin = now.advanced(by: .seconds(-60))
      for (other, removal) in withdrawn where served[other] == nil && removal.at >= begin {
        served[other] = removal.bytes
        replaced[other] = removal.replaced
        held.insert(other)
        touched.insert(other)
      }
      withdrawn = [:]
    }

    private mutating func confirm(_ host: String) -> String {
      let isPossible = served[host] != nil && files[host] == nil
      guard case .success? = perform(.remove(hosts: [host])) else {
        if isPossible { problem = "a removal cannot be confirmed" }
        return "confirm \(host) refused"
      }
      if !isPossible { problem = "a removal is confirmed that is none" }
      (served[host], replaced[host], withdrawn[host]) = (nil, nil, nil)
      held.remove(host)
      pinned.remove(host)
      return "confirm \(host)"
    }

    private mutating func rollBack(_ host: String) -> String {
      let before = served[host]
      guard case .success(let answer)? = perform(.rollBack(host: host, number: nil)) else {
        return "rollback \(host) refused"
      }
      pinned.remove(host)
      held.remove(host)
      served[host] = history(host).first { $0.number == answer.number }?.site.associationFile
      replaced[host] = .some(files[host])
      said = answer.words
      return "rollback \(host) to \(answer.number ?? 0), \(before == served[host] ? "the same" : "another")"
    }

    private mutating func pin(_ host: String) -> String {
      guard case .success(let answer)? = perform(.pin(host: host, number: nil)) else {
        return "pin \(host) refused"
      }
      pinned.insert(host)
      held.remove(host)
      said = answer.words
      served[host] = history(host).first { $0.number == answer.number }?.site.associationFile
      replaced[host] = nil
      return "pin \(host)"
    }

    private mutating func release(_ host: String) throws -> String {
      guard case .success? = perform(.release(host: host)) else { return "release \(host) refused" }
      pinned.remove(host)
      replaced[host] = nil
      try read()
      noteFolder(host)
      return "release \(host)"
    }

    private mutating func remove(_ host: String) throws -> String {
      guard files[host] != nil else { return "nothing" }
      try FileManager.default.removeItem(atPath: folder.path("site/\(host)"))
      files[host] = nil
      try read()
      noteFolder(host)
      return "remove \(host)"
    }

    private mutating func restart() throws -> String {
      touched = Set(PublicationLawTests.hosts)
      manager = try Self.manager(folder)
      // The state keeps a rollback as long as its host is served.
      for host in withdrawn.keys { withdrawn[host]?.replaced = nil }
      try read()
      // A folder whose files are refused has its draft once more.
      return "restart"
    }

    private func perform(_ order: PublicationOrder) -> Result<PublicationOrders.Answer, LinkspanError>? {
      let item = PublicationOrders.Item(work: .order(order), actor: "console:ada") { _ in }
      return manager.perform(item, at: now).answer
    }

    private func history(_ host: String) -> [PublicationHistory.Entry] {
      (try? manager.history?.entries(of: host, wantsAssociationFiles: true) { _ in }) ?? []
    }

    // MARK: - The law

    /// What the page says that is not so; nil when all of it is.
    func fault() throws -> String? {
      if let problem { return problem }
      let handler = AssociationHandler(manager.served)
      for host in PublicationLawTests.hosts {
        let answer = handler.response(to: HTTPRequest(authority: host, target: path))
        let found = answer.status == 200 ? answer.body : nil
        guard found == served[host] else {
          return
            "\(host) serves \(found.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"), not \(served[host].map { String(decoding: $0, as: UTF8.self) } ?? "nothing")"
        }
        // A page takes most of the time: the others are read when their turn comes, and all after a start.
        guard touched.contains(host) else { continue }
        if let fault = try faultOfPage(host, found) { return "\(host): \(fault)" }
      }
      return nil
    }

    private func faultOfPage(_ host: String, _ found: [UInt8]?) throws -> String? {
      let reports = manager.reports
      let page = stage.page(of: host, reports, folder.path("state"))
      guard reports.contains(where: { $0.host == host }) else {
        return found == nil && page.contains("does not serve this host") ? nil : "the page does not know it"
      }
      let states = page.ranges(of: "data-state=\"")
      if states.count != 1 { return "\(states.count) states on the page" }
      let name = String(page[states[0].upperBound...].prefix { $0 != "\"" })
      let digest = found.map { SHA256.hexDigest(of: $0) }
      if let digest, !page.contains("<code>\(digest)</code>") { return "the page shows another file" }
      if found == nil, !page.contains("Nothing is served now.") { return "the page shows a file" }
      // One publication is marked as served, and it is; the words of an order are about the same one.
      let marks = page.ranges(of: "<span class=\"good\">served</span>").count
      if marks != (found == nil ? 0 : 1) { return "\(marks) publications are marked as served" }
      if let said, let number = said.split(whereSeparator: { !$0.isNumber }).last,
        Self.servedRow(of: page) != number
      {
        return "“\(said)”, and the page marks \(Self.servedRow(of: page) ?? "none")"
      }
      if name == "removal held" || held.contains(host) {
        guard name == "removal held", held.contains(host), page.contains("Confirm: serve this host no more")
        else { return "the state is \(name), and its removal is \(held.contains(host) ? "" : "not ")held" }
      }
      if let fault = faultOfButtons(page, host) { return fault }
      if found != nil, history(host).first?.site.associationFile != found {
        return "a start would serve another publication"
      }
      if (name == "pinned") != (pinned.contains(host) && name != "refused" && name != "removal held") {
        return "the state is \(name), and pinned is \(pinned.contains(host))"
      }
      if name == "rolled back", replaced[host] == nil { return "no rollback stands" }
      if name == "pinned", page.contains("Its folder has no files.") != (files[host] == nil) {
        return "it is pinned, and the page is wrong about its folder"
      }
      if name == "live", files[host] != found { return "'live' is not what lies in the folder" }
      if name == "refused", files[host] == found { return "what is served is called refused" }
      let kept = try manager.history?.drafts(of: host).map(\.site.associationFile) ?? []
      for draft in drafts[host] ?? [] where !kept.contains(draft) { return "a draft is lost" }
      for draft in kept.indices where !page.contains("draft?number=\(kept.count - draft)\"") {
        return "the page lists \(kept.count) drafts, and not number \(kept.count - draft)"
      }
      return nil
    }

    /// The number of the publication that is marked as served.
    private static func servedRow(of page: String) -> Substring? {
      guard let mark = page.firstRange(of: "<span class=\"good\">served</span>"),
        let row = page[..<mark.lowerBound].ranges(of: "<tr><td data-label=\"Number\">").last
      else { return nil }
      return page[row.upperBound...].prefix { $0.isNumber }
    }

    /// A button whose order would be refused; nil when each would be carried out.
    private func faultOfButtons(_ page: String, _ host: String) -> String? {
      let hasFiles = files[host] != nil
      let isDecided = pinned.contains(host) || replaced[host] != nil
      for (action, isPossible) in [
        ("release", isDecided && hasFiles), ("remove", held.contains(host)),
        ("pin", served[host] != nil && !pinned.contains(host) && !held.contains(host)),
      ] where page.contains("/sites/\(host)/\(action)\"") != isPossible {
        return "a button to \(action) is \(isPossible ? "missing" : "there")"
      }
      return nil
    }
  }
}

private let path = PublicationLawTests.path

/// A console that shows one sequence after the other, and keeps what it compared.
private final class Stage: Sendable {
  private let shown = LockedState<(hosts: [HostReport], state: String)>(([], ""))

  private let console: Console

  init() {
    let shown = shown
    console = Console(
      ConsoleSystem(
        sites: { ConsoleSites(hosts: shown.withLock { $0.hosts }) },
        history: { host in
          .success(
            (try? PublicationHistory(state: shown.withLock { $0.state }).shown(of: host, isShared: false))
              ?? ConsoleHistory([]))
        },
        order: { _, _ in .failure(ConsoleFailure("no orders here")) }, notices: { [] },
        copy: { _ in .failure(ConsoleFailure("no CDN here")) }, metrics: { [] }, users: { .success([]) },
        registry: { nil }, now: { WallTime("2026-09-14T08:00:00Z")! }, uptime: { .zero },
        random: { [UInt8](repeating: 7, count: $0) }, log: { _ in }, version: "1.2.3"),
      pages: [], secret: Array(0..<32))
  }

  func page(of host: String, _ hosts: [HostReport], _ state: String) -> String {
    shown.withLock { $0 = (hosts, state) }
    return console.site(.asking(for: host)).content.text
  }
}

extension Console.Visit {
  fileprivate static func asking(for host: String) -> Console.Visit {
    var router = Router<Int>()
    router.add("GET", "/sites/{host}", 0)
    let request = HTTPRequest(authority: "console", target: "/sites/\(host)")
    guard case .found(_, let parameters) = router.outcome(for: request) else {
      preconditionFailure("the path is one of the router's")
    }
    return Console.Visit(
      request: request, parameters: parameters, query: FormFields("")!, form: nil, user: "ada",
      formField: .none)
  }
}
