import AppSiteAssociation
import AssociationCheck
import Foundation
import LinkCoverage
import LinkspanCore
import TestSupport
import Testing

/// A file, the request made from it, and the file made from the request.
@Suite struct RoundTripTests {
  struct Trip {
    var request: CommentedRequest
    var site: GeneratedSite
    var text: String
    var comparison: FileComparison

    /// - Parameter bytes: An association file.
    init?(_ bytes: [UInt8]) throws {
      guard let root = JSONParser.parse(bytes).root, let file = AssociationFile(root) else { return nil }
      request = CommentedRequest(file, from: "file")
      guard request.text.contains("id:") || request.text.contains("\": [\"") || request.text.contains(": [\"")
      else { return nil }
      site = GeneratedSite(try GenerateRequest(SourceText(name: "linkspan.json5", request.text)))
      text = site.associationFile.text
      let made = try #require(JSONParser.parse(Array(text.utf8)).root.flatMap { AssociationFile($0) })
      var limits = FileComparison.Limits()
      limits.steps = 20_000_000
      comparison = FileComparison(file, made, host: "example.com", limits: limits)
    }

    /// What the trip lost without a word.
    var untold: [String] {
      func isTold(_ text: String) -> Bool {
        request.losses.contains { $0.hasPrefix("Without") && $0.contains(text) }
      }
      // A rule that no URL of a browser matches is told by its text, and an application by its identifier.
      let changes = comparison.changes.filter { change in
        !isTold(change.app) && !isTold(change.old.settings?.json.text ?? " ")
      }
      let services = comparison.services.filter { !$0.added.isEmpty || !$0.removed.allSatisfy(isTold) }
      return changes.map { "\($0.app) \($0.url): \($0.old.decision) then \($0.new.decision)" }
        + services.map { "\($0)" }
    }

    var findings: [Finding] {
      AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    }

    /// An identifier that `check` calls an error is left out (J5).
    var errors: [Finding] { findings.filter { $0.severity == .error } }
  }

