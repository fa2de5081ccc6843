internal import LinkspanCore

/// The streamed bodies of one loop, in either direction. Confined to the loop's thread.
///
/// A number stands for a body in the mailbox, as for answers: news of one that has ended finds nobody.
final class StreamedBodies {
  private let arrived: ArrivedAnswers
  private var places: [Int: PendingAnswers.Place] = [:]
  private var lastNumber = 0

  init(_ arrived: ArrivedAnswers) { self.arrived = arrived }

  /// A body that the connection at a place sends.
  func openOutgoing(
    _ stream: HTTPBodyStream, lengthBytes: Int?, at place: PendingAnswers.Place, asked: AskedRequest?,
    status: Int
  ) -> StreamedBody {
    let number = open(place)
    let body = StreamedBody(number, stream, remainingBytes: lengthBytes, asked: asked, status: status)
    stream.onNews { [arrived] in arrived.putNews(ofStream: number) }
    return body
  }

  /// A body that comes in on the connection at a place.
  func openIncoming(capacityBytes: Int, limitBytes: Int, at place: PendingAnswers.Place) -> StreamedBody {
    let number = open(place)
    let stream = HTTPBodyStream(capacityBytes: capacityBytes) { [arrived] _ in
      arrived.putNews(ofStream: number)
    }
    return StreamedBody(number, stream, remainingBytes: limitBytes, asked: nil, status: 0)
  }

  private func open(_ place: PendingAnswers.Place) -> Int {
    lastNumber += 1
    places[lastNumber] = place
    return lastNumber
  }

  func place(of number: Int) -> PendingAnswers.Place? { places[number] }

  func close(_ body: StreamedBody) { places[body.number] = nil }
}

/// One body that is streamed. Confined to the loop's thread; the stream itself is shared with the handler.
final class StreamedBody {
  let number: Int
  let stream: HTTPBodyStream
  /// What is still to come of a length that was declared, or still allowed; nil where neither is.
  private(set) var remainingBytes: Int?
  /// Moved so far.
  private(set) var movedBytes = 0
  /// Of an incoming body: the handler is behind, and the client is held back.
  var isFull = false
  /// Of an incoming body: taken from the client, who may not send as much again yet.
  var heldBackBytes = 0
  /// For an observer, who is told when the body has ended.
  let asked: AskedRequest?
  let status: Int

  init(
    _ number: Int, _ stream: HTTPBodyStream, remainingBytes: Int?, asked: AskedRequest?, status: Int
  ) {
    self.number = number
    self.stream = stream
    self.remainingBytes = remainingBytes
    self.asked = asked
    self.status = status
  }

  /// The next piece to send. A body that is longer or shorter than its length has failed.
  func read(limitBytes: Int) -> HTTPBodyStream.Piece {
    switch stream.read(limitBytes: limitBytes) {
    case .bytes(let bytes):
      movedBytes += bytes.count
      guard let remaining = remainingBytes else { return .bytes(bytes) }
      guard bytes.count <= remaining else { return .failed }
      remainingBytes = remaining - bytes.count
      return .bytes(bytes)
    case .end: return remainingBytes ?? 0 == 0 ? .end : .failed
    case let other: return other
    }
  }

  /// Hands a piece that came in to the handler.
  func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    movedBytes += bytes.count
    isFull = stream.write(bytes) == .full
  }
}
