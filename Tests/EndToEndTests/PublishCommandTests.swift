import Foundation
import LinkspanCore
import TestSupport
import Testing

/// Publishing over the network, and confirming removals, by the built binary.
@Suite struct PublishCommandTests {
  static let path = ServeTests.path
  let good = CheckTests.good
  var other: String { good.replacing("/a", with: "/b") }

  /// A server with a registry, and a credential for example.com.
  ///
  /// - Parameter host: Whose files lie in the folder.
  private func served(
    _ tool: Tool, _ host: String = "example.com", flags: [String] = []
  ) throws -> PublishTests.Server {
    try tool.write(good, to: "sites/\(host)\(Self.path)")
    let server = try PublishTests.Server(
      tool, ["sites", "--state", "state", "--registry", "sqlite:registry.db"] + flags)
    let token = try tool.run(
      "token", "create", "--registry", "sqlite:registry.db", "--scope", "sites:write", "--host", "example.com"
    )
    #expect(token.status == 0, "\(token.errors)")
    try tool.write(token.output, to: "token")
    try tool.restrict("token")
    return server
  }

  private func publish(_ tool: Tool, _ folder: String, _ server: PublishTests.Server) throws -> Tool.Outcome {
    try tool.run(
      "publish", folder, "--to", "http://127.0.0.1:\(server.port)", "--token-file", "token", "--json")
  }