  static func file(_ components: String, _ more: String = "") -> [UInt8] {
    Array(
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[\(components)]}]}\(more)}"
        .utf8)
  }

  /// Row 6 of the issue: the whole site was opened, and the service was gone.
  @Test func fragmentsAndServicesStay() throws {
    let services =
      #","webcredentials":{"apps":["ABCDE12345.com.example.app"]},"#
      + #""appclips":{"apps":["ABCDE12345.com.example.app.Clip"]},"#
      + #""activitycontinuation":{"apps":["ABCDE12345.com.example.app"]}"#
    let trip = try #require(try Trip(Self.file(##"{"/":"*","#":"app-only"}"##, services)))
    #expect(trip.request.text.contains("\"/*#app-only\","), "\(trip.request.text)")
    #expect(trip.comparison.isEqual, "\(trip.text) \(trip.comparison)")
    #expect(trip.site.isExact)
    #expect(trip.errors.isEmpty)
    #expect(trip.site.apps[0].plan.rules.map(\.json.text) == [##"{"/":"/*","#":"app-only"}"##])
  }

  @Test(arguments: [
    #"{"/":"/buy-*"}"#, #"{"/":"/a//b"}"#, #"{"/":"/x","?":{"ref":"?*"}}"#, #"{"?":"a=*"}"#,
    #"{"/":"/Sale/*","caseSensitive":false}"#, #"{"/":"/café","percentEncoded":false}"#,
    #"{"/":"/$(digit)/x"}"#,
    ##"{"/":"/a/*","#":"x","exclude":true},{"/":"/a/*"}"##,
    #"{"/":"/a/b/*"},{"/":"/a/*","exclude":true},{"/":"/*"}"#,
    #"{"/":"/buy/*"},{"/":"/help/*","exclude":true}"#, #"{"/":"/a/*"},{"/":"/a/private/*","exclude":true}"#,
    #"{}"#,
  ])
  func everyKindOfRuleStays(components: String) throws {
    let trip = try #require(try Trip(Self.file(components)))
    #expect(trip.comparison.isEqual, "\(trip.request.text) \(trip.text) \(trip.comparison.changes)")
    #expect(trip.site.isExact && trip.request.losses.isEmpty)
  }

  @Test func variablesStay() throws {
    let text =
      #"{"applinks":{"substitutionVariables":{"Canadian food":["poutine"],"unused":["a"]},"details":[{"appIDs":["#
      + #""ABCDE12345.com.example.app"],"components":[{"/":"/$(lang)/$(Canadian food)/"}]}]}}"#
    let trip = try #require(try Trip(Array(text.utf8)))
    #expect(trip.comparison.isEqual, "\(trip.text)")
    #expect(trip.text.contains("Canadian food") && !trip.text.contains("unused"))
  }

  /// What `generate` would refuse is left out of the request, and told.
  @Test func anIdentifierOfNoAppIsTold() throws {
    let text =
      #"{"applinks":{"details":[{"appIDs":["bad","ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    let trip = try #require(try Trip(Array(text.utf8)))
    #expect(
      trip.request.losses.count == 1 && trip.request.losses[0].contains("'bad'"), "\(trip.request.losses)")
    #expect(trip.request.text.contains("// \(trip.request.losses[0])\n"))
  }

  /// Every real file: the same meaning, or a loss that is told; and nothing that the checker calls an error.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func realFilesStay() throws {
    let folder = try #require(Fixtures.corpus).url.appending(path: "aasa")
    var (count, told, undecided, withErrors, noisy) = (0, 0, 0, 0, 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where name.hasSuffix(".json") {
      let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
      guard let trip = try Trip(bytes) else { continue }
      count += 1
      if !trip.request.losses.isEmpty { told += 1 }
      if !trip.comparison.undecided.isEmpty { undecided += 1 }
      #expect(trip.untold.isEmpty, "\(name): \(trip.untold.prefix(3)) \(trip.request.text.prefix(1500))")
      if !trip.errors.isEmpty {
        withErrors += 1
        print("round trip: \(name): \(trip.errors.prefix(2).map { "\($0.rule) \($0.message)" })")
      }
      let notes = trip.findings.filter { $0.severity == .note && $0.rule != "aasa.release-dependent" }
      if notes.count > 5 {
        noisy += 1
        print("round trip: \(name): \(notes.count) notes, \(Set(notes.map(\.rule)))")
      }
    }
    print(
      "round trips: \(count) real files, \(told) with a loss that is told, \(undecided) not decided, \(withErrors) with "
        + "errors, \(noisy) with more than five notes")
    #expect(count > 100 && undecided == 0 && withErrors == 0)
  }

  /// Seeded files; `LINKSPAN_ROUND_TRIPS` asks for more.
  @Test func seededFilesStay() throws {
    let count = ProcessInfo.processInfo.environment["LINKSPAN_ROUND_TRIPS"].flatMap(Int.init) ?? 150
    for seed in 0..<count {
      var generator = SeededGenerator(seed: UInt64(seed))
      let text = Self.drawn(&generator)
      let trip = try #require(try Trip(Array(text.utf8)))
      #expect(
        trip.comparison.changes.isEmpty && trip.comparison.services.isEmpty,
        "seed \(seed): \(text) \(trip.request.text) \(trip.text) \(trip.comparison.changes)")
      #expect(trip.errors.isEmpty, "seed \(seed): \(trip.text) \(trip.errors.map(\.message))")
      #expect(trip.site.isExact, "seed \(seed): \(trip.text)")
    }
  }

  private static func drawn(_ generator: inout SeededGenerator) -> String {
    func pick(_ choices: [String]) -> String { choices[Int(generator.draw(0...Int64(choices.count - 1)))] }
    func rule() -> String {
      var members = [
        "\"/\":\"\(pick(["*", "/a", "/a/*", "/a/?*", "/a/*/b", "/b*", "/$(food)/x", "/$(digit)", "/c%20d", "/", "/A"]))\""
      ]
      if generator.chance(1, in: 5) {
        members.append(pick([#""?":{"q":"?*"}"#, #""?":"q=1*""#, #""?":{"q":"1","r":"*"}"#]))
      }
      if generator.chance(1, in: 5) { members.append("\"#\":\"\(pick(["x", "x*", "", "?*"]))\"") }
      if generator.chance(1, in: 3) { members.append("\"exclude\":\(pick(["true", "true", "false"]))") }
      if generator.chance(1, in: 8) { members.append("\"caseSensitive\":false") }
      return "{\(members.joined(separator: ","))}"
    }
    var entries: [String] = []
    for index in 0..<generator.draw(1...2) {
      let rules = (0..<generator.draw(1...6)).map { _ in rule() }
      let defaults = generator.chance(1, in: 6) ? ",\"defaults\":{\"caseSensitive\":false}" : ""
      entries.append(
        "{\"appIDs\":[\"ABCDE12345.com.example.app\(index)\"],\"components\":[\(rules.joined(separator: ","))]\(defaults)}"
      )
    }
    let services = ["webcredentials", "appclips", "activitycontinuation", "authsrv"].filter { _ in
      generator.chance(1, in: 4)
    }.map { ",\"\($0)\":{\"apps\":[\"ABCDE12345.com.example.\($0 == "appclips" ? "app0.Clip" : "app0")\"]}" }
    return
      "{\"applinks\":{\"substitutionVariables\":{\"food\":[\"a\",\"b*\"]},\"details\":[\(entries.joined(separator: ","))]}"
      + "\(services.joined())}"
  }
}
