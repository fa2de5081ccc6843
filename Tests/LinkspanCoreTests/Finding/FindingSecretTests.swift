import LinkspanCore
import Testing

/// A finding is printed into the logs of build services.
@Suite struct FindingSecretTests {
  @Test func noFindingShowsThePasswordOfALink() {
    var finding = Finding(
      rule: "a.b", severity: .error, at: .init(file: "a"),
      message: "'applinks:https://ann:qz@a.example/x' and 'https:/b:qz@b.example' are no hosts.",
      help: "Write 'https://ann:qz@a.example'.")
    finding.addHelp("Or 'x=https://ann:qz@a.example'.")
    #expect(
      finding.message == "'applinks:https://…@a.example/x' and 'https:/…@b.example' are no hosts.")
    #expect(finding.help == "Write 'https://…@a.example'.\nOr 'x=https://…@a.example'.")
  }

  private static let key = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXL+/q8zLOhHjQqCZhpSIg6bNGfJ0Yz"
  private static let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJBIn0.MEUCIQ"

  /// A variable that CI fills may stand where a word was meant.
  @Test(arguments: [
    (key, "…"), ("\(key)==", "…=="), (token, "…"), ("lsp_ab12cd_s3cr3ts3cr3ts3cr3t", "…"),
  ])
  func noFindingShowsAKeyOrAToken(secret: String, shown: String) {
    let line = "{ \(secret): 2 }"
    let source = SourceText(name: "story.json5", line)
    let finding = Finding(
      rule: "a.b", severity: .error, at: .init(source, 2..<2 + secret.utf8.count),
      message: "'\(secret)' is not a key.", help: "Is it '\(secret)'?")
    #expect(finding.message == "'\(shown)' is not a key.")
    #expect(finding.help == "Is it '\(shown)'?")
    #expect(
      finding.text()
        == "story.json5:1:3: error[a.b]: '\(shown)' is not a key.\n"
        + "  1 | { \(shown): 2 }\n    |   \(shown.map { _ in "^" }.joined())\n"
        + "  Is it '\(shown)'?\n")
  }

  /// The place is found beside it, however long the line is.
  @Test func aKeyIsHiddenBesideThePlace() {
    let source = SourceText(name: "story.json5", "{ a: \"\(Self.key)\", b: 3 }")
    let finding = Finding(rule: "a.b", severity: .error, at: .init(source, 2..<3), message: "No.")
    #expect(finding.location.excerpt?.contains("MIGH") == false)
    #expect(finding.text().contains("1 | { a: \"…\", b: 3 }"), "\(finding.text())")
  }

  @Test(arguments: [
    "/a/very/long/path/that/has/no/secret/in/it/and/goes/on/and/on/until/it/ends/somewhere.html",
    "com.example.a-very-long-bundle-identifier.of-an-app", "eyJhbGciOiJFUzI1NiJ9", "lsp_is_short",
  ])
  func aLongWordStays(word: String) {
    let source = SourceText(name: "a", "'\(word)'")
    let finding = Finding(rule: "a.b", severity: .error, at: .init(source, 0..<1), message: "'\(word)'.")
    #expect(finding.message == "'\(word)'." && finding.location.excerpt == "'\(word)'")
  }

  @Test(arguments: [
    "The pattern '/@*/post' matches '/@ann'.", "Write to ann@example.com.", "'//@*' and 'a:b@c'",
    "https://example.com/@ann and https://example.com:8443/a@b",
  ])
  func whatIsNoUserStays(message: String) {
    let finding = Finding(rule: "a.b", severity: .error, at: .init(file: "a"), message: message)
    #expect(finding.message.hasPrefix(message))
  }
}
