import FuzzSupport
import LinkspanCore
import LinkspanMCP

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzMCP_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no line stops the server; every answer is one line of JSON-RPC 2.0; no argument becomes a flag.
private func check(_ input: [UInt8]) {
  var session = MCPSession(serverVersion: "1")
  for line in input.split(separator: 0x0A) {
    var steps = session.take(Array(line))[...]
    var count = 0
    while let step = steps.popFirst() {
      count += 1
      precondition(count < 10_000, "a line without end")
      switch step {
      case .send(let answer): check(answer)
      case .stop: break
      case .start(let call):
        guard let made = try? call.tool.call(JSONParser.parse(call.arguments.bytes).root) else {
          preconditionFailure("a call that was accepted is refused")
        }
        for run in made.runs { check(run) }
        steps += session.finished(.refused("no"))
      }
    }
  }
}

private func check(_ answer: JSON) {
  precondition(!answer.bytes.contains(0x0A), "an answer of several lines")
  let root = JSONParser.parse(answer.bytes).root
  for message in root?.array ?? [root].compactMap({ $0 }) {
    precondition(message["jsonrpc"]?.string == "2.0", "an answer that is no message: \(answer.text)")
    precondition((message["result"] != nil) != (message["error"] != nil), "neither result nor error")
  }
}

private func check(_ run: [ToolWord]) {
  for word in run.prefix(while: { $0 != .text("--") }) {
    if case .path(let path) = word { precondition(!path.isEmpty, "an empty path") }
  }
}
