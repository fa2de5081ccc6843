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

  /// The request that these bytes were, if they are remembered.
  func request(for bytes: UnsafeBufferPointer<UInt8>, scheme: String) -> KnownRequest? {
    guard let (known, count) = request(atStartOf: bytes, scheme: scheme, isWhole: true) else { return nil }
    return count == bytes.count ? known : nil
  }

  /// The request that these bytes begin with, if it is remembered, and how many of them it is; only for protocols where
  /// the end of a message is in its bytes, as in HTTP/1.1.
  ///
  /// - Parameter isWhole: Nothing follows the request.
  func request(
    atStartOf bytes: UnsafeBufferPointer<UInt8>, scheme: String, isWhole: Bool = false
  ) -> (KnownRequest, bytes: Int)? {
    guard let start = bytes.baseAddress, !entries.isEmpty else { return nil }
    func isSame(_ index: Int) -> Bool {
      let count = entries[index].bytes.count
      return (isWhole ? count == bytes.count : count <= bytes.count)
        && entries[index].known.request.scheme == scheme
        && entries[index].bytes.withUnsafeBufferPointer { memcmp($0.baseAddress!, start, count) == 0 }
    }
    if !isSame(lastIndex) {
      guard let index = entries.indices.first(where: isSame) else { return nil }
      lastIndex = index
    }
    return (entries[lastIndex].known, entries[lastIndex].bytes.count)
  }

  /// Remembers what these bytes were, and forgets another one for it.
  func keep(_ bytes: some Collection<UInt8>, _ known: KnownRequest) {
    guard !bytes.isEmpty, bytes.count <= Self.limitBytes else { return }
    if entries.count < Self.limit {
      lastIndex = entries.count
      entries.append(Entry(bytes: Array(bytes), known: known))
    } else {
      lastIndex = oldestIndex
      oldestIndex = (oldestIndex + 1) % Self.limit
      entries[lastIndex].bytes.removeAll(keepingCapacity: true)
      entries[lastIndex].bytes.append(contentsOf: bytes)
      entries[lastIndex].known = known
    }
  }
}
