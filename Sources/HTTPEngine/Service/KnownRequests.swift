internal import Glibc
internal import LinkspanCore

/// A request that a loop remembers: one that is the same byte for byte need not be read again, and where its answer is
/// cacheable (``HTTPReply/cacheable(_:)``) the responder need not be asked again either.
///
/// A class, so that handing one on copies nothing. Confined to the thread of its loop.
final class KnownRequest {
  /// Without a body.
  let request: HTTPRequest
  let version: HTTPVersion
  let answersHead: Bool
  let keepsAlive: Bool
  /// The answer, and the ``LoopService/generation`` that gave it.
  var cached: (response: HTTPResponse, generation: Int)?

  init(_ request: HTTPRequest, _ version: HTTPVersion, keepsAlive: Bool = true) {
    self.request = request
    self.version = version
    self.keepsAlive = keepsAlive
    answersHead = request.method == "HEAD"
  }
}

/// The requests that came last on the connections of a loop, by what came of them: the whole request in HTTP/1.1, the
/// header section in HTTP/2. Phones of one release send the same bytes.
///
/// Confined to the thread of its loop.
final class KnownRequests {
  /// How many are remembered: more than there are releases in wide use, and few enough to look at one by one.
  static let limit = 16
  /// Longer ones are not remembered; a guess, twice what a browser sends.
  static let limitBytes = 2_048

  private struct Entry {
    var bytes: [UInt8]
    var known: KnownRequest
  }

  private var entries: [Entry] = []
  /// The one found last, which most often is the one looked for next.
  private var lastIndex = 0
  /// The one forgotten next, when there are as many as may be.
  private var oldestIndex = 0
  private var offered: [UInt8] = []
  private var offerNumber = 0

  /// The request that these bytes were, if they are remembered.
  func request(for bytes: UnsafeBufferPointer<UInt8>, scheme: String) -> KnownRequest? {
    guard let start = bytes.baseAddress, !entries.isEmpty else { return nil }
    func isSame(_ index: Int) -> Bool {
      entries[index].bytes.count == bytes.count && entries[index].known.request.scheme == scheme
        && entries[index].bytes.withUnsafeBufferPointer { memcmp($0.baseAddress!, start, bytes.count) == 0 }
    }
    if !isSame(lastIndex) {
      guard let index = entries.indices.first(where: isSame) else { return nil }
      lastIndex = index
    }
    return entries[lastIndex].known
  }

  /// Remembers what these bytes were, and forgets another one for it.
  func keep(_ bytes: [UInt8], _ known: KnownRequest) {
    guard !bytes.isEmpty, bytes.count <= Self.limitBytes else { return }
    if entries.count < Self.limit {
      lastIndex = entries.count
      entries.append(Entry(bytes: bytes, known: known))
    } else {
      lastIndex = oldestIndex
      oldestIndex = (oldestIndex + 1) % Self.limit
      entries[lastIndex].bytes.removeAll(keepingCapacity: true)
      entries[lastIndex].bytes.append(contentsOf: bytes)
      entries[lastIndex].known = known
    }
  }

  /// Takes note of a piece that may turn out to be one request.
  ///
  /// - Returns: What ``keep(_:offer:)`` wants to know then; nil for a piece that is too long.
  func offer(_ piece: UnsafeBufferPointer<UInt8>) -> Int? {
    guard piece.count <= Self.limitBytes else { return nil }
    offered.removeAll(keepingCapacity: true)
    offered.append(contentsOf: piece)
    offerNumber += 1
    return offerNumber
  }

  /// Remembers what the piece was, unless another one has been offered since.
  func keep(_ known: KnownRequest, offer: Int) {
    guard offer == offerNumber else { return }
    keep(offered, known)
    offerNumber += 1
  }
}
