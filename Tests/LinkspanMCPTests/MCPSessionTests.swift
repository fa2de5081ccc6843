import LinkspanCore
import LinkspanMCP
import Testing

/// JSON lines in, JSON lines and calls out, by the Model Context Protocol.
@Suite struct MCPSessionTests {
  private static func greeted(_ version: String = "2025-06-18") -> MCPSession {
    var session = MCPSession(serverVersion: "1.2.3")
    _ = session.take(
      line(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)"}}"#))
    _ = session.take(line(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#))
    return session
  }

  private static func line(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func parsed(_ text: String?) throws -> JSONNode {
    let bytes = Array(try #require(text).utf8)
    return try #require(JSONParser.parse(bytes).root)
  }

  /// Steps as text: lines as they are, calls as `start NAME ARGUMENTS`.
  private static func shown(_ steps: [MCPSession.Step]) -> [String] {
    steps.map { step in
      switch step {
      case .send(let line): line.text
      case .start(let call): "start \(call.tool.name) \(call.arguments.text)"
      case .stop: "stop"
      }
    }
  }

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"),
  ])
  func agreesOnAVersion(asked: String, agreed: String) throws {
    var session = MCPSession(serverVersion: "1.2.3")
    let answer = Self.shown(
      session.take(
        Self.line(
          #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(asked)","capabilities":{}}}"#
        )))
    let root = try Self.parsed(answer.first)
    #expect(root["result"]?["protocolVersion"]?.string == agreed)
    #expect(root["result"]?["serverInfo"]?["version"]?.string == "1.2.3")
    #expect(root["result"]?["capabilities"]?["tools"] != nil)
  }

  /// What is there with another type is not missing.
  @Test(arguments: [
    ("{}", "'protocolVersion' is missing."),
    (#"{"protocolVersion":1}"#, "'protocolVersion' is a number; expected a string."),
    (#"{"protocolVersion":null}"#, "'protocolVersion' is null; expected a string."),
  ]) func aVersionIsAString(parameters: String, message: String) throws {
    var session = MCPSession(serverVersion: "1.2.3")
    let line = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":\#(parameters)}"#
    let root = try Self.parsed(Self.shown(session.take(Self.line(line))).first)
    #expect(root["error"]?["message"]?.string == message)
    var greeted = Self.greeted()
    let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#
    let refused = try Self.parsed(Self.shown(greeted.take(Self.line(call))).first)
    #expect(refused["error"]?["message"]?.string == "'name' is a number; expected a string.")
  }

  /// Two readers may take different ones of two equal keys, so that one sees 'ping' and the other 'tools/call'.
  @Test(arguments: [
    (
      #"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, "1",
      "'method' occurs twice (at /method)"
    ),
    (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "null", "'id' occurs twice (at /id)"),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","name":"match"}}"#, "1",
      "'name' occurs twice (at /params/name)"
    ),
    (
      #"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"check","arguments":{"site":["x"],"site":["y"]}}}"#,
      "\"a\"", "'site' occurs twice (at /params/arguments/site)"
    ),
    (
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}"#, "null",
      "'requestId' occurs twice (at /params/requestId)"
    ),
  ])
  func refusesKeysThatOccurTwice(message: String, id: String, problem: String) {
    var session = Self.greeted()
    #expect(
      Self.shown(session.take(Self.line(message))) == [
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32600,"message":"\#(problem); send it once."}}"#
      ])
  }

