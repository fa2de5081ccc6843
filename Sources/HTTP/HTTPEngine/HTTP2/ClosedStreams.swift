/// The streams of a connection that are over, as far back as frames for them may still be on their way.
///
/// The library forgets a stream with its end and reads over what still comes for it. RFC 9113, 5.1 and 5.1.1 tell three
/// cases apart: the peer itself has ended the stream, and nothing may follow; we have refused or reset it, and what was on
/// its way is read over; or the number was skipped, and may not be used any more.
struct ClosedStreams {
  enum Verdict {
    /// The peer has ended it, or has reset it.
    case ended
    /// We ended it before the peer did, or may have: too long ago to tell.
    case cut
    case skipped
  }

  /// The last numbers of one kind.
  private struct Ring {
    private var ids: [Int32] = []
    private var next = 0

    func contains(_ id: Int32) -> Bool { ids.contains(id) }

    /// - Returns: The number that is forgotten for it.
    mutating func add(_ id: Int32) -> Int32? {
      guard ids.count == ClosedStreams.limit else {
        ids.append(id)
        return nil
      }
      defer { next = (next + 1) % ClosedStreams.limit }
      let forgotten = ids[next]
      ids[next] = id
      return forgotten
    }
  }

  /// How many of each kind are remembered: those of one burst at the default ``HTTP2Limits/concurrentStreams``.
  static let limit = 128

  private var ended = Ring()
  private var cut = Ring()
  /// The highest one that was ``Verdict/cut`` and is forgotten.
  private var forgotten: Int32 = 0

  mutating func add(_ id: Int32, endedByPeer: Bool) {
    if endedByPeer {
      _ = ended.add(id)
    } else if let old = cut.add(id) {
      forgotten = max(forgotten, old)
    }
  }

  /// What is known of a stream that the peer has numbered before, and that is not open.
  func verdict(on id: Int32) -> Verdict {
    if ended.contains(id) { return .ended }
    return id <= forgotten || cut.contains(id) ? .cut : .skipped
  }
}
