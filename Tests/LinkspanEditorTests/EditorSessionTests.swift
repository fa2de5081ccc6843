import LinkspanCore
import LinkspanEditor
import SiteInput
import Testing

/// The conversation with an editor, message by message.
@Suite struct EditorSessionTests {
  private static let good =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
  private static let misspelt =
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\n\"components\":[{\"/\":\"/😀\",\"exlude\":true},{\"/\":\"*\"}]}]}}"

  private static func code(_ answer: JSONNode?) -> Int? { answer?["error"]?["code"]?.int }

  // MARK: - Beginning and end

  @Test func saysWhatItCanDo() throws {
    var editor = Editor.new
    let reply = editor.request("initialize", .object([("capabilities", .object([]))]))
    let answer = try #require(reply)
    let capabilities = try #require(answer["result"]?["capabilities"])
    #expect(capabilities["positionEncoding"]?.string == "utf-16")
    #expect(capabilities["textDocumentSync"]?["change"]?.int == 2)
    for name in ["hoverProvider", "definitionProvider"] {
      #expect(capabilities[name]?.bool == true, "\(name)")
    }
    for name in ["completionProvider", "codeActionProvider", "codeLensProvider", "diagnosticProvider"] {
      #expect(capabilities[name]?.object != nil, "\(name)")
    }
    #expect(answer["result"]?["serverInfo"]?["version"]?.string == "1.2.3")
  }

  /// A client that takes both would show each finding twice.
  @Test func offersNoDiagnosticsToPullWhereTheyArePushed() {
    var editor = Editor.new
    let both = JSON.object([
      ("textDocument", .object([("publishDiagnostics", .object([])), ("diagnostic", .object([]))]))
    ])
    let answer = editor.request("initialize", .object([("capabilities", both)]))
    #expect(answer?["result"]?["capabilities"] != nil)
    #expect(answer?["result"]?["capabilities"]?["diagnosticProvider"] == nil)
  }

  @Test func refusesWhatComesTooEarlyOrTooLate() {
    var editor = Editor.new
    #expect(Self.code(editor.request("textDocument/hover", Editor.at(0, 0))) == -32_002)
    editor.open(Self.good)
    #expect(editor.diagnostics() == nil)
    editor = Editor()
    #expect(Self.code(editor.request("initialize", .object([]))) == -32_600)
    #expect(editor.request("shutdown", .null)?["result"] != nil)
    #expect(Self.code(editor.request("textDocument/hover", Editor.at(0, 0))) == -32_600)
    editor.notify("exit", .null)
    #expect(editor.status == 0)
    editor = Editor()
    editor.notify("exit", .null)
    #expect(editor.status == 1)
  }

  // MARK: - Messages that are none

