import LinkspanCore
import LinkspanEditor
import Testing

/// An editor as a test plays it: it sends messages, has every question answered at once, and keeps what it was sent.
struct Editor {
  var session = EditorSession(serverVersion: "1.2.3")
  var files = EditorFiles.none
  private(set) var received: [JSONNode] = []
  /// The status that the server ended with.
  private(set) var status: Int32?
  private var requests = 0

  static let uri = "file:///site/apple-app-site-association"

  /// After the greeting.
  init(capabilities: JSON = .object([]), options: JSON = .null) {
    _ = request(
      "initialize", .object([("capabilities", capabilities), ("initializationOptions", options)]))
    notify("initialized", .object([]))
    received = []
  }

  /// Before it.
  static var new: Editor {
    var editor = Editor()
    editor.session = EditorSession(serverVersion: "1.2.3")
    return editor
  }

  // MARK: - Sending

  mutating func send(_ message: JSON) { act(on: session.take(.message(message.bytes))) }

  mutating func send(bytes: [UInt8]) {
    var frames = MessageFrames()
    for frame in frames.take(bytes) + frames.end() { act(on: session.take(frame)) }
  }

  mutating func notify(_ method: String, _ parameters: JSON) {
    send(.object([("jsonrpc", .string("2.0")), ("method", .string(method)), ("params", parameters)]))
  }

  /// Sends a request, has everything answered, and gives its answer.
  @discardableResult
  mutating func request(_ method: String, _ parameters: JSON) -> JSONNode? {
    let id = ask(method, parameters)
    settle()
    return received.last { $0["id"]?.int == id }
  }

  /// Sends a request alone.
  mutating func ask(_ method: String, _ parameters: JSON) -> Int {
    requests += 1
    send(
      .object([
        ("jsonrpc", .string("2.0")), ("id", .int(requests)), ("method", .string(method)),
        ("params", parameters),
      ]))
    return requests
  }

  /// Answers what waits.
  mutating func settle() {
    while session.isBusy {
      let steps = session.idle()
      if steps.isEmpty { return }
      act(on: steps)
    }
  }

  private mutating func act(on steps: [EditorSession.Step]) {
    for step in steps {
      switch step {
      case .send(let message):
        let bytes = MessageFrames.frame(message)
        var frames = MessageFrames()
        guard case .message(let content)? = frames.take(bytes).first else { continue }
        if let root = JSONParser.parse(content).root { received.append(root) }
      case .start(let question): act(on: session.finished(question.answer(files)))
      case .stop: continue
      case .exit(let code): status = code
      }
    }
  }

  // MARK: - Documents

  mutating func open(_ text: String, uri: String = Editor.uri, language: String = "json") {
    notify(
      "textDocument/didOpen",
      .object([
        (
          "textDocument",
          .object([
            ("uri", .string(uri)), ("languageId", .string(language)), ("version", .int(1)),
            ("text", .string(text)),
          ])
        )
      ]))
    settle()
  }

  mutating func change(_ changes: [JSON], version: Int, uri: String = Editor.uri) {
    notify(
      "textDocument/didChange",
      .object([
        ("textDocument", .object([("uri", .string(uri)), ("version", .int(version))])),
        ("contentChanges", .array(changes)),
      ]))
  }

  static func document(_ uri: String = Editor.uri) -> (String, JSON) {
    ("textDocument", .object([("uri", .string(uri))]))
  }

  static func position(_ line: Int, _ character: Int) -> JSON {
    .object([("line", .int(line)), ("character", .int(character))])
  }

  static func at(_ line: Int, _ character: Int, uri: String = Editor.uri) -> JSON {
    .object([document(uri), ("position", position(line, character))])
  }

  /// The diagnostics that were published last for a document.
  func diagnostics(uri: String = Editor.uri) -> [JSONNode]? {
    received.last {
      $0["method"]?.string == "textDocument/publishDiagnostics" && $0["params"]?["uri"]?.string == uri
    }?["params"]?["diagnostics"]?.array
  }
}

extension JSONNode {
  /// `line:character-line:character`
  var span: String {
    func place(_ node: JSONNode?) -> String {
      "\(node?["line"]?.int ?? -1):\(node?["character"]?.int ?? -1)"
    }
    return place(self["start"]) + "-" + place(self["end"])
  }

  /// What `check` and a diagnostic have in common: rule, message and severity.
  var diagnostic: String {
    "\(self["range"]?.span ?? "") \(self["severity"]?.int ?? 0) \(self["code"]?.string ?? "") \(self["message"]?.string ?? "")"
  }
}

/// An association file in which the marked place is where a test looks: `⟦` and `⟧` are taken out.
struct Marked {
  var text: String
  var line: Int
  var character: Int

  init(_ marked: String) {
    let before = marked.prefix { $0 != "⟦" }
    text = marked.filter { $0 != "⟦" && $0 != "⟧" }
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
    line = lines.count - 1
    character = lines.last?.utf16.count ?? 0
  }
}
