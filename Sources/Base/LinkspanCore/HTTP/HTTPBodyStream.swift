internal import Glibc

/// A body on its way from the one who makes it to the one who takes it: a bounded buffer with a call for each side.
///
/// The writer goes on while ``write(_:)`` says ``Room/more`` and otherwise waits for the call `onRoom`. The reader goes on
/// while ``read(limitBytes:)`` gives bytes, and otherwise waits for the call that ``onNews(_:)`` has set. So a slow reader
/// holds its writer back, and neither side needs a thread that waits.
///
/// One side may write and the other read at the same time. Calls are made on the thread of whichever side has caused
/// them, without any lock held, and must not wait. `@unchecked Sendable`: the state is reached with the lock held only.
package final class HTTPBodyStream: @unchecked Sendable {
  /// What a writer learns.
  package enum Room: Hashable, Sendable {
    case more
    /// It is taken, and nothing more should come before `onRoom` is called.
    case full
    /// The reader has gone; nothing that is written arrives any more.
    case closed
  }

  /// What a reader gets.
  package enum Piece: Hashable, Sendable {
    /// At least one byte.
    case bytes([UInt8])
    /// Nothing yet.
    case none
    case end
    /// The writer has given up: the body is not whole.
    case failed
  }

  private struct State {
    var pieces: [[UInt8]] = []
    var first = 0
    /// How much of the first piece is read.
    var offset = 0
    var heldBytes = 0
    var isFull = false
    var isAwaited = false
    var ending: Piece?
    var isClosed = false
    /// The reader has set the end; what was written before is still to be read.
    var isEndedByReader = false
    var onNews: (@Sendable () -> Void)?

    mutating func takePiece(_ limitBytes: Int) -> [UInt8] {
      let end = pieces[first].count
      guard end - offset <= limitBytes else {
        defer { offset += limitBytes }
        return Array(pieces[first][offset..<(offset + limitBytes)])
      }
      var bytes: [UInt8] = []
      swap(&bytes, &pieces[first])
      if offset > 0 { bytes.removeFirst(offset) }
      (offset, first) = (0, first + 1)
      if first == pieces.count {
        pieces.removeAll(keepingCapacity: true)
        first = 0
      } else if first >= 64 {
        pieces.removeFirst(first)
        first = 0
      }
      return bytes
    }
  }

  private let capacityBytes: Int
  private let onRoom: @Sendable (HTTPBodyStream) -> Void
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var state = State()

  /// - Parameters:
  ///   - capacityBytes: What is held before the writer is told to wait; one piece may pass it.
  ///   - onRoom: Called when the reader begins, whenever half of a full buffer is taken, and when the reader has gone.
  package init(
    capacityBytes: Int = 65_536, onRoom: @escaping @Sendable (HTTPBodyStream) -> Void = { _ in }
  ) {
    precondition(capacityBytes > 0, "a stream without room moves nothing")
    self.capacityBytes = capacityBytes
    self.onRoom = onRoom
    let code = pthread_mutex_init(lock, nil)
    precondition(code == 0, "a lock needs no resources on Linux")
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&state)
  }

  /// Bytes written and not read.
  package var heldBytes: Int { withState { $0.heldBytes } }

  // MARK: - The writer's side

  /// Takes a piece of the body, after which nothing may follow ``finish()`` or ``fail()``.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Room {
    let (room, news) = withState { state -> (Room, (@Sendable () -> Void)?) in
      guard !state.isClosed, !state.isEndedByReader else { return (.closed, nil) }
      precondition(state.ending == nil, "the body has ended")
      guard !bytes.isEmpty else { return (state.isFull ? .full : .more, nil) }
      state.pieces.append(bytes)
      state.heldBytes += bytes.count
      if state.heldBytes >= capacityBytes { state.isFull = true }
      return (state.isFull ? .full : .more, Self.takeNews(&state))
    }
    news?()
    return room
  }

  /// The body is whole.
  package func finish() { end(.end) }

  /// The body will not be whole: the reader breaks off, so that nobody takes it for whole.
  package func fail() { end(.failed) }

  private func end(_ ending: Piece) {
    let news = withState { state -> (@Sendable () -> Void)? in
      guard !state.isClosed, state.ending == nil else { return nil }
      state.ending = ending
      return Self.takeNews(&state)
    }
    news?()
  }

  private static func takeNews(_ state: inout State) -> (@Sendable () -> Void)? {
    guard state.isAwaited else { return nil }
    state.isAwaited = false
    return state.onNews
  }

  // MARK: - The reader's side

  /// Sets the call for news and lets the writer begin. The call comes once for each ``Piece/none`` that was given.
  package func onNews(_ call: @escaping @Sendable () -> Void) {
    withState { $0.onNews = call }
    onRoom(self)
  }

  /// Takes what is there.
  ///
  /// - Parameter limitBytes: At least 1; what is left of a piece comes next.
  package func read(limitBytes: Int) -> Piece {
    let (piece, hasRoom) = withState { state -> (Piece, Bool) in
      guard state.first < state.pieces.count else {
        if let ending = state.ending { return (ending, false) }
        state.isAwaited = true
        return (.none, false)
      }
      let bytes = state.takePiece(limitBytes)
      state.heldBytes -= bytes.count
      let hasRoom = state.isFull && state.heldBytes <= capacityBytes / 2
      if hasRoom { state.isFull = false }
      return (.bytes(bytes), hasRoom && state.ending == nil)
    }
    if hasRoom { onRoom(self) }
    return piece
  }

  /// What was written so far becomes the whole body; the writer is told as by ``close()``. Does nothing behind the body's end.
  package func endHere() {
    let (isNews, news) = withState { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isClosed, state.ending == nil else { return (false, nil) }
      state.ending = .end
      state.isEndedByReader = true
      return (true, Self.takeNews(&state))
    }
    news?()
    if isNews { onRoom(self) }
  }

  /// The reader takes nothing more; the writer is told. Does nothing behind the body's end.
  package func close() {
    let isNews = withState { state -> Bool in
      guard !state.isClosed else { return false }
      state.isClosed = true
      state.onNews = nil
      (state.pieces, state.first, state.offset, state.heldBytes) = ([], 0, 0, 0)
      return state.ending == nil
    }
    if isNews { onRoom(self) }
  }
}
