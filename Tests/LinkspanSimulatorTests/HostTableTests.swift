import LinkspanSimulator
import SimulatedDevices
import Testing

/// Rules E6 to E9: which host's file decides, played on a device.
@Suite struct HostTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var number: String
    var domains: [String]
    var url: String
    /// Host to paths of its file.
    var files: [String: [String]]
    /// `app through ENTRY`, or `browser STEP`.
    var expected: String
    var reason: String?

    var testDescription: String { "\(number) \(domains) \(url)" }
  }

  static let rows: [Row] = [
    Row(
      number: "W1", domains: ["applinks:www.e.test"], url: "https://www.e.test/a", files: ["e.test": ["*"]],
      expected: "browser fetch"),
    Row(
      number: "W2", domains: ["applinks:*.e.test"], url: "https://www.e.test/a", files: ["e.test": ["*"]],
      expected: "app through applinks:*.e.test"),
    Row(
      number: "W3", domains: ["applinks:*.e.test"], url: "https://www.e.test/a",
      files: ["www.e.test": ["*"]], expected: "browser fetch"),
    Row(
      number: "W4", domains: ["applinks:*.e.test", "applinks:www.e.test"], url: "https://www.e.test/a",
      files: ["e.test": ["*"], "www.e.test": ["*"]], expected: "app through applinks:www.e.test"),
    Row(
      number: "W5", domains: ["applinks:*.e.test", "applinks:www.e.test"], url: "https://www.e.test/a",
      files: ["e.test": ["*"], "www.e.test": ["/b"]], expected: "app through applinks:*.e.test"),
    Row(
      number: "W6", domains: ["applinks:*.e.test", "applinks:www.e.test"], url: "https://www.e.test/a",
      files: ["e.test": ["*"], "www.e.test": ["NOT *"]], expected: "browser pattern",
      reason: "entry 0, rule 0 excludes it: {\"/\":\"*\",\"exclude\":true}"),
    Row(
      number: "W7", domains: ["applinks:e.test"], url: "https://www.e.test/a",
      files: ["e.test": ["*"], "www.e.test": ["*"]], expected: "browser no-association",
      reason: "no installed app claims 'www.e.test'; 'applinks:e.test' does not cover it"),
    Row(
      number: "W8", domains: ["applinks:*.e.test"], url: "https://e.test/a", files: ["e.test": ["*"]],
      expected: "browser no-association",
      reason: "no installed app claims 'e.test'; 'applinks:*.e.test' does not cover it"),
    Row(
      number: "W9", domains: ["applinks:e.test:8080"], url: "https://e.test:8080/a",
      files: ["e.test": ["*"]], expected: "browser no-association",
      reason: "the entry 'applinks:e.test:8080' can't be read: 'applinks:e.test:8080' names a port."),
    Row(
      number: "W10", domains: ["appclips:*.e.test"], url: "https://www.e.test/a", files: ["e.test": ["*"]],
      expected: "browser no-association"),
    Row(
      number: "W12", domains: ["applinks:bücher.test"], url: "https://xn--bcher-kva.test/a",
      files: ["xn--bcher-kva.test": ["*"]], expected: "browser no-association"),
    Row(
      number: "W12 mended", domains: ["applinks:xn--bcher-kva.test"], url: "https://xn--bcher-kva.test/a",
      files: ["xn--bcher-kva.test": ["*"]], expected: "app through applinks:xn--bcher-kva.test"),
    Row(
      number: "W13", domains: ["applinks:*.e.test", "applinks:*.users.e.test"],
      url: "https://emily.users.e.test/a", files: ["e.test": ["*"], "users.e.test": ["*"]],
      expected: "app through applinks:*.users.e.test"),
  ]

  /// The order of the entries means nothing (E10), so each row is played both ways round.
  @Test(arguments: rows, [false, true]) func isDecidedSo(_ row: Row, reversed: Bool) throws {
    let sites = row.files.sorted { $0.key < $1.key }.map { host, paths in
      "\"\(host)\": { file: \(Stories.file(paths)) }"
    }
    let domains = (reversed ? row.domains.reversed() : row.domains).map { "\"\($0)\"" }
    let result = try Stories.run(
      sites: sites.joined(separator: ", "), domains: domains.joined(separator: ", "),
      devices: "iphone: { os: [\"ios:13.7\", \"ios:17.4\"] }",
      script: "{ install: \"app\" }, { tap: \"\(row.url)\" }")
    #expect(result.rows.count == 2)
    for device in result.rows {
      #expect(Stories.words(device.verdict) == row.expected, "\(device.device.name)")
      if let reason = row.reason { #expect(device.verdict.reason == reason) }
    }
  }

  static let W11 = """
    "e.test": { file: \(Stories.file(["*"])) }
    """

  @Test(arguments: [
    ("app-store", "store", "browser no-association"), ("test-flight", "bench", "browser no-association"),
    ("development", "store", "browser no-association"),
    ("development", "bench", "app through applinks:e.test?mode=developer"),
  ])
  func W11(build: String, device: String, expected: String) throws {
    let result = try Stories.run(
      sites: Self.W11, domains: "\"applinks:e.test?mode=developer\"", build: build,
      network: "\"e.test\": { drops: \"crawler\", certificate: \"untrusted\" }",
      devices: "store: { os: \"ios:17.4\" }, bench: { os: \"ios:17.4\", developer: true }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\", devices: \"\(device)\" }")
    #expect(result.rows.map { Stories.words($0.verdict) } == [expected])
  }

  /// E15: in both modes at once, not in either.
  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func developerAndManaged(developer: Bool, managed: Bool) throws {
    let result = try Stories.run(
      sites: Self.W11, domains: "\"applinks:e.test?mode=developer+managed\"", build: "development",
      devices: "iphone: { os: \"ios:17.4\", developer: \(developer), managed: \(managed) }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect((result.rows[0].verdict.app != nil) == (developer && managed))
  }

  /// E14 needs no development build.
  @Test func managed() throws {
    let result = try Stories.run(
      sites: Self.W11, domains: "\"applinks:e.test?mode=managed\"",
      devices: "own: { os: \"ios:17.4\" }, work: { os: \"ios:17.4\", managed: true }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect(result.rows.map { $0.verdict.app != nil } == [false, true])
  }
}
