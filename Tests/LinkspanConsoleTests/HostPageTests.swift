import DeviceRegistry
import LinkspanConsole
import LinkspanCore
import RegistryRequests
import RegistryServer
import TestSupport
import Testing

@testable import LinkspanServer

/// The page of a host: it offers what can be done, and says everything once.
@Suite struct HostPageTests {
  private static let host = "example.com"
  private static let time = WallTime("2026-09-13T11:23:29.078Z")!
  private static let shownTime = "<time datetime=\"2026-09-13T11:23:29.078Z\">2026-09-13 11:23:29 UTC</time>"

  private static func browser(
    _ report: HostReport, registry: RegistryAPI? = nil,
    _ change: (inout ConsoleFixture.State) -> Void = { _ in }
  ) -> Browser {
    let fixture = ConsoleFixture(registry: registry)
    fixture.state.withLock { state in
      state.sites.hosts = [report]
      change(&state)
    }
    let browser = Browser(fixture)
    browser.logIn()
    browser.get("/sites/\(host)")
    return browser
  }

  private static func report(
    _ state: HostReport.State, _ kind: Standing.Kind? = nil, draft: PublicationDraft.State? = nil,
    author: String? = nil, lacksFiles: Bool = false, replaced: String? = "digest"
  ) -> HostReport {
    var report = ConsoleFixture.host(host, state, "A reason.")
    report.lacksFiles = lacksFiles
    report.standing = kind.map {
      Standing($0, report.site!, replaced: [replaced], actor: "console:ada", since: time)
    }
    report.draft = draft.map {
      PublicationDraft(
        site: AssociationSite(host: host, associationFile: Array("{}".utf8)), state: $0, author: author)
    }
    return report
  }

  private static func actions(_ page: String) -> Set<String> {
    Set(
      ["rollback", "pin", "release", "approve", "remove"].filter {
        page.contains("action=\"/sites/\(host)/\($0)\"")
      })
  }

  static let offers: [(report: HostReport, actions: [String])] = [
    (report(.live), ["rollback", "pin"]),
    (report(.waiting, draft: .held), ["rollback", "pin", "approve"]),
    (report(.pinned, .pin), ["rollback", "release"]),
    (report(.pinned, .pin, draft: .held), ["rollback", "release"]),
    (report(.rolledBack, .rollback), ["rollback", "pin", "release"]),
    (report(.published, .published), ["rollback", "pin", "release"]),
    (report(.removalHeld, lacksFiles: true), ["rollback", "remove"]),
    // Nothing would be served then, so the order is refused.
    (report(.pinned, .pin, lacksFiles: true), ["rollback"]),
    (report(.rolledBack, .rollback, lacksFiles: true), ["rollback", "pin"]),
    (report(.published, .published, lacksFiles: true, replaced: nil), ["rollback", "pin"]),
    // What the API sent meanwhile would be.
    (report(.pinned, .pin, draft: .held, author: "ci", lacksFiles: true), ["rollback", "release"]),
  ]

