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

  @Test(arguments: [
    "The pattern '/@*/post' matches '/@ann'.", "Write to ann@example.com.", "'//@*' and 'a:b@c'",
    "https://example.com/@ann and https://example.com:8443/a@b",
  ])
  func whatIsNoUserStays(message: String) {
    let finding = Finding(rule: "a.b", severity: .error, at: .init(file: "a"), message: message)
    #expect(finding.message.hasPrefix(message))
  }
}
