import DeviceRegistry
import LinkspanCore
import RegistryRequests
import Testing

@testable import LinkspanServer
@testable import RegistryServer

/// What became of a host's files, as a client reads it, and what the audit log has of it.
@Suite("Registry API: sites") struct SitesAPITests {
  private static let target = "/v1/sites/a.example"

  private static func api(_ host: String?, _ kind: PublicationOutcome.Kind?) throws -> APIUnderTest {
    var options = RegistryAPI.Options()
    let outcomes = kind.map {
      [
        PublicationOutcome(
          host: "other.example", kind: .unchanged, errors: [], differences: [], isServed: true),
        PublicationOutcome(host: host, kind: $0, errors: [], differences: [], isServed: true),
      ]
    }
    options.sites = .init(
      publish: { _, _, done in done(.success(outcomes ?? [])) },
      remove: { _, _, done in done(.success(outcomes ?? [])) })
    return try APIUnderTest(options)
  }

  @Test(
    arguments: [
      (.published, 201, "site.remove"), (.changed, 200, "site.remove"), (.unchanged, 200, nil),
      (.withdrawn, 200, "site.remove"), (.refused, 422, nil), (.held, 202, "site.draft"),
      (.removalHeld, 200, "site.remove"),
    ] as [(PublicationOutcome.Kind, Int, String?)])
  func anOutcomeHasItsStatusAndItsLine(_ kind: PublicationOutcome.Kind, _ status: Int, _ action: String?)
    async throws
  {
    let api = try Self.api("a.example", kind)
    let access = try api.token([.writeSites], hosts: ["a.example"])
    let answer = await api.answer("DELETE", Self.target, token: access)
    #expect(answer.status == status)
    #expect(answer.text.contains("\"a.example\""))
    let lines = try api.registry.askAndWait { store throws(RegistryError) in try store.auditLog(limit: 4) }
    #expect(lines.map(\.action) == (action.map { [$0] } ?? []))
    #expect(lines.allSatisfy { $0.subject == "a.example" })
  }

  @Test func withoutAnOutcomeNothingIsClaimed() async throws {
    let api = try Self.api(nil, nil)
    let access = try api.token([.writeSites], hosts: ["a.example"])
    let answer = await api.answer("DELETE", Self.target, token: access)
    #expect(answer.status == 409)
  }

  /// A file and a list of statements are taken as they are, as all bodies are.
  @Test(
    arguments: [
      ("", "gzip", 415), ("/assetlinks.json", "gzip", 415), ("/files", "gzip", 415), ("", "Identity", 200),
      ("/assetlinks.json", "identity", 200),
    ] as [(String, String, Int)])
  func aCompressedFileIsCalledSo(_ rest: String, _ coding: String, _ status: Int) async throws {
    let api = try Self.api("a.example", .unchanged)
    let access = try api.token([.writeSites], hosts: ["a.example"])
    let answer = await api.answer(
      "PUT", Self.target + rest, token: access, body: "{}", fields: ["Content-Encoding": coding])
    #expect(answer.status == status, "\(answer.text)")
    if status == 415 { #expect(answer.text.contains("has the Content-Encoding '\(coding)'")) }
  }

  @Test func aServerWithoutFilesHasNoSites() async throws {
    let api = try APIUnderTest()
    let access = try api.token([.writeSites], hosts: ["a.example"])
    let answer = await api.answer("DELETE", Self.target, token: access)
    #expect(answer.status == 404)
    #expect(answer.text.contains("This server publishes no files for clients."))
  }
}
