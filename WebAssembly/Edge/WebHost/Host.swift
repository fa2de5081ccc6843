internal import CWebHost

/// The program or page that runs the module: its files, its terminal, its network.
package enum Host {
  package enum Question: Int32 {
    case read = 1
    case kind, names, resolved, write, environment, columns, fetch, keepCopy, addresses, input
    case entry, fill, access
  }

  package enum Reply {
    case bytes([UInt8])
    /// Why not, as the system words it.
    case refused(String)
    case nothing
    /// The file is a named pipe, and no program is at its other end.
    case silentPipe
    case device

    package var text: String? {
      if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }

  package static func ask(_ question: Question, _ bytes: [UInt8]) -> Reply {
    let count = Int(
      bytes.withUnsafeBytes { linkspan_ask(question.rawValue, $0.baseAddress, Int32($0.count)) })
    guard count > 0 else { return .nothing }
    var reply = [UInt8](repeating: 0, count: count)
    reply.withUnsafeMutableBytes { linkspan_take($0.baseAddress) }
    let kind = reply.removeFirst()
    switch kind {
    case 0: return .bytes(reply)
    case 1: return .refused(String(decoding: reply, as: UTF8.self))
    case 3: return .silentPipe
    case 4: return .device
    default: return .nothing
    }
  }

  package static func ask(_ question: Question, _ text: String) -> Reply { ask(question, Array(text.utf8)) }

  package static func write(_ bytes: [UInt8], to stream: Int32) {
    bytes.withUnsafeBytes { linkspan_write(stream, $0.baseAddress, Int32($0.count)) }
  }

  package static func exit(_ status: Int32) -> Never { linkspan_exit(status) }
}
