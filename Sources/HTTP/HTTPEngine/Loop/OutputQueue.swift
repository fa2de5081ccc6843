/// Bytes waiting to be written, in order.
///
/// Small pieces are joined, so that a head and a small body leave in one write and one TLS record; a large body
/// is queued as it is, without a copy.
package struct OutputQueue: Sendable {
  /// One TLS record holds as much (RFC 8446, 5.1).
  static let joinLimitBytes = 16_384

  private var pieces: [[UInt8]] = []
  private var first = 0
  private var offset = 0
  /// Whether memory of written pieces takes new ones: 16 KB for a connection, worth it where few connections send much.
  private let keepsMemory: Bool
  private var spare: [UInt8] = []

  /// Bytes not written yet.
  package private(set) var count = 0

  package init(keepsMemory: Bool = false) { self.keepsMemory = keepsMemory }

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    if pieces.count > first, pieces[pieces.count - 1].count + bytes.count <= Self.joinLimitBytes {
      pieces[pieces.count - 1].append(contentsOf: bytes)
    } else {
      pieces.append(bytes)
    }
  }

  /// Copies bytes that someone else's memory holds.
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    if pieces.count > first, pieces[pieces.count - 1].count + bytes.count <= Self.joinLimitBytes {
      pieces[pieces.count - 1].append(contentsOf: bytes)
    } else if keepsMemory, bytes.count <= Self.joinLimitBytes {
      var piece: [UInt8] = []
      swap(&piece, &spare)
      piece.reserveCapacity(Self.joinLimitBytes)
      piece.append(contentsOf: bytes)
      pieces.append(piece)
    } else {
      pieces.append(Array(bytes))
    }
  }

  /// Shows the next bytes to write and forgets as many as the closure says were taken.
  ///
  /// The same bytes come first again until they are taken, as TLS needs it after a short write.
  package mutating func write(_ body: (UnsafeBufferPointer<UInt8>) -> Int) {
    guard !isEmpty else { return }
    let taken = pieces[first].withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[offset...])) }
    precondition(taken >= 0 && taken <= pieces[first].count - offset, "more was taken than was there")
    offset += taken
    count -= taken
    guard offset == pieces[first].count else { return }
    offset = 0
    if keepsMemory {
      swap(&pieces[first], &spare)
      spare.removeAll(keepingCapacity: spare.capacity <= 2 * Self.joinLimitBytes)
    }
    pieces[first] = []
    first += 1
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: pieces.count <= 4)
      first = 0
    } else if first >= 64 {
      pieces.removeFirst(first)
      first = 0
    }
  }
}
