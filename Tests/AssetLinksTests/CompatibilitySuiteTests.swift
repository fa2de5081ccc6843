import AppSiteAssociation
import AssetLinks
import Foundation
import LinkspanCore
import TestSupport
import Testing

/// Google's own suite for services that read statement lists: every case by its name.
@Suite struct CompatibilitySuiteTests {
  /// One question of the suite, with the files it is asked about.
  struct Case: Sendable, CustomTestStringConvertible {
    var group: String
    var name: String
    var isCheck: Bool
    /// Bodies by their URL, or by the app that carries them.
    var web: [String: String]
    var apps: [(package: String, fingerprint: String, body: String)]
    var request: TextProto
    var expected: TextProto
    var testDescription: String { "\(group): \(name)" }
  }

  /// Why a question is in the files and not answered here.
  static func reasonToSkip(_ item: Case) -> String? {
    guard item.isCheck, let target = item.request["target"] else {
      return item.isCheck ? "a question without a target cannot be put: the target is no optional" : nil
    }
    return target["web"] == nil && target["android_app"] == nil
      ? "a target is a site or an app: a target that is neither cannot be put" : nil
  }

  static let all: [Case] = {
    guard let corpus = Fixtures.corpus else { return [] }
    do {
      let files = try corpus.manifest("assetlinks").map { row in row[0] }.filter { $0.hasSuffix(".pb") }
      let found = try files.flatMap { try Self.cases(in: corpus.bytes("assetlinks/\($0)")) }
      let skipped = found.compactMap { item in
        reasonToSkip(item).map { "skipped: \(item.testDescription): \($0)" }
      }
      skipped.forEach { print($0) }
      print("compatibility suite: \(found.count - skipped.count) cases run, \(skipped.count) skipped")
      return found.filter { reasonToSkip($0) == nil }
    } catch {
      Issue.record("the suite cannot be read: \(error)")
      return []
    }
  }()

