import AppBundle
import AssociatedDomains
import Foundation
import LinkspanCore
import TestSupport
import Testing

/// The files of real apps, which carry no application identifier before signing: `../shared/corpus`.
@Suite(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
struct RealAppFilesTests {
  static let identifier = "ABCDE12345.com.example.app"

  struct Claiming {
    var path: String
    var entitlements: Entitlements
    /// A host of an entry that can be read; any where there is none.
    var host: String
    var isSigned: Bool
  }

  /// Every entitlements file of the corpus with a list of associated domains: 49 of projects, and two of signed apps.
  static func claiming() throws -> [Claiming] {
    let corpus = try #require(Fixtures.corpus)
    return try corpus.manifest("entitlements").compactMap { row in
      let path = corpus.url.appending(path: "entitlements/\(row[0])").path
      let entitlements = try Entitlements(try corpus.bytes("entitlements/\(row[0])"), name: path)
      guard entitlements.hasAssociatedDomainsKey else { return nil }
      let claims = AppClaims(entitlements: entitlements)
      return Claiming(
        path: path, entitlements: entitlements, host: claims.associatedDomains.first?.host ?? "example.com",
        isSigned: claims.partialIdentifier.prefix != nil)
    }
  }

  static let file = """
    {"applinks":{"apps":[],"details":[{"appID":"\(identifier)","paths":["*"]}]},
     "webcredentials":{"apps":["\(identifier)"]},"appclips":{"apps":["\(identifier)"]}}
    """

  @Test func allEntitlementsStandAloneInCheck() throws {
    let files = try Self.claiming()
    #expect(files.count == 51)
    #expect(files.count { $0.path.hasSuffix(".entitlements") } == 49)
    let tool = try Tool()
    for file in files {
      let outcome = try tool.run("check", file.path, "--json")
      #expect(outcome.errors.isEmpty && [0, 1].contains(outcome.status), "\(file.path): \(outcome.errors)")
      let findings = try #require(try outcome.json()["findings"] as? [[String: Any]])
      #expect(
        findings.allSatisfy { ($0["rule"] as? String)?.hasPrefix("entitlement.") == true }, "\(file.path)")
    }
    print("corpus entitlements: \(files.count) with a list of domains in 'check' alone")
  }

  @Test func allEntitlementsAreTakenForTheOnlyAppOfTheFile() throws {
    let files = try Self.claiming()
    for file in files {
      let tool = try Tool()
      try tool.write(Self.file, to: "site/\(file.host)/.well-known/apple-app-site-association")
      let checked = try tool.run("check", "site", "--app", file.path, "--json")
      #expect(checked.errors.isEmpty && [0, 1].contains(checked.status), "\(file.path): \(checked.errors)")
      let link = "https://\(file.host.replacing("*.", with: ""))/a"
      let explained = try tool.run("explain", link, "--site", "site", "--app", file.path, "--json")
      // No rule opens a clip (J4).
      if file.entitlements.isAppClip {
        #expect(explained.status == 2 && explained.errors.contains("is an App Clip"), "\(file.path)")
        continue
      }
      #expect(explained.errors.isEmpty && [0, 1].contains(explained.status), "\(file.path)")
      let told = try tool.run(
        "explain", link, "--site", "site", "--app", file.path, "--team", "ABCDE12345", "--bundle-identifier",
        "com.example.app", "--json")
      #expect(told.status == (file.isSigned ? 1 : explained.status), "\(file.path)")
      guard !file.isSigned else { continue }
      for outcome in [checked, explained] {
        let isSaid =
          outcome.output.contains("\(Self.identifier) is assumed")
          || outcome.output.contains("assumed to be \(Self.identifier)")
        #expect(isSaid, "\(file.path): \(outcome.output)")
      }
      #expect(!told.output.contains("assumed to be"), "\(file.path)")
      let claimsLinks = AppClaims(entitlements: file.entitlements).associatedDomains.contains {
        $0.service == .applinks && $0.host == file.host && $0.mode == nil && !$0.isWildcard
      }
      if claimsLinks { #expect(explained.status == 0, "\(file.path): \(explained.output)") }
    }
    print("corpus entitlements: \(files.count) with a list of domains in 'check' and 'explain'")
  }

  @Test func allEntitlementsPlayInAStory() throws {
    let files = try Self.claiming()
    for file in files {
      let tool = try Tool()
      let copy = tool.folder.appending(path: "App.entitlements")
      try Data(contentsOf: URL(filePath: file.path)).write(to: copy)
      try tool.write(
        """
        { start: "2026-09-14T08:00:00Z", sites: { "\(file.host)": { file: \(Self.file) } },
          apps: { app: { entitlements: "App.entitlements" } }, devices: { iphone: { os: "ios:17.4" } },
          script: [ { install: "app" }, { tap: "https://\(file.host)/a" } ] }
        """, to: "story.json5")
      let outcome = try tool.run("simulate", "story.json5")
      #expect(outcome.status == 0, "\(file.path): \(outcome.errors)")
      #expect(
        outcome.errors.contains("is assumed to be \(Self.identifier)") == !file.isSigned, "\(file.path)")
    }
    print("corpus entitlements: \(files.count) with a list of domains in a story")
  }

  @Test func allInfoPlistsStandAloneInCheck() throws {
    let corpus = try #require(Fixtures.corpus)
    let names = try corpus.manifest("infoplist").map { $0[0] }
    #expect(names.count == 48)
    let tool = try Tool()
    for name in names {
      let path = corpus.url.appending(path: "infoplist/\(name)").path
      let outcome = try tool.run("check", path, "--json")
      #expect(outcome.errors.isEmpty && outcome.status == 0, "\(name): \(outcome.errors)\(outcome.output)")
      let kind = try AppFile(try corpus.bytes("infoplist/\(name)"), name: "file")
      guard case .infoPlist = kind else {
        Issue.record("\(name) is not read as an Info.plist")
        continue
      }
    }
    print("corpus Info.plists: \(names.count) in 'check' alone")
  }
}
