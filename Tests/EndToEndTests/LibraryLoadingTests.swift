import Foundation
import TestSupport
import Testing

/// Libraries are loaded by the first command that calls them (decision 0012).
@Suite struct LibraryLoadingTests {
  private static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#

  /// Has the loader find an empty file for each library.
  private static func damaged(_ tool: Tool, _ libraries: [String]) throws -> [String: String] {
    for library in libraries { try tool.write("", to: "damaged/\(library)") }
    return ["LD_LIBRARY_PATH": tool.folder.appending(path: "damaged").path]
  }

  private static func libraries(_ tool: Tool) throws -> [String] {
    let checks = try tool.run("self-test", "--json").json()["checks"] as? [[String: Any]] ?? []
    let check = try #require(checks.first { $0["check"] as? String == "libraries" })
    return (check["message"] as? String ?? "").components(separatedBy: ", ")
  }

  @Test(arguments: [
    ["check", "--host", "example.com", "file", "--json"],
    ["match", "https://example.com/buy/1", "--file", "file"], ["--help"], ["--version"],
  ])
  func seldomOnesAreNotNeeded(_ words: [String]) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let libraries = try Self.libraries(tool)
    #expect(libraries.count >= 9)
    let outcome = try tool.run(words, environment: Self.damaged(tool, libraries))
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(!outcome.output.isEmpty)
  }

  @Test(arguments: [
    ("libzip.so.4", "libzip4", ["inspect", "App.ipa"]),
    ("libgnutls.so.30", "libgnutls30", ["serve", "--plain", "sites"]),
    ("libexpat.so.1", "libexpat1", ["check", "App.entitlements"]),
  ])
  func aDamagedOneIsNamed(_ library: String, _ package: String, _ words: [String]) throws {
    let tool = try Tool()
    try tool.write("PK\u{5}\u{6}" + String(repeating: "\0", count: 18), to: "App.ipa")
    try tool.write("<?xml version=\"1.0\"?><plist><dict/></plist>", to: "App.entitlements")
    try tool.write(Self.file, to: "sites/example.com/.well-known/apple-app-site-association")
    let environment = try Self.damaged(tool, [library])
    let outcome = try tool.run(words, environment: environment)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    let path = "\(environment["LD_LIBRARY_PATH"]!)/\(library)"
    #expect(
      outcome.errors
        == "linkspan: error: the library \(library) cannot be loaded (\(path): file too short)\n"
        + "  Install or upgrade the package \(package).\n")
  }

  @Test func aDamagedLibpqEndsNothingButTheConnection() throws {
    let tool = try Tool()
    let outcome = try tool.run(
      "serve", "--plain", "--registry", "postgres://127.0.0.1:1/devices", "--listen", "127.0.0.1:0",
      environment: try Self.damaged(tool, ["libpq.so.5"]))
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("PostgreSQL cannot be reached: the library libpq.so.5 cannot be loaded"))
    #expect(outcome.errors.contains("Install or upgrade the package libpq5."))
  }

  @Test func selfTestNamesThoseThatAreMissing() throws {
    let tool = try Tool()
    let outcome = try tool.run(
      "self-test", "--json", environment: try Self.damaged(tool, ["libgnutls.so.30", "libpq.so.5"]))
    #expect(outcome.status == 1)
    let checks = try outcome.json()["checks"] as? [[String: Any]] ?? []
    let states = Dictionary(
      checks.map { ($0["check"] as? String ?? "", $0["state"] as? String ?? "") }, uniquingKeysWith: { $1 })
    #expect(states["libgnutls.so.30"] == "missing")
    #expect(states["libpq.so.5"] == "without")
    // Asking would end the program.
    #expect(states["TLS"] == nil)
  }
}