  static func cases(in bytes: [UInt8]) throws -> [Case] {
    let root = try TextProto(parsing: String(decoding: bytes, as: UTF8.self))
    return root.all("test_group").flatMap { group in
      let web = group.all("web_content").map { ($0["url"]?.string ?? "", $0["body"]?.string ?? "") }
      let apps = group.all("android_content").map {
        (
          package: $0["package_name"]?.string ?? "", fingerprint: $0["cert_fingerprint"]?.string ?? "",
          body: $0["assets_statements"]?.string ?? ""
        )
      }
      return ["check_statements_tests", "list_statements_tests"].flatMap { kind in
        group.all(kind).map { test in
          Case(
            group: group["name"]?.string ?? "", name: test["name"]?.string ?? "the only question",
            isCheck: kind == "check_statements_tests",
            web: Dictionary(web.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 }), apps: apps,
            request: test["request"] ?? .message([]), expected: test)
        }
      }
    }
  }

  static func asset(_ proto: TextProto?) throws(StatementFault) -> Asset {
    if let app = proto?["android_app"] {
      return .androidApp(
        try AndroidApp(
          packageName: app["package_name"]?.string ?? "",
          fingerprint: app["certificate"]?["sha256_fingerprint"]?.string ?? ""))
    }
    return .web(try WebSite(proto?["web"]?["site"]?.string ?? ""))
  }

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)), arguments: all)
  func answersAsGoogleDoes(_ item: Case) throws {
    let outcome = item.expected["outcome"]?.string
    let message = item.expected["error_message_regex"]?.string
    let source: Asset
    var relation: Relation?
    var target: Asset?
    do throws(StatementFault) {
      source = try Self.asset(item.request["source"])
      if item.isCheck || item.request["relation"] != nil {
        relation = try Relation(item.request["relation"]?.string ?? "")
      }
      if item.isCheck { target = try Self.asset(item.request["target"]) }
    } catch {
      #expect(outcome == "QUERY_PARSING_ERROR", "\(error)")
      #expect(Self.kinds(of: message).contains(error.kind.rawValue), "\(message ?? ""): \(error)")
      return
    }
    let answer = StatementResolver { location in
      switch location {
      case .web(let url, _): item.web[url].map { Array($0.utf8) }
      case .package(let app):
        item.apps.first { $0.package == app.packageName && $0.fingerprint == app.fingerprint.description }
          .map { Array($0.body.utf8) }
      }
    }.statements(of: source)

    let found = answer.obstacles.map(Self.kind) + (answer.hasEmptyList && !item.isCheck ? ["empty-list"] : [])
    #expect(outcome == (found.isEmpty ? "SUCCESS" : "FETCH_ERROR"), "\(answer.obstacles)")
    if outcome == "FETCH_ERROR" {
      let kinds = Self.kinds(of: message)
      #expect(found.contains(where: kinds.contains), "\(answer.obstacles)")
    }
    if item.isCheck {
      if let response = item.expected["response"]?.string, let relation, let target {
        #expect(answer.has(relation, to: target) == (response == "true"))
      }
    } else {
      let expected = try item.expected.all("response").map { response in
        "\(response["relation"]?.string ?? "") \(try Self.asset(response["target"]))"
      }
      #expect(try Self.listed(answer, relation).sorted() == expected.sorted())
    }
  }

  /// Statements as the suite lists them: each relation and each fingerprint by itself.
  static func listed(_ answer: StatementResolver.Answer, _ wanted: Relation?) throws -> [String] {
    try answer.statements.flatMap { statement in
      try statement.relations.filter { wanted == nil || $0 == wanted }.flatMap { relation in
        switch statement.target {
        case .web(let site): ["\(relation) \(Asset.web(site))"]
        case .androidApp(let name, let fingerprints):
          try fingerprints.map { fingerprint in
            let app = try AndroidApp(packageName: name, fingerprint: fingerprint.description)
            return "\(relation) \(Asset.androidApp(app))"
          }
        }
      }
    }
  }

  static func kind(of obstacle: StatementResolver.Obstacle) -> String {
    switch obstacle {
    case .notJSON: "json"
    case .fault(let fault): fault.kind.rawValue
    case .insecureInclude: "insecure-include"
    case .budgetExhausted: "budget"
    }
  }

  /// Our words for what the suite's messages say.
  static func kinds(of message: String?) -> Set<String> {
    let table: [(String, Set<String>)] = [
      ("detail", ["relation"]), ("kind", ["relation"]), ("nvalid relation", ["relation"]),
      ("must contain a relation string", ["relation"]), ("no relation", ["no-relation"]),
      // A bare number is JSON by RFC 8259 and not by the suite's older reading.
      ("not valid JSON", ["json", "not-an-array"]),
      ("Could not parse", ["json", "not-an-array", "no-relation"]),
      ("expected a single array", ["not-an-array"]), ("not an array", ["relation", "fingerprints"]),
      ("not an object", ["no-target", "statement"]), ("no target", ["no-target"]),
      ("invalid field", ["include-fields"]), ("unrecognized namespace", ["namespace"]),
      ("No statements were found", ["empty-list"]), ("No site field", ["site"]), ("no site field", ["site"]),
      ("Invalid site", ["site"]), ("cannot contain a path", ["site"]), ("login information", ["site"]),
      ("query parameters", ["site"]), ("fragment identifiers", ["site"]),
      ("not a valid URL", ["site", "include"]), ("non-HTTP URL", ["site", "include"]),
      ("ackage_name", ["package-name"]), ("package name", ["package-name"]),
      ("sha256_cert_fingerprints", ["fingerprints", "fingerprint"]),
      ("at least one certificate", ["fingerprints"]), ("malformed cert", ["fingerprint"]),
      ("sha256_fingerprint", ["fingerprint"]), ("nsecure", ["insecure-include"]),
      ("budget", ["budget"]),
    ]
    return table.filter { (message ?? "").contains($0.0) }.reduce(into: []) { $0.formUnion($1.1) }
  }

  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func theWholeSuiteIsHere() {
    #expect(Self.all.count > 200)
  }
}