  /// A folder with the name would be refused, and 'check' calls it no host name.
  @Test(arguments: [
    "a.example:8443", "a..example", "-a.example", "a-.example", "*.example", ".", "https://a.example/",
  ])
  func aCredentialIsForHosts(host: String) throws {
    let tool = try Tool()
    let outcome = try tool.run(
      "token", "create", "--registry", "sqlite:registry.db", "--scope", "sites:write", "--host", host)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors.contains("'--host': no device asks for a host '\(host)'"), "\(outcome.errors)")
  }

  /// As `check`, `serve` and its dry run do: of two folders of a host one is not published, and an empty one says so.
  @Test func whatIsNotPublishedIsNamed() throws {
    let tool = try Tool()
    let server = try served(tool)
    try tool.write(other, to: "build/EXAMPLE.com\(Self.path)")
    let whole = try publish(tool, "build", server)
    #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole.errors)")
    try tool.write(good, to: "build/example.com\(Self.path)")
    try tool.write("", to: "build/empty.example/README")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "example.com has files in 2 places: those in 'build/EXAMPLE.com' are served, and 'build/example.com' is "
        + "ignored. Name one of them, or remove the others.\n'build/empty.example' has no file and is not published\n",
      "\(outcome.errors)")
    #expect(try outcome.json()["outcome"] as? String == "unchanged")
    #expect(server.end() == 0)
  }

  /// Nothing listens there; 0.0.0.0 is this machine, and does not say so.
  @Test func aCredentialWithoutTLSIsWarnedOf() throws {
    let tool = try Tool()
    try tool.write(good, to: "build/example.com\(Self.path)")
    try tool.write("token", to: "token")
    try tool.restrict("token")
    func errors(_ server: String) throws -> String {
      try tool.run("publish", "build", "--to", server, "--token-file", "token").errors
    }
    let warning =
      "warning: the credential goes to 0.0.0.0:1 without TLS, so others on the way can read it; use https\n"
    #expect(try errors("http://0.0.0.0:1").hasPrefix(warning))
    for server in ["https://0.0.0.0:1", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1"] {
      #expect(try !errors(server).contains("without TLS"), "\(server)")
    }
  }

  @Test func whatIsSentIsServedUntilTheFolderChanges() throws {
    let tool = try Tool()
    let server = try served(tool)
    try tool.write(other, to: "build/example.com\(Self.path)")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.json()["outcome"] as? String == "changed")
    #expect(try PublishTests().served(tool, server) == other)
    #expect(try publish(tool, "build", server).json()["outcome"] as? String == "unchanged")
    let newest = good.replacing("/a", with: "/c")
    try tool.write(newest, to: "sites/example.com\(Self.path)")
    while try PublishTests().served(tool, server) != newest { _ = try server.next("publication") }
    #expect(server.end() == 0)
  }

  /// As editors and shells write files; and one rule for every command that takes such a file.
  @Test func aFileWithACredentialMayBeginWithAMarkAndAnEmptyLine() throws {
    let tool = try Tool()
    let server = try served(tool)
    let token = try String(contentsOf: tool.folder.appending(path: "token"), encoding: .utf8)
    try tool.write("\u{FEFF}\r\n  \(token)", to: "token")
    try tool.restrict("token")
    #expect(try publish(tool, "sites", server).json()["outcome"] as? String == "unchanged")
    let address = "http://127.0.0.1:\(server.port)"
    let doctor = try tool.run("registry", "doctor", "--server", address, "--token-file", "token")
    #expect(doctor.status == 0, "\(doctor.output)")
    try tool.write("\u{FEFF}\r\n", to: "empty")
    for words in [
      ["publish", "sites", "--to"], ["registry", "doctor", "--server"],
      ["push", "campaign", "list", "--server"],
    ] {
      let outcome = try tool.run(words + [address, "--token-file", "empty"])
      #expect(
        outcome.status == 2 && outcome.errors.contains("'empty' has no credential."), "\(outcome.errors)")
    }
    #expect(server.end() == 0)
  }

  @Test func bothFilesOfAHostAreOnePublicationThatARollbackTakesBack() throws {
    let tool = try Tool()
    let server = try served(tool)
    let links =
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"web","site":"https://a.example"}}]"#
    try tool.write(other, to: "build/example.com\(Self.path)")
    try tool.write(links, to: "build/example.com/.well-known/assetlinks.json")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.errors)")
    let assetLinks = "http://127.0.0.1:\(server.port)/.well-known/assetlinks.json"
    func fetched() throws -> String { try tool.curl(["-H", "Host: example.com", assetLinks]) }
    #expect(try PublishTests().served(tool, server) == other)
    #expect(try fetched() == links)
    let list = try tool.run("rollback", "example.com", "--state", "state", "--list", "--json")
    #expect(list.lines.count == 2, "\(list.output)")
    #expect(try tool.run("rollback", "example.com", "--state", "state").status == 0)
    #expect(try PublishTests().served(tool, server) == good)
    #expect(try fetched() == "no such file here\n")
    #expect(server.end() == 0)
  }

  /// What is left of a host's publication is checked again, under the name of its file.
  @Test func aFindingNamesTheFileThatWasSentBefore() throws {
    let tool = try Tool()
    let server = try served(tool, flags: ["--accept-errors"])
    try tool.write("{}", to: "build/example.com\(Self.path)")
    #expect(try publish(tool, "build", server).status == 0)
    try FileManager.default.removeItem(at: tool.folder.appending(path: "build/example.com\(Self.path)"))
    try tool.write("[]", to: "build/example.com/.well-known/assetlinks.json")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 0)
    let findings = try #require(outcome.json()["findings"] as? [[String: Any]])
    #expect(findings.map { $0["file"] as? String } == ["apple-app-site-association"], "\(outcome.output)")
    #expect(server.end() == 0)
  }

  /// A body that was cut names one file, and would leave the other as it was.
  @Test func bothFilesAreTakenFromWholeJSONAlone() throws {
    let tool = try Tool()
    let server = try served(tool)
    let file = Data(other.utf8).base64EncodedString()
    let bodies = [
      ("application/json", #"{"apple-app-site-association":"\#(file)","#, "400"),
      ("application/json", #"{"apple-app-site-association":"\#(file)" "assetlinks.json":""}"#, "400"),
      ("application/json", #"{"a~b/c":"\#(file)"}"#, "400"), ("text/plain", "{}", "415"),
    ]
    let token = try tool.text("token").split(separator: "\n")[0]
    for (type, body, status) in bodies {
      let answer = try tool.curl([
        "-X", "PUT", "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: \(type)", "--data-binary",
        body,
        "-w", "%{http_code}", "http://127.0.0.1:\(server.port)/v1/sites/example.com/files",
      ])
      #expect(answer.hasSuffix(status), "\(answer)")
      if body.contains("~") { #expect(answer.contains("\"/a~0b~1c\""), "\(answer)") }
    }
    #expect(try PublishTests().served(tool, server) == good)
    #expect(server.end() == 0)
  }

  private static func busy(_ seconds: Int) -> HTTPResponse {
    HTTPResponse(
      status: 503, fields: ["Retry-After": "\(seconds)"],
      body: Array(#"{"detail":"It cannot be done now."}"#.utf8))
  }

  @Test func aBusyServerIsAskedAgainWhenItSays() throws {
    let tool = try Tool()
    let isBusy = LockedState(true)
    let server = try LocalServer(nil) { _ in
      if isBusy.withLock({ busy in
        defer { busy = false }
        return busy
      }) {
        return Self.busy(1)
      }
      return HTTPResponse(
        status: 200, body: Array(#"{"type":"publication","host":"example.com","outcome":"changed"}"#.utf8))
    }
    try tool.write(good, to: "build/example.com\(Self.path)")
    try tool.write("lsp_x", to: "token")
    try tool.restrict("token")
    let outcome = try tool.run(
      "publish", "build", "--to", "http://127.0.0.1:\(server.port)", "--token-file", "token", "--json")
    #expect(outcome.status == 0)
    #expect(try outcome.json()["outcome"] as? String == "changed" && outcome.lines.count == 1)
    #expect(outcome.errors == "waiting 1 s, as the server asks with status 503: It cannot be done now.\n")
    #expect(server.requests.map(\.target) == Array(repeating: "/v1/sites/example.com/files", count: 2))
    #expect(server.requests[0].body == server.requests[1].body)
  }

  @Test func aServerThatIsBusyForLongIsNotWaitedFor() throws {
    let tool = try Tool()
    let server = try LocalServer(nil) { _ in Self.busy(3_600) }
    try tool.write("lsp_x", to: "token")
    try tool.restrict("token")
    let outcome = try tool.run(
      "publish", "--remove", "example.com", "--to", "http://127.0.0.1:\(server.port)", "--token-file", "token"
    )
    #expect(outcome.status == 2 && outcome.errors.contains("It cannot be done now."), "\(outcome.errors)")
    #expect(server.requests.count == 1)
  }

  /// What a server answers to any host is asked once.
  @Test(arguments: [(401, nil), (429, "3600"), (503, "3600")])
  func whatHoldsForEachHostEndsTheRun(status: Int, retryAfter: String?) throws {
    let tool = try Tool()
    let server = try LocalServer(nil) { _ in
      var answer = HTTPResponse(status: status, body: Array(#"{"detail":"Not now, or not you."}"#.utf8))
      if let retryAfter { answer.fields["Retry-After"] = retryAfter }
      return answer
    }
    try tool.write("lsp_x", to: "token")
    try tool.restrict("token")
    let outcome = try tool.run(
      "publish", "--remove", "a.example", "b.example", "--to", "http://127.0.0.1:\(server.port)",
      "--token-file", "token")
    #expect(outcome.status == 2 && server.requests.count == 1)
    #expect(
      outcome.errors.contains("Not now, or not you.")
        && outcome.errors.contains("Not sent, or not taken: a.example, b.example."), "\(outcome.errors)")
  }

  @Test func aHostIsNamedAsPeopleWriteItAndServedInPunycode() throws {
    let tool = try Tool()
    try tool.write(good, to: "sites/bücher.example\(Self.path)")
    let server = try PublishTests.Server(
      tool, ["sites", "--state", "state", "--registry", "sqlite:registry.db"])
    #expect(try PublishTests().served(tool, server, "xn--bcher-kva.example") == good)
    let token = try tool.run(
      "token", "create", "--registry", "sqlite:registry.db", "--scope", "sites:write", "--host",
      "Bücher.example")
    try tool.write(token.output, to: "token")
    try tool.restrict("token")
    try tool.write(other, to: "build/BÜCHER.example\(Self.path)")
    let outcome = try publish(tool, "build", server)
    #expect(try outcome.json()["host"] as? String == "xn--bcher-kva.example", "\(outcome.errors)")
    #expect(try PublishTests().served(tool, server, "xn--bcher-kva.example") == other)
    #expect(try tool.run("rollback", "bücher.example", "--state", "state").status == 0)
    #expect(try PublishTests().served(tool, server, "xn--bcher-kva.example") == good)
    #expect(server.end() == 0)
  }

  /// An empty file, which a build that failed may leave, is one with an error, as it is in a folder.
  @Test(arguments: ["{", ""]) func aRefusedFileEndsWithOneAndItsFindings(text: String) throws {
    let tool = try Tool()
    let server = try served(tool)
    try tool.write(text, to: "build/example.com\(Self.path)")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 1)
    #expect(try outcome.json()["outcome"] as? String == "refused")
    #expect((try outcome.json()["findings"] as? [Any])?.isEmpty == false)
    #expect(try PublishTests().served(tool, server) == good)
    #expect(server.end() == 0)
  }

  @Test func aCredentialIsForItsHostsOnly() throws {
    let tool = try Tool()
    let server = try served(tool)
    try tool.write(other, to: "build/www.example.com\(Self.path)")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("The credential is not for this host."), "\(outcome.errors)")
    #expect(server.end() == 0)
  }

  @Test func aPinHoldsADeployBackAndEnds() throws {
    let tool = try Tool()
    let server = try served(tool)
    let pinned = try tool.run("rollback", "example.com", "--state", "state", "--pin", "--json")
    #expect(pinned.status == 0, "\(pinned.errors)")
    try tool.write(other, to: "sites/example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "held")
    #expect(try PublishTests().served(tool, server) == good)
    let released = try tool.run("rollback", "example.com", "--state", "state", "--release", "--json")
    #expect(released.status == 0)
    #expect(try released.json()["served"] as? Bool == true)
    // Its answer comes when the file is served.
    #expect(try PublishTests().served(tool, server) == other)
    #expect(server.end() == 0)
  }

  /// The end of a pin is no approval of what was put into the folder meanwhile.
  @Test func aReleaseWhoseFilesNeedApprovalSaysSo() throws {
    let tool = try Tool()
    let server = try served(tool, flags: ["--approval", "--console", "127.0.0.1:0"])
    #expect(try tool.run("rollback", "example.com", "--state", "state", "--pin").status == 0)
    try tool.write(other, to: "sites/example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "held")
    let released = try tool.run("rollback", "example.com", "--state", "state", "--release", "--json")
    #expect(released.status == 1, "\(released.errors)")
    let answer = try released.json()
    #expect(answer["served"] as? Bool == false)
    #expect(
      answer["words"] as? String
        == "The pin has ended; the folder of example.com decides again. Its files wait for approval; until then what"
        + " was served before stays.")
    #expect(try PublishTests().served(tool, server) == good)
    #expect(server.end() == 0)
  }

  /// The end of a pin is not called served where the folder's file is refused, nor is a host that was removed.
  @Test func anOrderThatServesNothingSaysSo() throws {
    let tool = try Tool()
    let server = try served(tool)
    #expect(try tool.run("rollback", "example.com", "--state", "state", "--pin").status == 0)
    try tool.write("{", to: "sites/example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "refused")
    let released = try tool.run("rollback", "example.com", "--state", "state", "--release", "--json")
    #expect(released.status == 1, "\(released.errors)")
    let answer = try released.json()
    #expect(answer["served"] as? Bool == false)
    #expect(
      answer["words"] as? String
        == "The pin has ended; the folder of example.com decides again. Its files are refused; what was served before stays."
    )
    #expect(try PublishTests().served(tool, server) == good)
    try FileManager.default.removeItem(at: tool.folder.appending(path: "sites/example.com"))
    while try server.next("publication")["outcome"] as? String != "removal-held" {}
    let removed = try tool.run("publish", "--remove", "example.com", "--state", "state", "--json")
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(try removed.json()["served"] as? Bool == false)
    #expect(server.end() == 0)
  }

  /// A folder whose name is no host is passed over in the words of `serve`, and never published as another host.
  @Test func aFolderThatIsNoHostIsNotPublished() throws {
    let tool = try Tool()
    let server = try served(tool)
    for folder in ["example%2Ecom", "bad host", "exa#mple", "a?b.example"] {
      try tool.write(other, to: "build/\(folder)\(Self.path)")
    }
    try tool.write(good, to: "build/example.com\(Self.path)")
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 1)
    #expect(try outcome.json()["outcome"] as? String == "unchanged")
    for name in ["example%2ecom", "bad host", "exa#mple", "a?b.example"] {
      #expect(
        outcome.errors.lowercased().contains("not published: no device asks for a host '\(name)'"),
        "\(outcome.errors)")
    }
    let removal = try tool.run(
      "publish", "--remove", "example%2Ecom", "--to", "http://127.0.0.1:\(server.port)", "--token-file",
      "token")
    #expect(removal.status == 2)
    #expect(removal.errors.contains("no device asks for a host 'example%2"), "\(removal.errors)")
    #expect(try PublishTests().served(tool, server) == good)
    #expect(server.end() == 0)
  }

  /// Each command that takes a server says what keeps the address from being one, before it asks anybody.
  @Test(arguments: [
    ["publish", "build", "--token-file", "token", "--to"],
    ["push", "campaign", "list", "--token-file", "token", "--server"], ["registry", "doctor", "--server"],
    ["check", "example.com", "--fetch", "cdn", "--cdn"], ["self-test", "--server"],
  ])
  func anAddressWithoutAPortThatThereIsIsAUsageError(words: [String]) throws {
    let tool = try Tool()
    try tool.write(good, to: "build/example.com\(Self.path)")
    try tool.write("token", to: "token")
    try tool.restrict("token")
    for (address, fault) in [
      ("http://127.0.0.1:99999", "has the port 99999; expected 1 to 65535"),
      ("http://127.0.0.1:0", "has the port 0;"), ("http://a..b", "names no host"),
    ] {
      let outcome = try tool.run(words + [address])
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(outcome.errors.contains("'\(words.last ?? "")': \(address) \(fault)"), "\(outcome.errors)")
    }
  }

  /// A host that only the API publishes has nothing in the folder that the end of a pin or a rollback could go back to.
  @Test func theEndOfAPinServesWhatWasPublishedMeanwhile() throws {
    let tool = try Tool()
    let server = try served(tool, "other.example")
    func rollback(_ flag: String...) throws -> Tool.Outcome {
      try tool.run(["rollback", "example.com", "--state", "state"] + flag)
    }
    for file in [good, other] {
      try tool.write(file, to: "build/example.com\(Self.path)")
      #expect(try publish(tool, "build", server).status == 0)
    }
    #expect(try rollback("--pin").status == 0)
    let newest = good.replacing("/a", with: "/c")
    try tool.write(newest, to: "build/example.com\(Self.path)")
    let held = try publish(tool, "build", server)
    #expect(held.status == 1)
    #expect(try held.json()["outcome"] as? String == "held")
    let released = try rollback("--release")
    #expect(
      released.output == "The pin has ended; what was published meanwhile is served for example.com.\n",
      "\(released.errors)")
    #expect(try PublishTests().served(tool, server) == newest)
    // Without anything that was published meanwhile, what was published before is served.
    #expect(try rollback().status == 0)
    #expect(try PublishTests().served(tool, server) == other)
    let before = try rollback("--release")
    #expect(
      before.output
        == "The rollback has ended; what the API published before it is served for example.com.\n",
      "\(before.errors)")
    #expect(try PublishTests().served(tool, server) == newest)
    // Without that as well, devices would get 404.
    let refused = try rollback("--release")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("the folder has no files of 'example.com'"), "\(refused.errors)")
    #expect(try PublishTests().served(tool, server) == newest)
    #expect(server.end() == 0)
  }

  /// The address is right, and is not blamed.
  @Test func aServerWithoutARegistryIsNamed() throws {
    let tool = try Tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    let server = try PublishTests.Server(tool, ["site"])
    let base = "http://127.0.0.1:\(server.port)"
    let doctor = try tool.run("registry", "doctor", "--server", base)
    #expect(doctor.status == 1)
    #expect(
      doctor.output == "NO  API: \(base)/v1/openapi.json answers 404;"
        + " the server needs --registry, or this is another server or port\n")
    try tool.write("lsp_token", to: "token")
    try tool.restrict("token")
    let published = try publish(tool, "site", server)
    #expect(
      published.errors.contains("the server answers 404 to PUT /v1/sites/example.com/files."),
      "\(published.errors)")
    let encrypted = try tool.run("registry", "doctor", "--server", "https://127.0.0.1:\(server.port)")
    #expect(encrypted.status == 2)
    #expect(encrypted.errors.contains("cannot be reached: "))
    #expect(!encrypted.errors.contains(".."), "\(encrypted.errors)")
  }

  /// The credential is for example.com alone.
  @Test func whatOneHostIsRefusedForIsToldAndTheOthersAreServed() throws {
    let tool = try Tool()
    let server = try served(tool)
    for host in ["a.example", "example.com", "z.example"] {
      try tool.write(other, to: "build/\(host)\(Self.path)")
    }
    let outcome = try publish(tool, "build", server)
    #expect(outcome.status == 2)
    try #require(outcome.lines.count == 3)
    let answers = try (0..<3).map { try outcome.json(line: $0) }
    #expect(answers.map { $0["type"] as? String } == ["refused", "publication", "refused"])
    #expect(answers.map { $0["status"] as? Int } == [403, nil, 403])
    #expect(answers[1]["host"] as? String == "example.com")
    #expect((answers[2]["detail"] as? String)?.hasPrefix("z.example: ") == true)
    #expect(try PublishTests().served(tool, server) == other)
    for host in ["a.example", "z.example"] {
      #expect(outcome.errors.contains("\(host): not taken: "), "\(outcome.errors)")
    }
    #expect(outcome.errors.contains("the server did not take 2 of 3 hosts: a.example, z.example."))
    let elsewhere = try tool.run(
      "publish", "build", "--to", "http://127.0.0.1:\(server.port)/v2", "--token-file", "token")
    #expect(
      elsewhere.errors.contains("the address is its root, without /v1."), "\(elsewhere.errors)")
    #expect(server.end() == 0)
    let away = try publish(tool, "build", server)
    #expect(away.status == 2)
    #expect(
      away.errors.contains(
        "Not sent, or not taken: a.example, example.com, z.example. Check the address after '--to'."),
      "\(away.errors)")
  }

  /// A mistyped name would take the order, and no server would ever find it.
  @Test(arguments: [
    ["publish", "--remove", "a.example"], ["publish", "--remove", "_"],
    ["rollback", "a.example", "--release"],
  ])
  func anOrderForAStateThatIsNotThereIsRefused(words: [String]) throws {
    let tool = try Tool()
    let outcome = try tool.run(words + ["--state", "stat"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("there is no state 'stat', so no server would find the order there."))
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "stat").path))
  }

  @Test func theLastRemovalWaitsForConfirmation() throws {
    let tool = try Tool()
    try tool.write(good, to: "sites/a.example\(Self.path)")
    let server = try PublishTests.Server(tool, ["sites", "--state", "state", "--local-pages"])
    try FileManager.default.removeItem(at: tool.folder.appending(path: "sites/a.example"))
    #expect(try server.next("publication")["outcome"] as? String == "removal-held")
    #expect(try PublishTests().served(tool, server, "a.example") == good)
    let ready = try tool.curl(["http://127.0.0.1:\(server.port)/readyz"])
    #expect(ready.contains("a.example was removed from the sites and is still served."), "\(ready)")
    #expect(ready.contains("'linkspan publish --remove a.example --state state' confirms it"), "\(ready)")
    let dryRun = try tool.run(
      "serve", "sites", "--state", "state", "--dry-run", "--plain", "--listen", "127.0.0.1:0")
    #expect(dryRun.status == 1 && dryRun.errors.contains("is still served."), "\(dryRun.errors)")
    let outcome = try tool.run("publish", "--remove", "a.example", "--state", "state")
    #expect(outcome.status == 0 && outcome.output == "a.example is no longer served.\n", "\(outcome.errors)")
    #expect(try PublishTests().served(tool, server, "a.example") == "no such host here\n")
    #expect(server.end() == 0)
  }

  /// Also when the folders go while no server runs.
  @Test func manyRemovalsWaitForConfirmation() throws {
    let tool = try Tool()
    for number in 0..<20 { try tool.write(good, to: "sites/h\(number).example\(Self.path)") }
    #expect(try PublishTests.Server(tool, ["sites", "--state", "state"]).end() == 0)
    for number in 0..<10 {
      try FileManager.default.removeItem(at: tool.folder.appending(path: "sites/h\(number).example"))
    }
    let server = try PublishTests.Server(tool, ["sites", "--state", "state", "--local-pages"])
    #expect(try PublishTests().served(tool, server, "h3.example") == good)
    let ready = try tool.curl(["http://127.0.0.1:\(server.port)/readyz"])
    #expect(ready.contains("are still served: h0.example, h1.example, h2.example and 7 more."), "\(ready)")
    let outcome = try tool.run("publish", "--remove", "h3.example", "h4.example", "--state", "state")
    #expect(outcome.status == 0 && outcome.output == "2 hosts are no longer served.\n", "\(outcome.errors)")
    #expect(try PublishTests().served(tool, server, "h3.example") == "no such host here\n")
    #expect(try PublishTests().served(tool, server, "h5.example") == good)
    #expect(server.end() == 0)
  }
}