  @Test(arguments: [
    ("{", -32_700), ("", -32_700), ("[]", -32_600),
    ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}]", -32_600),
    ("7", -32_600), ("{\"id\":1,\"method\":\"x\"}", -32_600), ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32_600),
    ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}", -32_600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[]}", -32_600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"x\"}", -32_600),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"workspace/symbol\"}", -32_601),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"textDocument/hover\"}", -32_602),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"textDocument/hover\",\"params\":{\"position\":{\"line\":0,\"character\":0}}}",
      -32_602
    ),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"textDocument/hover\",\"params\":{\"textDocument\":{\"uri\":\"file:///x\"},\"position\":{\"line\":-1,\"character\":0}}}",
      -32_602
    ),
    (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"codeAction/resolve\",\"params\":{\"title\":\"x\",\"kind\":\"quickfix\"}}",
      -32_602
    ),
  ])
  func answersWithAnErrorOfTheProtocol(message: String, code: Int) {
    var editor = Editor()
    editor.send(bytes: Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8))
    editor.settle()
    #expect(editor.received.count == 1)
    #expect(editor.received.first?["error"]?["code"]?.int == code)
    #expect(editor.received.first?["error"]?["message"]?.string?.isEmpty == false)
    #expect(editor.request("textDocument/diagnostic", .object([]))?["error"] != nil)
  }

  @Test func answersBytesThatAreNotUTF8WithAParseError() {
    var editor = Editor()
    editor.send(bytes: Array("Content-Length: 4\r\n\r\n".utf8) + [0x22, 0xFF, 0xFE, 0x22])
    #expect(editor.received.map { $0["error"]?["code"]?.int } == [-32_700])
  }

  @Test(arguments: ["$/setTrace", "textDocument/willSave", "no/such"])
  func passesOverUnknownNotifications(method: String) {
    var editor = Editor()
    editor.notify(method, .object([]))
    #expect(editor.received.isEmpty)
  }

  @Test func saysWhyANotificationIsPassedOver() {
    var editor = Editor()
    editor.notify("textDocument/didOpen", .object([]))
    editor.change([.object([("text", .string("x"))])], version: 2)
    editor.open(Self.good)
    editor.change([.object([("range", .object([])), ("text", .string("x"))])], version: 2)
    let logged = editor.received.filter { $0["method"]?.string == "window/logMessage" }
    #expect(
      logged.map { $0["params"]?["message"]?.string } == [
        "didOpen has no 'textDocument' with 'uri' and 'text'.",
        "The document 'file:///site/apple-app-site-association' is not open, so it cannot change.",
        "A change has a 'range' without two positions.",
      ])
  }

  // MARK: - Diagnostics

  @Test func tellsWhatCheckTells() throws {
    var editor = Editor()
    editor.open(Self.misspelt)
    let diagnostics = try #require(editor.diagnostics())
    let found = TextCheck.findings(
      in: SourceText(name: "/site/apple-app-site-association", Self.misspelt))
    #expect(diagnostics.map { $0["message"]?.string } == found.map { $0.message })
    #expect(diagnostics.map { $0["code"]?.string } == found.map { $0.rule })
    let key = try #require(diagnostics.first { $0["code"]?.string == "aasa.unknown-key" })
    // The face before it has two UTF-16 units and one column.
    #expect(key["range"]?.span == "1:25-1:33")
    #expect(key["severity"]?.int == 1)
    #expect(key["source"]?.string == "linkspan")
    #expect(
      key["relatedInformation"]?.array?.first?["message"]?.string?.contains("Did you mean 'exclude'?") == true
    )
    editor.change([.object([("range", .null), ("text", .string(Self.good))])], version: 2)
    editor.settle()
    #expect(editor.diagnostics()?.isEmpty == true)
    #expect(editor.received.last?["params"]?["version"]?.int == 2)
  }

  @Test func changesIncrementally() {
    var editor = Editor()
    editor.open(Self.misspelt)
    let span = TextSpan(TextPlace(line: 1, character: 26), TextPlace(line: 1, character: 32))
    editor.change([.object([("range", span.json), ("text", .string("exclude"))])], version: 2)
    editor.settle()
    #expect(editor.diagnostics()?.map { $0["code"]?.string }.contains("aasa.unknown-key") == false)
  }

  @Test func checksOnlyTheLastOfSeveralChanges() {
    var editor = Editor()
    editor.open(Self.good)
    let before = editor.received.count
    for version in 2...9 { editor.change([.object([("text", .string("{\(version)"))])], version: version) }
    editor.settle()
    #expect(editor.received.count == before + 1)
    #expect(editor.received.last?["params"]?["version"]?.int == 9)
  }

  /// The findings are about the releases of the settings, else of the command line, else of `check`.
  @Test func checksForTheReleasesOfTheSettings() {
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    let old = ["aasa.release-takes-nothing"]
    func rules(_ editor: Editor) -> [String] {
      (editor.diagnostics() ?? []).compactMap { $0["code"]?.string }
    }
    func set(_ releases: JSON, of editor: inout Editor) {
      editor.notify(
        "workspace/didChangeConfiguration",
        .object([("settings", .object([("linkspan", .object([("releases", releases)]))]))]))
      editor.settle()
    }
    var editor = Editor(options: .object([("releases", .string("ios:12.4"))]))
    editor.open(text)
    editor.settle()
    #expect(rules(editor) == old)
    set(.array([.string("ios:15.."), .string("macos:14")]), of: &editor)
    #expect(rules(editor) == [])
    set(.string("ios:12.."), of: &editor)
    #expect(rules(editor) != [])
    // What cannot be read changes nothing, and the client hears why.
    let before = rules(editor)
    set(.string("ios 12"), of: &editor)
    #expect(rules(editor) == before)
    let log = editor.received.last { $0["method"]?.string == "window/logMessage" }
    let words = log?["params"]?["message"]?.string
    #expect(words?.hasPrefix("The setting 'releases' is not read: 'ios 12' is not") == true, "\(words ?? "")")
    for none in [JSON.null, .string(""), .array([])] {
      set(.string("ios:12.4"), of: &editor)
      set(none, of: &editor)
      #expect(rules(editor) == [], "\(none.text)")
    }
  }

  @Test func stopsTheCheckOfAnOlderText() {
    var session = EditorSession(serverVersion: "1")
    func message(_ method: String, _ parameters: String, id: Int? = nil) -> [EditorSession.Step] {
      let id = id.map { "\"id\":\($0)," } ?? ""
      let text = "{\"jsonrpc\":\"2.0\",\(id)\"method\":\"\(method)\",\"params\":\(parameters)}"
      return session.take(.message(Array(text.utf8)))
    }
    func shown(_ steps: [EditorSession.Step]) -> [String] {
      steps.map {
        switch $0 {
        case .send(let json): json.text
        case .start: "start"
        case .stop: "stop"
        case .exit: "exit"
        }
      }
    }
    _ = message("initialize", "{}", id: 0)
    _ = message(
      "textDocument/didOpen", #"{"textDocument":{"uri":"file:///a","languageId":"","version":1,"text":"{}"}}"#
    )
    #expect(shown(session.idle()) == ["start"])
    #expect(
      shown(
        message(
          "textDocument/didChange",
          #"{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"text":"[]"}]}"#)) == ["stop"])
    #expect(
      shown(message("textDocument/diagnostic", #"{"textDocument":{"uri":"file:///a"}}"#, id: 5)).isEmpty)
    #expect(shown(session.idle()) == ["start"])
    #expect(
      shown(message("$/cancelRequest", #"{"id":5}"#)) == [
        "stop",
        #"{"jsonrpc":"2.0","id":5,"error":{"code":-32800,"message":"The request was cancelled."}}"#,
      ])
    // The check of the new text still waits.
    #expect(session.isBusy)
    #expect(shown(session.idle()) == ["start"])
  }

  @Test func answersPulledDiagnosticsOnce() throws {
    var editor = Editor()
    editor.open(Self.misspelt)
    let first = try #require(
      editor.request("textDocument/diagnostic", .object([Editor.document()]))?["result"])
    #expect(first["kind"]?.string == "full")
    #expect(first["items"]?.json.text == JSON.array((editor.diagnostics() ?? []).map { $0.json }).text)
    let identifier = try #require(first["resultId"]?.string)
    let second = editor.request(
      "textDocument/diagnostic", .object([Editor.document(), ("previousResultId", .string(identifier))]))
    #expect(second?["result"]?["kind"]?.string == "unchanged")
    editor.change([.object([("text", .string(Self.good))])], version: 2)
    let third = editor.request(
      "textDocument/diagnostic", .object([Editor.document(), ("previousResultId", .string(identifier))]))
    #expect(third?["result"]?["items"]?.array?.isEmpty == true)
  }

  @Test func clearsWhatIsClosed() {
    var editor = Editor()
    editor.open(Self.misspelt)
    #expect(editor.diagnostics()?.isEmpty == false)
    editor.notify("textDocument/didClose", .object([Editor.document()]))
    #expect(editor.diagnostics()?.isEmpty == true)
    #expect(Self.code(editor.request("textDocument/hover", Editor.at(0, 0))) == -32_602)
  }

  @Test(arguments: [
    ("file:///a/story.json5", "{ start: 7, script: [] }", "story.type"),
    ("file:///a/fleet.json5", "{ devices: 7, update: { fased: true } }", "fleet.unknown-key"),
    ("file:///a/story.json5", "{}", "story.missing-key"),
    ("file:///a/aasa.story.json5", "{}", "story.missing-key"),
    (
      "file:///a/story.json",
      #"{"start":7,"sites":{"a.example":{"file":{"applinks":{"details":[]}}}},"script":[]}"#, "story.type"
    ),
    ("file:///a/fleet.json5", "{ fased: true }", "fleet.unknown-key"),
    ("file:///a/linkspan.json5", "{ sites: [\"a\"], sever: {} }", "configuration.unknown-key"),
    ("file:///a/.well-known/assetlinks.json", "[{\"relation\":[]}]", "assetlinks.no-relation"),
    ("file:///a/App.entitlements", "<plist><dict><key>a</key></dict></plist>", "plist.syntax"),
    ("untitled:Untitled-1", "{", "json.unclosed"),
  ])
  func knowsTheKindsOfFiles(uri: String, text: String, rule: String) throws {
    var editor = Editor()
    editor.open(text, uri: uri)
    let codes = try #require(editor.diagnostics(uri: uri)).compactMap { $0["code"]?.string }
    #expect(codes.contains { $0 == rule || (rule.hasPrefix("plist") && $0.hasPrefix("plist")) }, "\(codes)")
  }

  @Test(arguments: [
    ("file:///a/package.json", "json", #"{"name":"x","dependencies":{}}"#),
    ("file:///a/.babelrc", "json", #"{"presets":[]}"#), ("file:///a/run", "jsonc", "{} // a comment"),
    ("untitled:Untitled-1", "json", #"{"name":"x"}"#),
    ("file:///a/tasks.json", "json", #"{"start":"npm start","apps":{}}"#),
    ("file:///a/pom.xml", "xml", "<?xml version=\"1.0\"?><project/>"), ("file:///a/feed", "xml", "<rss/>"),
    ("untitled:Untitled-2", "xml", "<svg"), ("file:///a/README.md", "markdown", "# \"applinks\""),
    ("file:///a/apple-app-site-association.md", "markdown", "# The file"),
    ("file:///a/main.swift", "swift", "let key = \"applinks\""), ("file:///a/Makefile", "makefile", "all:"),
    ("file:///a/notes.txt", "plaintext", "applinks"), ("file:///a/data.bin", "", "{\"a\":"),
  ])
  func saysNothingOfOtherFiles(uri: String, language: String, text: String) {
    var editor = Editor()
    editor.open(text, uri: uri, language: language)
    #expect(editor.diagnostics(uri: uri)?.isEmpty == true)
  }

  /// By its name, by its content, or because it is opened here on purpose.
  @Test(arguments: [
    ("file:///a/apple-app-site-association", "json", "{"), ("file:///a/other", "json", #"{"applinks":7}"#),
    ("file:///a/other", "", "{"), ("file:///a/App.entitlements", "xml", "<dict"),
    ("file:///a/some.xml", "xml", "<plist><dict><key>a</key></dict></plist>"),
    ("file:///a/package.json", "linkspan", "{}"), ("file:///a/other", "plaintext", "{"),
    ("file:///a/aasa.template", "jinja", "{"), ("file:///a/site.txt", "plaintext", #"{"applinks":7}"#),
  ])
  func judgesTheFilesThatItIsFor(uri: String, language: String, text: String) {
    var editor = Editor()
    editor.open(text, uri: uri, language: language)
    #expect(editor.diagnostics(uri: uri)?.isEmpty == false)
  }

  // MARK: - Limits

  /// A session that is greeted, and whose questions nobody answers.
  private struct Waiting {
    var session = EditorSession(serverVersion: "1")

    init() { _ = send("initialize", "{}", id: 0) }

    /// The answer or the word to the log; nil for none.
    mutating func send(_ method: String, _ parameters: String, id: Int? = nil) -> String? {
      let id = id.map { "\"id\":\($0)," } ?? ""
      let text = "{\"jsonrpc\":\"2.0\",\(id)\"method\":\"\(method)\",\"params\":\(parameters)}"
      for step in session.take(.message(Array(text.utf8))) {
        guard case .send(let json) = step, let root = JSONParser.parse(Array(json.text.utf8)).root else {
          continue
        }
        if let message = root["error"]?["message"]?.string { return message }
        if root["method"]?.string == "window/logMessage" { return root["params"]?["message"]?.string }
      }
      return nil
    }

    mutating func open(_ uri: String, _ text: String = "") -> String? {
      send(
        "textDocument/didOpen",
        "{\"textDocument\":{\"uri\":\"\(uri)\",\"languageId\":\"\",\"version\":1,\"text\":\"\(text)\"}}")
    }
  }

  @Test func aThousandDocumentsAreOpenAtMost() {
    var waiting = Waiting()
    for number in 1...1_000 { #expect(waiting.open("file:///\(number)") == nil, "\(number)") }
    #expect(waiting.open("file:///1001") == "1000 documents are open already; close one.")
    #expect(waiting.open("file:///7") == nil, "it is open already")
    _ = waiting.send("textDocument/didClose", #"{"textDocument":{"uri":"file:///7"}}"#)
    #expect(waiting.open("file:///1001") == nil)
  }

  /// The check of the document waits, too.
  @Test func aThousandQuestionsWaitAtMost() {
    var waiting = Waiting()
    _ = waiting.open("file:///a")
    let document = #"{"textDocument":{"uri":"file:///a"}}"#
    for id in 1...999 { #expect(waiting.send("textDocument/diagnostic", document, id: id) == nil, "\(id)") }
    let refusal = "1000 requests are waiting already. Ask again later."
    #expect(waiting.send("textDocument/diagnostic", document, id: 1_000) == refusal)
    _ = waiting.session.idle()
    #expect(waiting.send("textDocument/diagnostic", document, id: 1_001) == nil)
    #expect(waiting.send("textDocument/diagnostic", document, id: 1_002) == refusal)
  }

  @Test func aDocumentHasEightMebibytesAtMost() {
    var waiting = Waiting()
    let largest = String(repeating: "x", count: 8_388_608)
    let refusal = "The document 'file:///a' has more than 8388608 bytes, and is let go."
    #expect(waiting.open("file:///a", largest + "x") == refusal)
    #expect(waiting.open("file:///a", largest) == nil)
    let place = #"{"line":0,"character":0}"#
    func change(_ text: String) -> String {
      #"{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"range":{"start":\#(place),"end":\#(place)},"text":"\#(text)"}]}"#
    }
    #expect(waiting.send("textDocument/didChange", change("")) == nil)
    #expect(waiting.send("textDocument/didChange", change("y")) == refusal)
    #expect(
      waiting.send("textDocument/didChange", change(""))
        == "The document 'file:///a' is not open, so it cannot change.")
  }

  /// Of a large file the syntax is told first.
  @Test(arguments: [(32_768, 1), (32_769, 2)]) func aLargeFileIsToldInTwoSteps(bytes: Int, count: Int) {
    let text = #"{"applinks":{},}"#
    var editor = Editor()
    editor.open(text + String(repeating: " ", count: bytes - text.utf8.count))
    let told = editor.received.filter { $0["method"]?.string == "textDocument/publishDiagnostics" }
    #expect(told.count == count)
    #expect(editor.diagnostics()?.isEmpty == false)
  }
}
