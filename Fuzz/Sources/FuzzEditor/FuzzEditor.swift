import FuzzSupport
import LinkspanCore
import LinkspanEditor

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzEditor_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no bytes stop the server; they mean the same in any pieces; every answer is a message of JSON-RPC 2.0, and each
/// question ends.
private func check(_ input: [UInt8]) {
  var whole = MessageFrames()
  let frames = whole.take(input) + whole.end()
  var pieces = MessageFrames()
  var found: [MessageFrames.Frame] = []
  for byte in input { found += pieces.take([byte]) }
  precondition(found + pieces.end() == frames, "the pieces of a stream change its messages")
  var session = EditorSession(serverVersion: "1")
  for frame in frames.prefix(200) {
    var steps = session.take(frame)[...]
    var count = 0
    while true {
      if steps.isEmpty { steps = session.idle()[...] }
      guard let step = steps.popFirst() else { break }
      count += 1
      precondition(count < 10_000, "a message without end")
      switch step {
      case .send(let message): check(message)
      case .stop: break
      case .exit: return
      case .start(let question): steps += session.finished(question.answer(.none))
      }
    }
  }
}

private func check(_ message: JSON) {
  guard let root = JSONParser.parse(message.bytes).root else {
    preconditionFailure("a message that is no JSON")
  }
  precondition(root["jsonrpc"]?.string == "2.0", "a message of another protocol: \(message.text)")
  let isNotification = root["method"] != nil
  precondition(isNotification == (root["id"] == nil), "neither an answer nor a notification: \(message.text)")
}
