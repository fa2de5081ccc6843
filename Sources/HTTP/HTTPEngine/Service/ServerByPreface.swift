internal import LinkspanCore

/// Finds out from the first bytes whether the peer speaks HTTP/2 or HTTP/1.1, where no handshake said so.
///
/// A client with prior knowledge begins with 24 bytes that no request of HTTP/1.1 begins with (RFC 9113, 3.4).
final class ServerByPreface: ServerProtocol {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private let http1: () -> any ServerProtocol
  private let http2: () -> any ServerProtocol
  private var chosen: (any ServerProtocol)?
  private var begun: [UInt8] = []
  private var isStopping = false
  private var peerEnded = false

  init(http1: @escaping () -> any ServerProtocol, http2: @escaping () -> any ServerProtocol) {
    self.http1 = http1
    self.http2 = http2
  }

  var waiting: ServerWait {
    if let chosen { return chosen.waiting }
    if peerEnded { return .nothing }
    guard begun.isEmpty else { return .header }
    return isStopping ? .lastRequest : .request
  }

  var progress: Int { chosen?.progress ?? 0 }

  var closing: ServerClosing? { chosen?.closing }

  var current: any ServerProtocol { chosen ?? self }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let chosen { return chosen.receive(bytes) }
    let missing = Self.preface.count - begun.count
    if bytes.prefix(missing).elementsEqual(Self.preface[begun.count...].prefix(bytes.count)) {
      if bytes.count < missing {
        begun.append(contentsOf: bytes)
      } else {
        choose(http2())
        chosen?.receive(bytes)
      }
    } else {
      choose(http1())
      chosen?.receive(bytes)
    }
  }

  func receiveEnd() {
    peerEnded = true
    chosen?.receiveEnd()
  }

  func produce(into output: inout OutputQueue, date: String, limitBytes: Int) -> Bool {
    chosen?.produce(into: &output, date: date, limitBytes: limitBytes) ?? true
  }

  func deliver(
    _ response: HTTPResponse, number: Int, stream: Int32, into output: inout OutputQueue, date: String
  ) {
    chosen?.deliver(response, number: number, stream: stream, into: &output, date: date)
  }

  func resume(body number: Int, stream: Int32) { chosen?.resume(body: number, stream: stream) }

  func abandon() { chosen?.abandon() }

  func expire(into output: inout OutputQueue, date: String) {
    if chosen == nil { choose(http1()) }
    chosen?.expire(into: &output, date: date)
  }

  func stop() {
    isStopping = true
    chosen?.stop()
  }

  private func choose(_ conversation: any ServerProtocol) {
    chosen = conversation
    begun.withUnsafeBufferPointer { conversation.receive($0) }
    begun = []
    if isStopping { conversation.stop() }
    if peerEnded { conversation.receiveEnd() }
  }
}