  @Test(arguments: offers.indices) func offersWhatCanBeDone(_ index: Int) {
    let (report, actions) = Self.offers[index]
    #expect(Self.actions(Self.browser(report).page) == Set(actions), "\(report.state)")
    let obstacle = "the history in 'state' cannot be written: Read-only file system"
    for path in ["", "/draft"] {
      let blocked = Self.browser(report) { $0.obstacle = obstacle }
      blocked.get("/sites/\(Self.host)\(path)")
      #expect(Self.actions(blocked.page) == [], "\(report.state)")
      if blocked.status == 200 {
        #expect(
          blocked.page.contains(
            "Nothing can be changed here: the history in &#39;state&#39; cannot be written"))
      }
    }
  }

  @Test func onlyTheDraftThatWaitsIsApproved() {
    let report = Self.report(.waiting, draft: .held)
    let browser = Self.browser(report) { state in
      let old = AssociationSite(host: Self.host, associationFile: ConsoleFixture.file)
      state.drafts = [(2, report.draft!.site), (1, old)].map {
        ConsoleDraft(number: $0.0, keptAt: Self.time, site: $0.1, author: nil)
      }
    }
    for (path, isOffered) in [("", true), ("?number=2", true), ("?number=1", false)] {
      browser.get("/sites/\(Self.host)/draft\(path)")
      #expect(Self.actions(browser.page).contains("approve") == isOffered, "\(path)")
    }
  }

  @Test func anEndThatIsNotOfferedSaysWhatElseEndsIt() {
    let page = Self.browser(Self.report(.pinned, .pin, lacksFiles: true)).page
    #expect(page.contains("<code>linkspan publish --remove example.com</code>"))
  }

  @Test func onePublicationIsServedAfterARollback() {
    let page = Self.browser(Self.report(.rolledBack, .rollback)) { state in
      (state.publicationCount, state.liveNumbers, state.rolledBackTo) = (3, [1, 3], 1)
    }.page
    #expect(page.ranges(of: "<span class=\"good\">served</span>").count == 1)
    #expect(page.contains("<span class=\"soft\">served again, as 3</span>"))
    #expect(!page.contains("Roll back to publication 1"))
    #expect(page.contains("Roll back to publication 2"))
  }

  /// A registry with one credential that has a name.
  private static func registry(_ folder: ScratchFolder) throws -> Registry {
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    let token = AccessToken(
      identifier: "a5b2a36093829648", secretHash: "", name: "CI <deploy>", scopes: [.writeSites], topics: [],
      createdAt: time)
    try registry.changeAndWait { store throws(RegistryError) in
      try store.add(token)
      try store.audit(
        ["a5b2a36093829648", "console:ada"].map {
          AuditEntry(time: time, actor: $0, action: "site.publish", subject: host)
        })
    }
    return registry
  }

  @Test func theAuditLogShowsCredentialsByNameAndFindsThem() throws {
    let folder = try ScratchFolder(inMemory: true)
    let registry = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.browser(Self.report(.live), registry: RegistryAPI(registry, now: { Self.time }))
    for search in ["ci%20%3Cdep", "a5b2"] {
      browser.get("/health?q=\(search)")
      #expect(browser.page.contains("CI &lt;deploy&gt; <span class=\"soft\">(a5b2a36093829648)</span>"))
      #expect(browser.page.contains("1 change, newest first"), "\(search)")
    }
  }

  @Test(arguments: [(PublicationOutcome.Kind.held, "site.draft"), (.changed, "site.publish")])
  func theAuditLogTellsADraftFromWhatIsServed(kind: PublicationOutcome.Kind, action: String) throws {
    let folder = try ScratchFolder(inMemory: true)
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    var options = RegistryAPI.Options()
    options.sites = RegistryAPI.SiteRoutes(
      publish: { candidate, _, completion in
        completion(
          .success([
            PublicationOutcome(
              host: candidate.site.host, kind: kind, errors: [], differences: [], isServed: true)
          ]))
      }, remove: { _, _, completion in completion(.failure(.unavailable)) })
    let api = RegistryAPI(registry, options, now: { Self.time })
    let request = HTTPRequest(
      method: "PUT", authority: "console", target: "/v1/sites/\(Self.host)", body: ConsoleFixture.file)
    #expect(api.answerAndWait(request, as: "ci")?.status == (kind == .held ? 202 : 200))
    // What was changed before this change is stored.
    _ = try registry.changeAndWait { store throws(RegistryError) in try store.accessTokens().count }
    #expect(try api.auditLog(limit: 9).map(\.action) == [action])
  }

  @Test(arguments: ["/home", "/sites", "/sites/example.com"])
  func aReasonShowsTimesAndNamesAsPagesDo(path: String) throws {
    let folder = try ScratchFolder(inMemory: true)
    let registry = try Self.registry(folder)
    defer { registry.stop() }
    var report = Self.report(.removalHeld)
    report.reason =
      "Gone since \(time: Self.time), by \(actor: "a5b2a36093829648") or \(actor: "console:ada")."
    let browser = Self.browser(report, registry: RegistryAPI(registry, now: { Self.time }))
    browser.get(path)
    let name = "CI &lt;deploy&gt; <span class=\"soft\">(a5b2a36093829648)</span>"
    #expect(browser.page.contains("Gone since \(Self.shownTime), by \(name) or console:ada."), "\(path)")
    #expect(
      report.reason.description == "Gone since 2026-09-13T11:23:29.078Z, by a5b2a36093829648 or console:ada.")
  }

  @Test(arguments: [PublicationDraft.State.held, nil])
  func whatAPinHoldsBackIsInTheStrip(draft: PublicationDraft.State?) {
    let browser = Self.browser(Self.report(.pinned, .pin, draft: draft))
    browser.get("/push")
    let strip = "<strong>1 pinned host has newer files</strong><span>: <a href=\"/sites/example.com\">"
    #expect(browser.page.contains(strip) == (draft != nil))
    #expect(browser.page.contains("Nothing needs attention.") == (draft == nil))
  }

  @Test func digestsAreThoseOfTheFilesByTheirNames() {
    let links = Array("[]".utf8)
    var report = Self.report(.live)
    report.site?.assetLinks = links
    let page = Self.browser(report) { state in
      state.drafts = [ConsoleDraft(number: 1, keptAt: Self.time, site: report.site!, author: nil)]
    }.page
    let (file, other) = (SHA256.hexDigest(of: ConsoleFixture.file), SHA256.hexDigest(of: links))
    let words =
      "apple-app-site-association <code>\(file.prefix(12))</code>, assetlinks.json <code>\(other.prefix(12))</code>"
    #expect(page.ranges(of: words).count == 2, "what is served, and the draft")
    #expect(page.contains("<dt>SHA-256 of apple-app-site-association</dt><dd><code>\(file)</code>"))
    #expect(!page.contains(report.site!.digest.prefix(12)))
    report.signedDigest = String(repeating: "5", count: 64)
    let signed = Self.browser(report).page
    #expect(signed.contains("Served now: apple-app-site-association <code>555555555555</code>"))
    #expect(signed.contains("<dt>SHA-256 of apple-app-site-association before it is signed</dt>"))
  }

  /// Who approves a draft answers for all of its files.
  @Test func aDraftOfAssetLinksAloneIsShown() {
    let statement =
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"#
      + #""com.other","sha256_cert_fingerprints":[]}}]"#
    var report = Self.report(.waiting, draft: .held)
    report.draft?.site = report.site!
    report.draft?.site.assetLinks = Array(statement.utf8)
    let browser = Self.browser(report)
    browser.get("/sites/\(Self.host)/draft")
    #expect(
      browser.page.contains("the same association file</span><p class=\"warn\">assetlinks.json is new</p>"))
    #expect(browser.page.contains("&quot;com.other&quot;"))
    #expect(browser.page.contains("<code>assetlinks."), "its findings")
    let digest = SHA256.hexDigest(of: Array(statement.utf8))
    #expect(browser.page.contains("<dt>SHA-256 of assetlinks.json</dt><dd><code>\(digest)</code></dd>"))
  }

  @Test func theHistoryTellsWhatChangedBesidesLinks() {
    let links = Array("[]".utf8)
    var report = Self.report(.live)
    report.site?.assetLinks = links
    let page = Self.browser(report) { state in
      (state.publicationCount, state.liveNumbers) = (4, [1, 2, 3, 4])
      state.assetLinks = [2: Array("[ ]".utf8), 3: links, 4: links]
    }.page
    #expect(page.ranges(of: "assetlinks.json is new").count == 1)
    #expect(page.ranges(of: "assetlinks.json differs").count == 1)
    #expect(page.ranges(of: "the same association file").count == 3)
    #expect(page.ranges(of: "<span class=\"good\">served</span>").count == 1)
  }
}
