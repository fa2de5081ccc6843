import LinkspanCore
import Testing

/// JSON-RPC 2.0, as our servers speak it.
@Suite struct RPCMessageTests {
  private static func read(_ text: String, batches: Bool = true) -> (said: [String], isBatch: Bool) {
    let (messages, isBatch) = RPCMessage.read(Array(text.utf8), takesBatches: batches)
    return (messages.map(said), isBatch)
  }

  private static func said(_ message: RPCMessage) -> String {
    switch message {
    case .request(let id, let method, let parameters): "\(method) \(id.text) \(parameters?.json.text ?? "-")"
    case .notification(let method, let parameters): "\(method) \(parameters?.json.text ?? "-")"
    case .answer: "answer"
    case .invalid(let id, let error): "\(id.text): \(error.message)"
    }
  }

  @Test(
    arguments: [
      (#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, "m 1 -"),
      (#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"b":2}}"#, #"m "a" {"b":2}"#),
      (#"{"jsonrpc":"2.0","method":"m","params":null}"#, "m -"),
      (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "answer"),
      (#"{"jsonrpc":"2.0","id":1,"error":{}}"#, "answer"),
      (#"{"jsonrpc":"2.0","id":1}"#, "1: 'method' is missing."),
      (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1: 'jsonrpc' is not \"2.0\"."),
      (#"{"id":"a","method":"m"}"#, "\"a\": 'jsonrpc' is not \"2.0\"."),
      (#"{"jsonrpc":"2.0","id":1,"method":2}"#, "1: 'method' is not a string."),
      (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, "1: 'params' is not an object."),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, "null: 'id' is neither a string nor an integer."),
      (#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, "null: 'id' is neither a string nor an integer."),
      (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, "null: 'id' occurs twice (at /id); send it once."),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#,
        "1: 'method' occurs twice (at /method); send it once."
      ),
      ("5", "null: A message is a JSON object, not a number."),
      ("", "null: The line is not JSON: the file is empty."),
    ] as [(String, String)])
  func aMessageIsRead(text: String, said: String) {
    let read = Self.read(text)
    #expect(read.said.count == 1 && !read.isBatch)
    #expect(
      read.said.first == said || text.isEmpty && read.said[0].hasPrefix("null: The line is"), "\(read.said)")
  }

  @Test func batchesHaveALimit() {
    let message = #"{"jsonrpc":"2.0","method":"m"}"#
    func batch(_ count: Int) -> String {
      "[" + Array(repeating: message, count: count).joined(separator: ",") + "]"
    }
    for count in [1, 50] {
      #expect(
        Self.read(batch(count)).said == Array(repeating: "m -", count: count)
          && Self.read(batch(count)).isBatch)
    }
    for count in [0, 51] {
      #expect(Self.read(batch(count)).said == ["null: A batch has 1 to 50 messages; this has \(count)."])
      #expect(!Self.read(batch(count)).isBatch)
    }
    #expect(
      Self.read(batch(1), batches: false).said == [
        "null: Batches are not part of this version of the protocol."
      ])
  }

  @Test func identifiersAndDepthHaveLimits() {
    func request(_ count: Int) -> String {
      #"{"jsonrpc":"2.0","id":"\#(String(repeating: "a", count: count))","method":"m"}"#
    }
    #expect(
      Self.read(request(1_000)).said[0].hasPrefix("m ")
        && Self.read(request(1_001)).said[0].hasPrefix("null: 'id'"))
    func nested(_ depth: Int) -> String {
      #"{"jsonrpc":"2.0","method":"m","params":{"a":"# + String(repeating: "[", count: depth)
        + String(repeating: "]", count: depth) + "}}"
    }
    #expect(
      Self.read(nested(30)).said[0].hasPrefix("m ") && Self.read(nested(31)).said[0].contains("not JSON"))
    func values(_ count: Int) -> RPCMessage {
      RPCMessage.read(Array(#"{"jsonrpc":"2.0","method":"m"}"#.utf8), takesBatches: false, values: count)
        .messages[0]
    }
    #expect(Self.said(values(3)) == "m -" && Self.said(values(2)).contains("not JSON"))
  }

  @Test func answersNameTheirRequest() {
    #expect(JSON.int(5).answer(to: .int(1)).text == #"{"jsonrpc":"2.0","id":1,"result":5}"#)
    let error = RPCError(.noSuchMethod, "x").answer(to: .null).text
    #expect(error == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}"#)
    let longest = String(repeating: "a", count: 60)
    #expect(longest.shortenedForMessage == longest && (longest + "b").shortenedForMessage == longest + "…")
  }
}
