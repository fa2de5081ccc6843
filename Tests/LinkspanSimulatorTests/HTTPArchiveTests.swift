import AppSiteAssociation
import AssociationDelivery
import Foundation
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// HAR 1.2: the members and types that the format demands, checked by hand.
@Suite struct HTTPArchiveTests {
  static let names = ["qa-behind-a-filter.json5", "stale-copy-after-a-fix.json5"].map { "stories/" + $0 }

  static func archive(_ name: String, seed: UInt64 = 5) throws -> [UInt8] {
    let result = try Simulation.run(try Stories.example(name), seed: seed)
    return HTTPArchive.json(result.exchanges, start: result.start, creator: ("linkspan", "1")).bytes
  }

  static func log(_ bytes: [UInt8]) throws -> [String: Any] {
    let root = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return try #require(root?["log"] as? [String: Any])
  }

  /// What is missing or of another type, by path; the members are those of the format's own list.
  static func problems(_ log: [String: Any]) -> [String] {
    var problems: [String] = []
    func check<T>(_ value: Any?, _ type: T.Type, _ path: String) -> T? {
      if let value = value as? T { return value }
      problems.append(path)
      return nil
    }
    func strings(_ object: [String: Any]?, _ names: [String], _ path: String) {
      for name in names { _ = check(object?[name], String.self, "\(path).\(name)") }
    }
    func numbers(_ object: [String: Any]?, _ names: [String], _ path: String) {
      for name in names { _ = check(object?[name], NSNumber.self, "\(path).\(name)") }
    }
    func pairs(_ value: Any?, _ path: String) {
      for pair in check(value, [[String: Any]].self, path) ?? [] { strings(pair, ["name", "value"], path) }
    }
    func date(_ value: Any?, _ path: String) {
      let text = check(value, String.self, path) ?? ""
      if text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) == nil { problems.append(path) }
    }
    if log["version"] as? String != "1.2" { problems.append("version") }
    strings(log["creator"] as? [String: Any], ["name", "version"], "creator")
    var ids: Set<String> = []
    for page in check(log["pages"], [[String: Any]].self, "pages") ?? [] {
      strings(page, ["id", "title"], "page")
      date(page["startedDateTime"], "page.startedDateTime")
      _ = check(page["pageTimings"], [String: Any].self, "page.pageTimings")
      if !ids.insert(page["id"] as? String ?? "").inserted { problems.append("page.id twice") }
    }
    for entry in check(log["entries"], [[String: Any]].self, "entries") ?? [] {
      if !ids.contains(entry["pageref"] as? String ?? "") { problems.append("pageref") }
      date(entry["startedDateTime"], "startedDateTime")
      numbers(entry, ["time"], "entry")
      let request = check(entry["request"], [String: Any].self, "request")
      strings(request, ["method", "url", "httpVersion"], "request")
      numbers(request, ["headersSize", "bodySize"], "request")
      let response = check(entry["response"], [String: Any].self, "response")
      strings(response, ["statusText", "httpVersion", "redirectURL"], "response")
      numbers(response, ["status", "headersSize", "bodySize"], "response")
      for (message, path) in [(request, "request"), (response, "response")] {
        pairs(message?["headers"], path + ".headers")
        _ = check(message?["cookies"], [[String: Any]].self, path + ".cookies")
      }
      pairs(request?["queryString"], "queryString")
      let content = check(response?["content"], [String: Any].self, "content")
      numbers(content, ["size"], "content")
      strings(content, ["mimeType"], "content")
      _ = check(entry["cache"], [String: Any].self, "cache")
      let timings = check(entry["timings"], [String: Any].self, "timings")
      numbers(timings, ["send", "wait", "receive"], "timings")
      let parts = ["send", "wait", "receive"].compactMap { (timings?[$0] as? NSNumber)?.intValue }
      if parts.reduce(0, +) != (entry["time"] as? NSNumber)?.intValue { problems.append("time is no sum") }
      strings(entry, ["connection", "_party", "_reason"], "entry")
    }
    return problems
  }

  @Test(arguments: names) func hasEveryMemberOfTheFormat(_ name: String) throws {
    let log = try Self.log(try Self.archive(name))
    #expect(Self.problems(log) == [])
    #expect((log["entries"] as? [Any])?.isEmpty == false)
  }

  /// The check above can fail.
  @Test(arguments: ["creator", "entries", "pages", "version"])
  func aMissingMemberIsNoticed(_ member: String) throws {
    var log = try Self.log(try Self.archive(Self.names[0]))
    log[member] = nil
    #expect(!Self.problems(log).isEmpty)
  }

  @Test(arguments: names) func theSameSeedGivesTheSameBytes(_ name: String) throws {
    #expect(try Self.archive(name) == Self.archive(name))
    #expect(try Self.archive(name) != Self.archive(name, seed: 6))
  }

  @Test func anExchangeWithoutAnswerHasStatusZeroAndSaysWhy() throws {
    let log = try Self.log(try Self.archive(Self.names[0]))
    let entries = try #require(log["entries"] as? [[String: Any]])
    let crawl = try #require(entries.first { $0["_party"] as? String == "cdn" })
    #expect((crawl["response"] as? [String: Any])?["status"] as? Int == 0)
    #expect(crawl["_error"] as? String == "the host did not answer in time")
    #expect(crawl["time"] as? Int == 5_000)
    #expect(crawl["_reason"] as? String == "a request for a host of which nothing is cached")
    #expect(crawl["_rules"] as? [String] == ["C2"])
    let request = try #require(crawl["request"] as? [String: Any])
    #expect(
      request["headers"] as? [[String: String]] == [["name": "User-Agent", "value": "AASA-Bot/1.0.0"]])
  }

  @Test func everyExchangeIsInTheTraceWithItsReason() throws {
    let result = try Simulation.run(try Stories.example(Self.names[1]), seed: 5)
    let asked = result.events.filter { $0.kind == "ask" }
    #expect(asked.count == result.exchanges.count)
    #expect(asked.allSatisfy { $0.line.contains(" why=") && $0.line.contains(" connection=") })
    let reasons = Set(result.exchanges.filter { $0.party != "cdn" }.map(\.cause.reason))
    #expect(reasons.contains("weekly re-check"))
    #expect(reasons.contains("the app with this entry was installed"))
  }

  @Test(
    arguments: [
      ([0xFF], "/w=="), ([0xFF, 0xFE], "//4="), ([0xFF, 0xFE, 0xFD], "//79"),
      ([0x30, 0x82, 0, 1], "MIIAAQ=="),
    ] as [([UInt8], String)])
  func bytesThatAreNoTextAreBase64(body: [UInt8], text: String) throws {
    let exchange = Exchange(
      started: .zero, time: .zero, party: "cdn", connection: "1", version: .http1,
      request: HTTPRequest(authority: "e.test", target: "/?a=b&c"),
      result: .answered(HTTPResponse(status: 200, body: body)),
      cause: FetchCause("a test", Provenance([], .documented)))
    let bytes = HTTPArchive.json(
      [exchange], start: WallTime(milliseconds: 0), creator: ("linkspan", "1")
    ).bytes
    let entry = try #require((try Self.log(bytes)["entries"] as? [[String: Any]])?.first)
    let content = (entry["response"] as? [String: Any])?["content"] as? [String: Any]
    let isText = String(validating: body, as: UTF8.self) != nil
    #expect(content?["text"] as? String == text || isText)
    #expect(content?["encoding"] as? String == (isText ? nil : "base64"))
    #expect(
      (entry["request"] as? [String: Any])?["queryString"] as? [[String: String]] == [
        ["name": "a", "value": "b"], ["name": "c", "value": ""],
      ])
  }
}