  @Test func listsEveryToolWithASchema() throws {
    var session = Self.greeted()
    let steps = Self.shown(session.take(Self.line(#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#)))
    let root = try Self.parsed(steps.first)
    let tools = try #require(root["result"]?["tools"]?.array)
    #expect(
      tools.compactMap { $0["name"]?.string } == [
        "check", "match", "explain", "diff", "coverage", "clip_size", "push_lint", "simulate",
      ])
    // Of an app's minimum only the tools speak that take its files.
    let speaking = tools.filter { tool in
      let release = tool["inputSchema"]?["properties"]?["os"]?["description"]?.string
      return release?.contains("the app's minimum") == true
    }
    #expect(speaking.map { $0["name"]?.string } == ["check"])
    for tool in tools {
      #expect(tool["inputSchema"]?["type"]?.string == "object")
      #expect(tool["inputSchema"]?["additionalProperties"]?.bool == false)
      #expect(tool["annotations"]?["readOnlyHint"]?.bool == true)
      let isStream = ["match", "simulate"].contains(tool["name"]?.string ?? "")
      #expect(tool["outputSchema"]?["required"]?.array?.first?.string == (isStream ? "answers" : "type"))
    }
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":7,"result":{}}"#),
    (
      #"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"There is no method 'resources/list'."}}"#
    ),
    (
      #"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"'jsonrpc' is not \"2.0\"."}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"'id' is neither a string nor an integer."}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"'params' is not an object."}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":7}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"'method' is missing."}}"#
    ),
    (
      #"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Batches are not part of this version of the protocol."}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"There is no tool 'rm': check, match, explain, diff, coverage, clip_size, push_lint, simulate."}}"#
    ),
    (
      #"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"The connection is initialized already."}}"#
    ),
  ])
  func answersALine(sent: String, answer: String) {
    var session = Self.greeted()
    #expect(Self.shown(session.take(Self.line(sent))) == [answer])
  }

  @Test(arguments: [
    "", "  ", #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
  ])
  func answersNothingToWhatIsNoRequest(sent: String) {
    var session = Self.greeted()
    #expect(session.take(Self.line(sent)).isEmpty)
  }

  @Test(arguments: ["{", "\u{0}", "nil", #"{"a":"#, String(repeating: "[", count: 5_000)])
  func refusesWhatIsNotJSON(sent: String) throws {
    var session = Self.greeted()
    let answer = try #require(Self.shown(session.take(Self.line(sent))).first)
    #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#))
  }

  @Test func wantsAGreetingFirst() {
    var session = MCPSession(serverVersion: "1")
    #expect(
      Self.shown(session.take(Self.line(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#))) == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Send 'initialize' before 'tools/list'."}}"#
      ])
    #expect(
      Self.shown(session.take(Self.line(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#))) == [
        #"{"jsonrpc":"2.0","id":2,"result":{}}"#
      ])
  }

  // MARK: - Calls

  private static func lint(_ id: Int) -> [UInt8] {
    line(
      #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"push_lint","arguments":{"files":["a"]}}}"#
    )
  }

  @Test func runsOneCallAfterTheOther() {
    var session = Self.greeted()
    #expect(Self.shown(session.take(Self.lint(1))) == [#"start push_lint {"files":["a"]}"#])
    #expect(session.take(Self.lint(2)).isEmpty)
    let outcome = ToolOutcome.of(
      output: Self.line("{\"type\":\"push-lint\"}\n"), notes: "", status: 1, isStream: false, types: nil)
    #expect(
      Self.shown(session.finished(outcome)) == [
        #"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"type\":\"push-lint\"}"}],"structuredContent":{"type":"push-lint"},"isError":false}}"#,
        #"start push_lint {"files":["a"]}"#,
      ])
    #expect(session.isBusy)
    #expect(Self.shown(session.finished(.refused("No."))).count == 1)
    #expect(!session.isBusy)
  }

  @Test func refusesCallsBeyondTheLimit() {
    var session = Self.greeted()
    for id in 0...MCPSession.waitingLimit { _ = session.take(Self.lint(id)) }
    #expect(
      Self.shown(session.take(Self.lint(99))) == [
        #"{"jsonrpc":"2.0","id":99,"error":{"code":-32603,"message":"64 calls are waiting already. Call again later."}}"#
      ])
  }

  @Test func aCancelledCallGetsNoAnswer() {
    var session = Self.greeted()
    _ = session.take(Self.lint(1))
    _ = session.take(Self.lint(2))
    _ = session.take(Self.lint(3))
    let cancel = { (id: Int) in
      Self.line(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
    }
    #expect(session.take(cancel(2)).isEmpty)
    #expect(Self.shown(session.take(cancel(1))) == ["stop", #"start push_lint {"files":["a"]}"#])
    #expect(session.take(cancel(8)).isEmpty)
    #expect(Self.shown(session.finished(.refused("No."))).first?.contains(#""id":3"#) == true)
  }

  @Test func answersABatchInOneLine() throws {
    var session = Self.greeted("2025-03-26")
    let call = String(decoding: Self.lint(2), as: UTF8.self)
    let steps = Self.shown(
      session.take(
        Self.line(
          #"[{"jsonrpc":"2.0","id":1,"method":"ping"},5,\#(call),{"jsonrpc":"2.0","method":"notifications/initialized"}]"#
        )))
    #expect(steps == [#"start push_lint {"files":["a"]}"#])
    let answer = try #require(Self.shown(session.finished(.refused("No."))).first)
    let all = try #require(JSONParser.parse(Array(answer.utf8)).root?.array)
    #expect(all.map { $0["id"]?.json.text } == ["1", "null", "2"])
  }

  // MARK: - Arguments

  @Test(arguments: [
    ("match", #"{"file":"a"}"#, "Argument 'urls' is missing."),
    ("match", #"{"file":"a","urls":[]}"#, "Argument 'urls': expected 1 to 500 values, got 0."),
    ("match", #"{"file":5,"urls":["u"]}"#, "Argument 'file': expected a string, got a number."),
    ("push_lint", #"{"files":["a\u0000b"]}"#, "Argument 'files': has control characters."),
    ("push_lint", #"{"files":"a"}"#, "Argument 'files': expected an array, got a string."),
    (
      "push_lint", #"{"files":["a"],"run":"x"}"#,
      "Argument 'run' does not exist; 'push_lint' takes files, push_type, headers."
    ),
    (
      "simulate", #"{"stories":["a"],"seeds":[-1]}"#,
      "Argument 'seeds': expected an integer from 0 to 9223372036854775807."
    ),
    ("diff", #"{"old":"a","new":"b","limit":0}"#, "Argument 'limit': expected an integer from 1 to 1000."),
    ("explain", #"{"url":"u","expect":"both"}"#, "Argument 'expect': expected app or browser, got 'both'."),
    ("explain", #"{"url":"u","managed":1}"#, "Argument 'managed': expected true or false, got a number."),
  ])
  func saysWhatIsWrongWithAnArgument(tool: String, arguments: String, message: String) throws {
    var session = Self.greeted()
    let steps = Self.shown(
      session.take(
        Self.line(
          #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
        )))
    let root = try Self.parsed(steps.first)
    #expect(root["result"]?["isError"]?.bool == true)
    #expect(root["result"]?["content"]?.array?.first?["text"]?.string == message)
  }

  @Test func refusesALongArgument() throws {
    let push = try #require(Tool.all.first { $0.name == "push_lint" })
    let fits = JSONParser.parse(Self.line(#"{"files":["\#(String(repeating: "a", count: 8_192))"]}"#)).root
    #expect(try push.call(fits).runs.count == 1)
    let long = JSONParser.parse(Self.line(#"{"files":["\#(String(repeating: "a", count: 8_193))"]}"#)).root
    #expect(throws: ToolProblem("Argument 'files': expected 1 to 8192 bytes, got 8193.")) {
      try push.call(long)
    }
  }

  @Test func argumentsNeverBecomeFlags() throws {
    let match = try #require(Tool.all.first { $0.name == "match" })
    let call = try match.call(
      JSONParser.parse(Self.line(#"{"urls":["--batch"],"file":"--fix","os":["--json"]}"#)).root)
    #expect(
      call.runs == [
        [
          .text("--file"), .path("--fix"), .text("--os"), .text("--json"), .text("--"), .text("--batch"),
        ]
      ])
  }

  @Test func everySeedIsARun() throws {
    let simulate = try #require(Tool.all.first { $0.name == "simulate" })
    let call = try simulate.call(
      JSONParser.parse(Self.line(#"{"stories":["s"],"seeds":[1,2],"types":["summary"]}"#)).root)
    #expect(
      call.runs == [
        [.text("--seed"), .text("1"), .text("--"), .path("s")],
        [.text("--seed"), .text("2"), .text("--"), .path("s")],
      ])
    #expect(call.types == ["summary"])
  }

  @Test(arguments: [
    (
      "simulate", #"{"stories":["s"],"types":["zz"]}"#,
      "Argument 'types': expected event, link, history, push, expectation, invariant, summary or total, got 'zz'."
    ),
    (
      "explain", #"{"url":"https://example.com/"}"#,
      "Argument 'site' or 'story' is missing; 'explain' needs at least one of them."
    ),
    (
      "coverage", #"{"file":"f"}"#,
      "Argument 'urls' or 'routes' is missing; 'coverage' needs at least one of them."
    ),
  ])
  func namesWhatIsWrongWithArguments(name: String, arguments: String, message: String) throws {
    let tool = try #require(Tool.all.first { $0.name == name })
    let problem = #expect(throws: ToolProblem.self) {
      try tool.call(JSONParser.parse(Self.line(arguments)).root)
    }
    #expect(problem?.message == message)
  }

  @Test func flagsBecomeArguments() throws {
    let tool = try #require(Tool.all.first { $0.name == "explain" })
    #expect(
      tool.inArguments("'--through' goes with '--from redirect'") == "'through' goes with 'from redirect'")
  }

  // MARK: - Outcomes

  @Test func keepsOnlyTheTypesThatWereAskedFor() {
    let outcome = ToolOutcome.of(
      output: Self.line("{\"type\":\"event\"}\n{\"type\":\"summary\"}\n"), notes: "", status: 0,
      isStream: true,
      types: ["summary"])
    #expect(outcome.structure?.text == #"{"answers":[{"type":"summary"}]}"#)
  }

  /// The command filters as well, so nothing comes where no object has such a type.
  @Test func noObjectOfTheTypesThatWereAskedForIsAnAnswer() {
    let outcome = ToolOutcome.of(output: [], notes: "", status: 0, isStream: true, types: ["invariant"])
    #expect(!outcome.isError)
    #expect(outcome.structure?.text == #"{"answers":[]}"#)
    #expect(ToolOutcome.of(output: [], notes: "", status: 0, isStream: true, types: nil).isError)
  }

  @Test func aCommandThatCannotAnswerIsAnError() {
    let outcome = ToolOutcome.of(output: [], notes: "error: no file", status: 2, isStream: false, types: nil)
    #expect(outcome.isError)
    #expect(outcome.text == "error: no file")
  }
}
