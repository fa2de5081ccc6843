internal import LinkspanCore

/// The streamed bodies of one loop, in either direction. Confined to the loop's thread.
///
/// A number stands for a body in the mailbox, as for answers: news of one that has ended finds nobody.
final class StreamedBodies {
  private let arrived: ArrivedAnswers
  private var places: [Int: PendingAnswers.Place] = [:]
  private var lastNumber = 0
  /// Those that end when the server stops, for they would not by themselves.
  private var endless: [Int: HTTPBodyStream] = [:]
  private var isStopping = false

  init(_ arrived: ArrivedAnswers) { self.arrived = arrived }

  /// A body that the connection at a place sends.
  func openOutgoing(
    _ stream: HTTPBodyStream, of head: HTTPResponse, at place: PendingAnswers.Place, asked: AskedRequest?
  ) -> StreamedBody {
    let number = open(place)
    let body = StreamedBody(
      number, stream, remainingBytes: ResponseFraming.declaredLength(of: head), asked: asked,
      status: head.status)
    stream.onNews { [arrived] in arrived.putNews(ofStream: number) }
    if Self.isEndless(head) {
      if isStopping { stream.endHere() } else { endless[number] = stream }
    }
    return body
  }

  /// Server-sent events go on until one side has enough, and clients connect again; a download ends by itself.
  private static func isEndless(_ head: HTTPResponse) -> Bool {
    ASCII.lowercased(head.fields["Content-Type"] ?? "").hasPrefix("text/event-stream")
  }

  /// The server stops: streams of events end with what they have, now and from here on.
  func stop() {
    isStopping = true
    for (_, stream) in endless.sorted(by: { $0.key < $1.key }) { stream.endHere() }
    endless = [:]
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

  func close(_ body: StreamedBody) {
    places[body.number] = nil
    endless[body.number] = nil
  }
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
